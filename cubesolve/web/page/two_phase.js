// The 3x3x3 by two phases (Kociemba's algorithm), in a worker. Phase 1 leads to the subgroup <U, D, R2, L2, F2, B2>,
// phase 2 solves there. The two are cut at every length, so that solutions get shorter, and in the end are proved optimal.
"use strict";
cubesolve.twoPhase = function twoPhase(sources, rotations) {
  const CORNERS = [[8, 9, 20], [6, 18, 38], [0, 36, 47], [2, 45, 11], [29, 26, 15], [27, 44, 24], [33, 53, 42], [35, 17, 51]];
  const EDGES = [[5, 10], [7, 19], [3, 37], [1, 46], [32, 16], [28, 25], [30, 43], [34, 52], [23, 12], [21, 41], [50, 39],
    [48, 14]], CENTRES = [4, 13, 22, 31, 40, 49]; // the last four edges are between U and D
  const FACES = 6, MOVES = 18; // U R F D L B, three turns each
  const KEPT = [0, 1, 2, 4, 7, 9, 10, 11, 13, 16]; // the moves of the subgroup
  const isKept = Array.from({ length: MOVES }, (_, move) => KEPT.includes(move));
  // For each metric: what a move counts, the most that the first solution counts, and a phase 2, and a number that divides
  // the difference of any two solutions of a state.
  const METRICS = {
    htm: { cost: new Uint8Array(MOVES).fill(1), longest: 21, most: 11, step: 1 },
    qtm: { cost: Uint8Array.from({ length: MOVES }, (_, move) => (move % 3 === 1 ? 2 : 1)), longest: 30, most: 16, step: 2 },
  };
  const UNKNOWN = 255; // a distance
  const SLICE = 495, ORDERS = 24, EARLY = 3, PAUSE = 30; // milliseconds between two yields, after one of the first moves
  const CHECKED = 4095; // nodes between two looks at the clock

  /** Return pieces and orientations: on the place i is the piece[i], turned by turn[i]. */
  function cubies(state, pieces) {
    const homes = new Map(pieces.flatMap((points, piece) => points.map((point, turn) => [point, [piece, turn]])));
    const first = pieces.map((points) => homes.get(state[points[0]]));
    if (first.some((found, place) => !found || pieces[place].some((point, turn) =>
      state[point] !== pieces[found[0]][(found[1] + turn) % pieces[place].length])))
      throw new Error("two stickers of one piece do not belong together");
    const size = pieces[0].length;
    return { piece: first.map(([piece]) => piece), turn: first.map(([, turn]) => (size - turn) % size) };
  }

  const isOdd = (order) => order.reduce((odd, a, i) => odd ^ order.slice(i + 1).reduce((sum, b) => sum ^ (b < a), 0), 0);
  const total = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

  const after = (state, source) => source.map((point) => state[point]);
  const inverse = (source) => source.reduce((back, from, to) => Object.assign(back, { [from]: to }), Array(source.length));

  // The 24 ways to hold the cube.
  const held = [Array.from({ length: 54 }, (_, point) => point)];
  for (const way of held)
    for (const next of rotations.map((rotation) => after(way, rotation)))
      if (!held.some((known) => String(known) === String(next))) held.push(next);

  /** Return the state with the labels that it has if its centres are those of the solved one. */
  function upright(state) {
    const way = held.find((each) => CENTRES.every((centre) => each[centre] === state[centre]));
    if (!way) throw new Error("the centres are not those of a cube");
    return after(inverse(way), state);
  }

  /**
   * Return symbols in the letters of the solved cube. Centres that have these letters show how the cube is held; other
   * colours get the letters of the faces with their centres.
   */
  function named(symbols, letters) {
    const centres = CENTRES.map((centre) => symbols[centre]), faces = CENTRES.map((centre) => letters[centre]);
    const isHeld = (seen) => held.some((way) => CENTRES.every((centre, i) => letters[way[centre]] === seen[i]));
    if (symbols.length !== letters.length || new Set(centres).size < FACES || isHeld(centres)) return symbols;
    const [up, right, front, down, ...others] = centres;
    if (isHeld([down, right, front, up, ...others]))
      throw new Error("mirror scheme: the colours are arranged as in a mirror image of the cube, which no move reaches");
    return symbols.map((symbol) => faces[centres.indexOf(symbol)] || symbol);
  }

  /** Return the cube of 54 labels; throw if no moves lead there. */
  function read(labels) {
    const state = upright(labels);
    const corners = cubies(state, CORNERS), edges = cubies(state, EDGES);
    if (total(corners.turn) % 3) throw new Error("the corners' twists do not cancel: one corner is twisted in its place");
    if (total(edges.turn) % 2) throw new Error("the edges' flips do not cancel: one edge is flipped in its place");
    if (isOdd(corners.piece) !== isOdd(edges.piece))
      throw new Error("the exchanges of pieces do not cancel: two corners or two edges are exchanged");
    return { corners, edges };
  }

  /** Return the labels of a cube. */
  function written({ corners, edges }) {
    const state = Array.from({ length: 54 }, (_, point) => point);
    for (const [pieces, { piece, turn }] of [[CORNERS, corners], [EDGES, edges]])
      pieces.forEach((points, place) => points.forEach((point, i) => {
        state[point] = pieces[piece[place]][(i + points.length - turn[place]) % points.length];
      }));
    return state;
  }

  /** Return a uniformly random state, as labels. */
  function randomState(random) {
    const order = (number) => {
      const all = [...Array(number).keys()];
      for (let i = number - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [all[i], all[j]] = [all[j], all[i]];
      }
      return all;
    };
    const turns = (number, size) => {
      const all = Array.from({ length: number - 1 }, () => Math.floor(random() * size));
      return [...all, (size - (total(all) % size)) % size];
    };
    const corners = { piece: order(8), turn: turns(8, 3) }, edges = { piece: order(12), turn: turns(12, 2) };
    if (isOdd(corners.piece) !== isOdd(edges.piece)) edges.piece.splice(0, 2, edges.piece[1], edges.piece[0]);
    return written({ corners, edges });
  }

  // -- Coordinates: each is a number of some pieces or orientations, with a function there and back ---------------------

  const digits = (size, number) => ({
    of: (turn) => turn.slice(0, -1).reduce((sum, digit) => size * sum + digit, 0),
    from(rank) {
      const turn = Array(number).fill(0);
      for (let i = number - 2; i >= 0; i--, rank = Math.floor(rank / size)) turn[i] = rank % size;
      turn[number - 1] = (size - (total(turn) % size)) % size;
      return turn;
    },
  });
  const orders = (number, least = 0) => ({
    of(piece) {
      let rank = 0;
      for (let i = 0; i < number; i++) {
        let smaller = 0;
        for (let j = i + 1; j < number; j++) if (piece[least + j] < piece[least + i]) smaller++;
        rank = rank * (number - i) + smaller;
      }
      return rank;
    },
    from(rank) {
      const code = [], left = Array.from({ length: number }, (_, i) => least + i);
      for (let base = 1; base <= number; base++, rank = Math.floor(rank / (base - 1))) code.unshift(rank % base);
      const own = code.map((i) => left.splice(i, 1)[0]), all = [...Array(least ? 12 : Math.max(number, 8)).keys()];
      own.forEach((piece, i) => (all[least + i] = piece));
      return all;
    },
  });
  const slices = [...Array(4096).keys()].filter((mask) => total([...Array(12).keys()].map((i) => (mask >> i) & 1)) === 4);
  const SOLVED_SLICE = slices.indexOf(0b111100000000);

  // -- Tables -----------------------------------------------------------------------------------------------------------

  /** Return the number after each move, for each number of a coordinate: table[MOVES * number + move]. */
  function moveTable(number, from, of, turned, moves) {
    const table = new (number > 1 << 16 ? Uint32Array : Uint16Array)(MOVES * number), made = moves.filter((move) => move % 3 === 0 || !moves.includes(move - 1));
    for (let rank = 0; rank < number; rank++) {
      const pieces = from(rank);
      for (const move of made) table[MOVES * rank + move] = of(turned(pieces, move));
    }
    for (const move of moves.filter((each) => !made.includes(each)))
      for (let at = move; at < table.length; at += MOVES) table[at] = table[MOVES * table[at - 1] + move - (move % 3)];
    return table;
  }

  /** Return the distances from (0, solved) in two coordinates, if moves count 1 or 2. */
  function distances(first, second, number, solved, moves, cost) {
    const table = new Uint8Array((first.length / MOVES) * number).fill(UNKNOWN);
    table[solved] = 0;
    for (let depth = 0, farthest = 0; depth <= farthest; depth++) {
      for (let here = table.indexOf(depth); here >= 0; here = table.indexOf(depth, here + 1)) {
        const row = (here / number) | 0, a = row * MOVES, b = (here - row * number) * MOVES;
        for (let i = 0; i < moves.length; i++) {
          const there = first[a + moves[i]] * number + second[b + moves[i]], length = depth + cost[moves[i]];
          if (table[there] <= length) continue;
          table[there] = length;
          if (length > farthest) farthest = length;
        }
      }
    }
    return table;
  }

  /** Derive all tables of moves from their effects on the 54 points; those of distances are derived for each metric. */
  function tables() {
    const all = [...Array(MOVES).keys()];
    const corners = sources.map((source) => cubies(source, CORNERS)), edges = sources.map((source) => cubies(source, EDGES));
    const placed = (made) => (piece, move) => made[move].piece.map((from) => piece[from]);
    const turned = (made, size) => (turns, move) => made[move].piece.map((from, i) => (turns[from] + made[move].turn[i]) % size);
    const twists = digits(3, 8), flips = digits(2, 12), eight = orders(8), four = orders(4, 8);
    const maskAfter = (mask, move) => edges[move].piece.reduce((sum, from, i) => sum | (((mask >> from) & 1) << i), 0);
    const ranks = new Map(slices.map((mask, rank) => [mask, rank]));
    const twist = moveTable(2187, twists.from, twists.of, turned(corners, 3), all);
    const flip = moveTable(2048, flips.from, flips.of, turned(edges, 2), all);
    const slice = moveTable(SLICE, (rank) => slices[rank], (mask) => ranks.get(mask), maskAfter, all);
    const corner = moveTable(40320, eight.from, eight.of, placed(corners), all);
    const edge = moveTable(40320, (rank) => [...eight.from(rank), 8, 9, 10, 11], eight.of, placed(edges), KEPT);
    const order = moveTable(ORDERS, four.from, four.of, placed(edges), KEPT);
    const measured = {};
    function measure({ cost }) {
      const cornerOrder = distances(corner, order, ORDERS, 0, KEPT, cost);
      return { cornerOrder, twistSlice: distances(twist, slice, SLICE, SOLVED_SLICE, all, cost),
        flipSlice: distances(flip, slice, SLICE, SOLVED_SLICE, all, cost),
        edgeOrder: distances(edge, order, ORDERS, 0, KEPT, cost),
        cornerLeast: Uint8Array.from({ length: 40320 }, (_, a) => Math.min(...cornerOrder.subarray(a * ORDERS, (a + 1) * ORDERS))) };
    }
    return { twist, flip, slice, corner, edge, order, measured: (metric) => (measured[metric] ||= measure(METRICS[metric])),
      turnedEdges: placed(edges), edgeRank: eight.of, orderRank: four.of,
      ranked: (cube) => ({ twist: twists.of(cube.corners.turn), flip: flips.of(cube.edges.turn),
        corner: eight.of(cube.corners.piece), edges: cube.edges.piece,
        slice: ranks.get(cube.edges.piece.reduce((sum, piece, i) => sum | ((piece > 7) << i), 0)) }) };
  }

  // -- The search -------------------------------------------------------------------------------------------------------

  /** Two turns of one face are one; those of opposite faces are made in one order only. */
  const repeats = (face, last) => face === last || face + 3 === last;
  const faceOf = Int8Array.from({ length: MOVES }, (_, move) => move / 3);

  // How states are seen where the cube is held otherwise, and the move there for each move.
  const numbers = new Map(sources.map((source, move) => [String(source), move]));
  const views = held.map((way) => {
    const back = inverse(way), seen = (labels) => after(back, after(labels, way));
    return { way, back, seen, moves: sources.map((source) => numbers.get(String(seen(source)))) };
  });
  /** Return a view along an axis: 0 is that of U, 1 that of R, 2 that of F. */
  const along = (axis) => views.find(({ moves }) => faceOf[moves[3 * axis]] % 3 === 0);

  /**
   * Yield now and then, and call `hear` with each better solution and with each better bound.
   *
   * A solution is cut after its last move that is not of the subgroup. When the phases 1 of all lengths up to n have been
   * tried, every solution of n moves was found whose phase 2 has at most `most` moves.
   */
  function* search(known, state, metric, seconds, hear) {
    const { twist, flip, slice, corner, edge, order } = known, { cost, longest, most, step } = METRICS[metric];
    const { twistSlice, flipSlice, cornerOrder, edgeOrder, cornerLeast } = known.measured(metric);
    const end = performance.now() + 1000 * seconds, moves = new Int8Array(64);
    const starts = [0, 1, 2].map(along).map(({ seen, moves: there }) =>
      ({ moves: inverse(there), ...known.ranked(read(seen(upright(state)))) }));
    let best = longest + 1, found = null, nodes = 0, breathed = performance.now(), isOver = false, start = null, made = 0; // moves of both phases

    function least(a, b, c) {
      const one = twistSlice[a * SLICE + c], other = flipSlice[b * SLICE + c];
      return one > other ? one : other;
    }

    function isLate() {
      if ((++nodes & CHECKED) === 0 && performance.now() > end) isOver = true;
      return isOver;
    }

    function second(a, b, c, left, depth, last) {
      if (left === 0) { // both distances are 0
        made = depth;
        return true;
      }
      if (isLate()) return false;
      for (const move of KEPT) {
        const face = faceOf[move];
        if (repeats(face, last)) continue;
        const a2 = corner[MOVES * a + move], b2 = edge[MOVES * b + move], c2 = order[MOVES * c + move];
        const rest = left - cost[move];
        if (cornerOrder[a2 * ORDERS + c2] > rest || edgeOrder[b2 * ORDERS + c2] > rest) continue;
        moves[depth] = move;
        if (second(a2, b2, c2, rest, depth + 1, face)) return true;
      }
      return false;
    }

    /** Solve what a phase 1 of so many moves has left, if the whole gets shorter than the best solution. */
    function finish(depth) {
      const limit = Math.min(most, best - 1 - length);
      let a = start.corner, edges = start.edges;
      for (let i = 0; i < depth; i++) a = corner[MOVES * a + moves[i]];
      if (cornerLeast[a] > limit) return;
      for (let i = 0; i < depth; i++) edges = known.turnedEdges(edges, moves[i]);
      const b = known.edgeRank(edges), c = known.orderRank(edges), last = depth ? faceOf[moves[depth - 1]] : -1;
      for (let left = Math.max(cornerOrder[a * ORDERS + c], edgeOrder[b * ORDERS + c]); left <= limit; left += step) {
        if (!second(a, b, c, left, depth, last)) continue;
        best = length + left;
        found = Array.from(moves.subarray(0, made), (move) => start.moves[move]);
        return;
      }
    }

    /** Make phases 1 that count so much; or list how they begin. */
    function first(a, b, c, left, depth, last, begun = null) {
      if (left === 0 || (begun && depth === EARLY)) {
        if (begun) begun.push({ made: moves.slice(0, depth), at: [a, b, c, left, depth, last] });
        else if (!depth || !isKept[moves[depth - 1]]) finish(depth);
        return;
      }
      if (isLate()) return;
      for (let move = 0; move < MOVES; move++) {
        const face = faceOf[move];
        if (repeats(face, last)) continue;
        const a2 = twist[MOVES * a + move], b2 = flip[MOVES * b + move], c2 = slice[MOVES * c + move];
        const rest = left - cost[move];
        if (least(a2, b2, c2) > rest) continue;
        moves[depth] = move;
        first(a2, b2, c2, rest, depth + 1, face, begun);
      }
    }

    const nearest = starts.map(({ twist: a, flip: b, slice: c }) => least(a, b, c));
    let length = Math.min(...nearest), told = "";
    function say() {
      const proved = Math.min(best, length, most + 1 + nearest[0]), bound = proved + ((best - proved) % step);
      if (found && told !== (told = `${best} ${bound}`)) hear(found, bound);
    }
    for (; length < best; length++) {
      say();
      for (start of starts) {
        const begun = [];
        first(start.twist, start.flip, start.slice, length, 0, -1, begun);
        for (const { made: early, at } of begun) {
          moves.set(early);
          first(...at);
          say();
          if (length >= best || isOver) break;
          if (performance.now() < breathed + PAUSE) continue;
          yield;
          breathed = performance.now();
        }
        if (length >= best || isOver) break;
      }
      if (isOver) break;
    }
    say();
  }

  return { read, named, upright, randomState, tables, search, CORNERS, EDGES, METRICS, MOVES, sources, held, views, along,
    after, cubies, moveTable, distances, repeats, faceOf, total };
};
