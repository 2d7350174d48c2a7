// Goals of the 3x3x3 that solve some pieces, in a worker: a search with tables of the distances of few pieces as bounds; and
// goals that lead to the subgroup of phase 2 about an axis, with the tables of phase 1.
"use strict";
cubesolve.pieces = function pieces(phases, known) {
  const { CORNERS, EDGES, METRICS, MOVES, sources, held, views, along, after, cubies, read, upright, moveTable } = phases;
  const { distances, repeats, faceOf, total } = phases;
  const FEW = 5, MOST = 4; // pieces of a table, and those of one kind: at most 5,322,240 states
  const TWICE = 2; // tables that have a piece, or more
  const MOST_TABLES = 16; // of distances
  const PAUSE = 30, EARLY = 2, CHECKED = 1023; // milliseconds between two yields, after one of the first moves; nodes between
  // two looks at the clock
  const LONGEST = 32, MANY = 10_000; // moves of a solution, and nodes after which any solution is shown
  const KINDS = [{ places: CORNERS, size: 3 }, { places: EDGES, size: 2 }];

  // -- Coordinates: where some pieces of one kind are, and how they are turned --------------------------------------------

  const coordinateSize = (kind, number) =>
    Array.from({ length: number }, (_, i) => KINDS[kind].size * (KINDS[kind].places.length - i)).reduce((all, each) => all * each, 1);
  const coordinates = new Map(); // by kind and number of pieces

  function coordinateOf(kind, number) {
    const key = `${kind} ${number}`;
    if (!coordinates.has(key)) coordinates.set(key, coordinate(kind, number));
    return coordinates.get(key);
  }

  /** Return the coordinate of so many pieces: its numbers, and the number after each move. */
  function coordinate(kind, number) {
    const { places, size } = KINDS[kind];
    const base = (i) => size * (places.length - i), states = coordinateSize(kind, number);
    const there = sources.map((source) => {
      const { piece, turn } = cubies(source, places), moved = [];
      piece.forEach((from, to) => Array.from({ length: size }, (_, i) => (moved[size * from + i] = size * to + ((i + turn[to]) % size))));
      return moved;
    });
    function of(where) {
      let rank = 0;
      for (let i = 0; i < number; i++) {
        let digit = where[i];
        for (let j = 0; j < i; j++) if (((where[j] / size) | 0) < ((where[i] / size) | 0)) digit -= size;
        rank = rank * base(i) + digit;
      }
      return rank;
    }
    function from(rank) {
      const digits = [], free = places.map((_, place) => place);
      for (let i = number - 1; i >= 0; rank = Math.floor(rank / base(i)), i--) digits[i] = rank % base(i);
      return digits.map((digit) => size * free.splice((digit / size) | 0, 1)[0] + (digit % size));
    }
    const all = [...Array(MOVES).keys()], turned = (where, move) => where.map((each) => there[move][each]);
    return { states, of, moves: moveTable(states, from, of, turned, all) };
  }

  // -- Tables ---------------------------------------------------------------------------------------------------------------

  const tables = new Map(); // of distances, by pieces and metric
  const every = [...Array(MOVES).keys()], pieceAt = Array(54).fill(null), first = Array(54).fill(-1);
  KINDS.forEach(({ places }, kind) => places.forEach((points, piece) => points.forEach((point) => {
    pieceAt[point] = { kind, piece };
    first[point] = points[0]; // by which a piece is known
  })));

  /** Return pieces as they are seen in the view in which their name is the least: those alike up to rotation have one. */
  function grouped(points) {
    const all = views.map((view) => {
      const seen = points.map((point) => first[view.back[point]]).sort((a, b) => a - b);
      return { view, seen, key: String(seen) };
    });
    return all.reduce((best, each) => (each.key < best.key ? each : best));
  }

  /** Return the bound of few pieces. */
  function bound(points, metric) {
    const { view, seen, key } = grouped(points), name = `${metric} ${key}`;
    const pieces = KINDS.map((_, kind) => seen.map((point) => pieceAt[point]).filter((each) => each.kind === kind).map(({ piece }) => piece));
    const [corners, edges] = pieces.map((all, kind) => coordinateOf(kind, all.length));
    const ranks = (cube) => [corners, edges].map(({ of }, kind) => {
      const { piece, turn } = kind ? cube.edges : cube.corners, places = pieces[kind].map((each) => piece.indexOf(each));
      return of(places.map((place) => KINDS[kind].size * place + turn[place]));
    });
    if (!tables.has(name)) {
      if (tables.size === MOST_TABLES) tables.delete(tables.keys().next().value);
      const [a, b] = ranks(read(held[0]));
      tables.set(name, distances(corners.moves, edges.moves, edges.states, a * edges.states + b, every, METRICS[metric].cost));
    }
    return { corners: corners.moves, edges: edges.moves, number: edges.states, table: tables.get(name), moves: view.moves,
      ranks: (state) => ranks(read(view.seen(state))) };
  }

  const sizeOf = (points) => KINDS.reduce((size, _, kind) =>
    size * coordinateSize(kind, points.filter((point) => pieceAt[point].kind === kind).length), 1);

  /** Return groups of few pieces, each piece in two or more; with a group come those alike that the pieces also have. */
  function groupsOf(points) {
    if (points.length <= FEW && isFew(points)) return [points];
    const times = new Map(points.map((point) => [point, 0])), groups = new Map(), options = subsets(points);
    const gain = (group) => (groups.has(String(group)) ? 0 : group.filter((point) => times.get(point) < TWICE).length);
    for (let best; gain((best = options.reduce((one, other) => (gain(other) > gain(one) ? other : one)))); ) {
      for (const { way } of views) {
        const image = best.map((point) => first[way[point]]).sort((a, b) => a - b);
        if (!image.every((point) => times.has(point)) || groups.has(String(image))) continue;
        groups.set(String(image), image);
        image.forEach((point) => times.set(point, times.get(point) + 1));
      }
    }
    return [...groups.values()];
  }

  const isFew = (points) => KINDS.every((_, kind) => points.filter((point) => pieceAt[point].kind === kind).length <= MOST);

  /** Return the groups of as many pieces as a table may have, those with the most states first. */
  function subsets(points) {
    let found = [[]];
    for (let number = 0, next = found; number < FEW && next.length; number++) {
      found = next;
      next = found.flatMap((group) => points.slice(points.indexOf(group.at(-1)) + 1).map((point) => [...group, point])).filter(isFew);
      if (next.length) found = next;
    }
    return found.sort((one, other) => sizeOf(other) - sizeOf(one));
  }

  const groupings = new Map();

  /** Return the bounds of all groups of pieces. */
  function boundsOf(points, metric) {
    const { view, seen, key } = grouped(points);
    if (!groupings.has(key)) groupings.set(key, groupsOf(seen));
    return groupings.get(key).map((group) => bound(group.map((point) => first[view.way[point]]), metric));
  }

  /** Return the bounds of the moves to the subgroup about an axis. */
  function reduction(axis, metric) {
    const view = along(axis), { twistSlice, flipSlice } = known.measured(metric);
    return [["twist", twistSlice], ["flip", flipSlice]].map(([turns, table]) => ({
      corners: known[turns], edges: known.slice, number: known.slice.length / MOVES, table, moves: view.moves,
      ranks: (state) => {
        const ranked = known.ranked(read(view.seen(state)));
        return [ranked[turns], ranked.slice];
      } }));
  }

  const boundsTo = (item, metric) => (Array.isArray(item) ? boundsOf : reduction)(item, metric);

  /** Return whether all bounds are 0. */
  const holds = (bounds) => (state) => bounds.every(({ table, number, ranks }) => {
    const [a, b] = ranks(state);
    return table[a * number + b] === 0;
  });

  // -- The search -----------------------------------------------------------------------------------------------------------

  /** Return the moves of a solution of the whole cube up to where the goal is reached. */
  function* cut(starts, state, metric, seconds) {
    let whole = null, here = upright(state), length = 0;
    for (const _ of phases.search(known, state, metric, seconds, (found) => (whole ||= found))) {
      if (whole) break;
      yield;
    }
    const isReached = () => starts.some(({ bounds }) => holds(bounds)(here));
    for (; whole && !isReached(); length++) here = after(here, sources[whole[length]]);
    return whole && whole.slice(0, length);
  }

  /**
   * Yield now and then, and call `hear` with each better solution, or null, and each better bound.
   *
   * An item of the goal lists pieces by their first points, or is an axis; any item will do.
   */
  function* search(goal, state, metric, seconds, hear) {
    const { cost } = METRICS[metric], cube = upright(state), starts = [], moves = new Int8Array(LONGEST);
    for (const item of goal) {
      const bounds = boundsTo(item, metric), ranks = new Int32Array(2 * LONGEST * bounds.length);
      bounds.forEach((each, i) => ranks.set(each.ranks(cube), 2 * i));
      const least = bounds.map(({ table, number }, i) => table[ranks[2 * i] * number + ranks[2 * i + 1]]);
      starts.push({ bounds, ranks, least: Math.max(...least) });
      yield;
    }
    const end = performance.now() + 1000 * seconds;
    let breathed = performance.now(), nodes = 0, isOver = false, best = null, bounds, ranks;

    /** Write the coordinates after a move; return whether no bound is above the rest. */
    function move(depth, number, rest) {
      const here = 2 * bounds.length * depth, there = here + 2 * bounds.length;
      for (let i = 0; i < bounds.length; i++) {
        const each = bounds[i], seen = each.moves[number];
        const a = each.corners[MOVES * ranks[here + 2 * i] + seen], b = each.edges[MOVES * ranks[here + 2 * i + 1] + seen];
        if (each.table[a * each.number + b] > rest) return false;
        ranks[there + 2 * i] = a;
        ranks[there + 2 * i + 1] = b;
      }
      return true;
    }

    /** Search for a solution that counts so much; return whether the search has ended. */
    function dive(depth, left, last) {
      if (left === 0) {
        best = [...moves.subarray(0, depth)];
        return true; // all bounds are 0
      }
      if ((++nodes & CHECKED) === 0 && performance.now() > end) return (isOver = true);
      for (const number of every) {
        if (repeats(faceOf[number], last) || !move(depth, number, left - cost[number])) continue;
        moves[depth] = number;
        if (dive(depth + 1, left - cost[number], faceOf[number])) return true;
      }
      return false;
    }

    /** Do the same, and yield among the first moves, if it is time to. */
    function* paused(depth, left, last) {
      if (left === 0 || depth === EARLY) {
        const isDone = dive(depth, left, last);
        if (performance.now() < breathed + PAUSE) return isDone;
        yield;
        breathed = performance.now();
        return isDone;
      }
      for (const number of every) {
        if (repeats(faceOf[number], last) || !move(depth, number, left - cost[number])) continue;
        moves[depth] = number;
        if (yield* paused(depth + 1, left - cost[number], faceOf[number])) return true;
      }
      return false;
    }

    for (let length = Math.min(...starts.map(({ least }) => least)); ; length++) {
      if (!best && nodes > MANY) best = yield* cut(starts, state, metric, seconds);
      const counted = best ? total(best.map((number) => cost[number])) : Infinity;
      hear(best, Math.min(counted, length));
      if (counted <= length) return;
      for (const start of starts) {
        ({ bounds, ranks } = start);
        if (start.least > length || !(yield* paused(0, length, -1))) continue;
        if (!isOver) hear(best, length);
        return;
      }
    }
  }

  return { search };
};
