// The Square-1 in the page without a server: states up to turns of the layers, and a search for few twists in a worker.
"use strict";
cubesolve.square1 = function square1({ pieces, letters, sides, faces, plain }) {
  const LAYER = 12, HALF = 6, WEDGES = 24, EIGHT = 8, RANKS = 40_320, ALL = (1 << LAYER) - 1, CUT = 1 | (1 << HALF);
  const TWIST = "/", SQUARE = "-", UNKNOWN = 255, ENOUGH = 14; // twists, or one more, which solve every state in many ways
  const FEWER = 4; // states not reached for each of the last level, from which the next one is found backwards
  const EARLY = 3, PAUSE = 30, CHECKED = 1023; // twists, milliseconds between two yields, nodes between two looks at the clock
  const first = pieces.map(([wedge]) => wedge), second = new Set(pieces.filter(({ length }) => length > 1).map(([, wedge]) => wedge));
  const kinds = [2, 1].map((size) => pieces.filter(({ length }) => length === size).map(([wedge]) => wedge)); // corners, edges
  const solved = Object.freeze([...Array(WEDGES + 2).keys()]), range = (length) => [...Array(length).keys()];

  // -- States: the wedge at each place of the layers, and the middle; turns are those of both layers, 0 to 11 --------------

  const rotated = (list, turn) => [...list.slice((LAYER - turn) % LAYER), ...list.slice(0, (LAYER - turn) % LAYER)];
  const layersOf = (state) => [state.slice(0, LAYER), state.slice(LAYER, WEDGES)];
  const turned = (state, turns) => [...layersOf(state).flatMap((layer, i) => rotated(layer, turns[i])), ...state.slice(WEDGES)];
  function twisted(state) {
    const parts = range(4).map((i) => state.slice(HALF * i, HALF * (i + 1)));
    return [...parts[0], ...parts[2], ...parts[1], ...parts[3], state[WEDGES + 1], state[WEDGES]];
  }
  const exchanged = (state) => [...layersOf(state).reverse().flatMap((layer) => rotated(layer, HALF)), ...state.slice(WEDGES)];
  const isAligned = (state) => range(4).every((i) => !second.has(state[HALF * i]));

  /** Return an alg as turns and twists, where turns in a row are one. */
  function read(alg) {
    const bare = String.raw`([+-]?\d{1,2})\s*,\s*([+-]?\d{1,2})`, found = [];
    const pattern = new RegExp(String.raw`\s*(?:\(\s*${bare}\s*\)|(?<![\d)])${bare}(?!\s*,|\d)|(/))`, "y");
    for (let at = 0; alg.slice(at).trim(); at = pattern.lastIndex) {
      pattern.lastIndex = at;
      const match = pattern.exec(alg);
      if (!match) {
        const [blank, word] = /^(\s*)(\S+)/.exec(alg.slice(at)).slice(1);
        throw new Error(`'${word}' (character ${at + blank.length + 1}) is not a move: expected / or the turns of both layers, such as (3,-1)`);
      }
      const turns = match[5] ? null : [match[1] ?? match[3], match[2] ?? match[4]].map((turn) => ((Number(turn) % LAYER) + LAYER) % LAYER);
      if (turns && found.at(-1)) found.push(sum(found.pop(), turns));
      else found.push(turns);
    }
    return found.filter((turns) => !turns || turns.some(Boolean));
  }

  const sum = (one, other) => one.map((turn, i) => (turn + other[i]) % LAYER);
  const negative = (turns) => turns.map((turn) => (LAYER - turn) % LAYER);
  const written = (turns) => (turns ? `(${turns.map((turn) => (turn > HALF ? turn - LAYER : turn))})` : TWIST);
  const split = (alg) => read(alg).map(written);
  const invert = (alg) => read(alg).reverse().map((turns) => written(turns && negative(turns))).join(" ");

  function apply(state, alg) {
    for (const turns of read(alg)) {
      state = turns ? turned(state, turns) : twisted(state);
      if (!isAligned(state)) throw new Error(`'${written(turns)}' is not possible here`);
    }
    return Object.freeze(state);
  }

  function parse(text) {
    const symbols = [...text.replace(/\s/g, "").toUpperCase()], middle = symbols.pop();
    if (![SQUARE, TWIST].includes(middle)) throw new Error(`'${text}' must end with ${SQUARE} or ${TWIST}, for the middle`);
    const wrong = symbols.find((symbol) => !letters.includes(symbol));
    if (wrong) throw new Error(`'${wrong}' is not a piece: expected A to H and 1 to 8`);
    if (String([...symbols].sort()) !== String([...letters].sort())) throw new Error(`'${text}' must have each of ${letters} once`);
    const isTwisted = Number(middle === TWIST);
    const state = [...symbols.flatMap((symbol) => pieces[letters.indexOf(symbol)]), WEDGES + isTwisted, WEDGES + 1 - isTwisted];
    if (!isAligned(state)) throw new Error("a corner lies across the cut, so no twist is possible: turn its layer");
    return Object.freeze(state);
  }

  const letterAt = (wedge) => letters[first.indexOf(wedge)];
  const format = (state) => [...layersOf(state).map((layer) => layer.filter((wedge) => !second.has(wedge)).map(letterAt).join("")),
    state[WEDGES] === WEDGES ? SQUARE : TWIST].join(" ");

  // -- Pictures: the top layer from above, the bottom layer from below, and the middle in front ------------------------------

  const THICK = 1.25, WIDE = Math.SQRT2 * THICK, RIM = 1 / Math.cos(Math.PI / 12), GAP = Math.tan(Math.PI / 12);

  const rounded = (point) => point.map((at) => Math.round(1e4 * at) / 1e4);

  function cells(state) {
    const point = (layer, [angle, radius]) => {
      const [across, down] = [Math.sin, Math.cos].map((of) => radius * of((angle * Math.PI) / 180));
      return rounded(layer ? [3 * WIDE + across, WIDE - down] : [WIDE - across, WIDE + down]);
    };
    const cell = (column, row, colour, outline, mark = "") => ({ column, row, text: mark, colour, outline, mark: "" });
    const found = state.slice(0, WEDGES).flatMap((wedge, place) => {
      const layer = Number(place >= LAYER), at = place % LAYER, column = (at % HALF) + (HALF + 1) * layer, row = Number(at >= HALF);
      const number = first.indexOf(wedge);
      if (number < 0) return [cell(column, row, plain, [point(layer, [0, 0])], letterAt(wedge - 1))];
      const begin = (layer ? -15 : 15) + 30 * at, own = sides[number];
      const rim = [[begin, RIM], ...own.slice(1).map(() => [begin + 30, Math.SQRT2]), [begin + 30 * own.length, RIM]];
      const outside = ([angle, radius]) => [angle, THICK * radius];
      return [...own.map((colour, i) => cell(column, row, colour,
        [rim[i], outside(rim[i]), outside(rim[i + 1]), rim[i + 1]].map((each) => point(layer, each)))),
      cell(column, row, faces[wedge >= LAYER ? "D" : "U"], [[0, 0], ...rim].map((each) => point(layer, each)), letterAt(wedge))];
    });
    const isSquare = state[WEDGES] === WEDGES, cut = WIDE - GAP, top = 2 * WIDE;
    const box = (left, right) => [[left, top], [right, top], [right, top + 0.5], [left, top + 0.5]].map(rounded);
    return [...found, cell(0, 2, faces[isSquare ? "F" : "B"], box(cut, WIDE + (isSquare ? 1 : GAP))),
      cell(0, 2, faces.F, box(WIDE - 1, cut), isSquare ? SQUARE : TWIST)];
  }

  // -- Shapes: for each layer 12 bits, one for each place with the second wedge of a corner ----------------------------------

  const bitsAfter = (layer, turn) => ((layer << turn) | (layer >> (LAYER - turn))) & ALL;
  const shapeOf = (state) => layersOf(state).map((layer) => layer.reduce((bits, wedge, place) => bits | (Number(second.has(wedge)) << place), 0));
  const bitsOf = (layer) => range(LAYER).filter((i) => (layer >> i) & 1).length;
  /** Return the least bits of an aligned layer, and the turn that leads there. */
  function least(layer) {
    const all = range(LAYER).map((turn) => [bitsAfter(layer, turn), turn]).filter(([bits]) => !(bits & CUT));
    return all.reduce((best, each) => (each[0] < best[0] ? each : best));
  }
  function standard(shape) {
    const both = shape.map(least);
    return { shape: both.map(([bits]) => bits), turns: both.map(([, turn]) => turn) };
  }
  const alignments = (shape) => {
    const [tops, bottoms] = shape.map((layer) => range(LAYER).filter((turn) => !(bitsAfter(layer, turn) & CUT)));
    return tops.flatMap((top) => bottoms.map((bottom) => [top, bottom]));
  };

  function halves(place = 0) {
    if (place === HALF) return [0];
    return [...halves(place + 1), ...(place + 2 <= HALF ? halves(place + 2).map((rest) => rest | (2 << place)) : [])];
  }
  const aligned = halves().flatMap((one) => halves().map((other) => one | (other << HALF)));

  /** Return a uniformly random state in which a twist is possible. */
  function randomState(random) {
    const drawn = (number) => Math.floor(random() * number), shapes = aligned.flatMap((top) =>
      aligned.filter((bottom) => bitsOf(top) + bitsOf(bottom) === EIGHT).map((bottom) => [top, bottom]));
    const shape = shapes[drawn(shapes.length)], left = kinds.map((all) => [...all]), state = [];
    for (const layer of shape)
      for (const place of range(LAYER)) {
        const own = left[(layer >> (place + 1)) & 1 ? 0 : 1];
        state.push((layer >> place) & 1 ? state.at(-1) + 1 : own.splice(drawn(own.length), 1)[0]);
      }
    const turn = drawn(2);
    return Object.freeze([...state, WEDGES + turn, WEDGES + 1 - turn]);
  }

  // -- Moves of the classes of shapes: turns, a twist, turns to the standard shape -------------------------------------------

  /** Return the tables: classes, moves with the changes of the ranks of corners and edges, and bounds by each. */
  function tables() {
    const classes = new Map(), shapes = [];
    const all = aligned.flatMap((top) => aligned.filter((bottom) => bitsOf(top) + bitsOf(bottom) === EIGHT).map((bottom) => standard([top, bottom]).shape));
    for (const shape of all) if (!classes.has(String(shape))) classes.set(String(shape), shapes.push(shape) - 1);
    /** Return the state with a shape whose pieces are in the order of their places. */
    const ordered = (shape) => {
      const next = kinds.map((list) => list.values()), state = [];
      for (const layer of shape)
        for (const place of range(LAYER))
          state.push((layer >> place) & 1 ? state.at(-1) + 1 : next[place < LAYER - 1 && (layer >> (place + 1)) & 1 ? 0 : 1].next().value);
      return [...state, WEDGES, WEDGES + 1];
    };
    const permutations = Uint8Array.from(range(RANKS).flatMap(unranked)), changes = new Map();
    // The rank of four numbers, as 12 bits, at the beginning of a permutation, and that of four at the end.
    const fours = range(1 << 12).map((bits) => range(4).map((i) => (bits >> (9 - 3 * i)) & 7));
    const begins = Uint32Array.from(fours, (four) => rank([...four, ...range(EIGHT).filter((each) => !four.includes(each))]));
    const ends = Uint8Array.from(fours, (four) => rank(four) % 24);
    /** Return the rank after a change, for each rank. */
    const changeOf = (numbers) => {
      const key = String(numbers), [a, b, c, d, e, f, g, h] = numbers;
      if (!changes.has(key)) changes.set(key, Uint16Array.from({ length: RANKS }, (_, number) => {
        const p = permutations, at = EIGHT * number;
        return begins[(p[at + a] << 9) | (p[at + b] << 6) | (p[at + c] << 3) | p[at + d]]
          + ends[(p[at + e] << 9) | (p[at + f] << 6) | (p[at + g] << 3) | p[at + h]];
      }));
      return changes.get(key);
    };
    const effects = (state) => numbered(state).map(changeOf);
    // Half a turn more of both layers before the twist leads to the exchanged state, which needs as many twists.
    const moves = shapes.map((shape) => {
      const begun = ordered(shape);
      return alignments(shape).filter(([top]) => top < HALF).map((turns) => {
        const made = twisted(turned(begun, turns)), { shape: there, turns: after } = standard(shapeOf(made));
        const [corners, edges] = effects(turned(made, after));
        return { turns, after, there: classes.get(String(there)), corners, edges };
      });
    });
    moves.forEach((list, group) => list.forEach((move) => {
      let back = negative(move.after);
      if (back[0] >= HALF) back = [back[0] - HALF, (back[1] + HALF) % LAYER];
      move.back = moves[move.there].find(({ turns }) => String(turns) === String(back));
      move.group = group;
    }));
    const symmetric = shapes.flatMap((shape, group) => alignments(shape).filter((turns) => String(shape.map((layer, i) => bitsAfter(layer, turns[i]))) === String(shape))
      .map((turns) => ({ turns, there: group, effects: effects(turned(ordered(shape), turns)) })));
    const symmetries = shapes.map((_, group) => symmetric.filter(({ there }) => there === group));
    const exchanges = shapes.map((shape) => {
      const made = exchanged(ordered(shape)), { shape: there, turns } = standard(shapeOf(made));
      return { there: classes.get(String(there)), effects: effects(turned(made, turns)) };
    });
    const numbers = (state) => {
      const { shape, turns } = standard(shapeOf(state));
      return [classes.get(String(shape)), ...numbered(turned(state, turns)).map(rank)];
    };
    const goals = [solved, exchanged(solved)].flatMap((state) => {
      const [group, corners, edges] = numbers(state);
      return symmetries[group].map(({ effects: [one, other] }) => [group, one[corners], other[edges]]);
    });
    const known = { moves, numbers, goals: new Set(goals.map(String)) };
    known.bounds = ["corners", "edges"].map((kind, i) => distances({ moves, symmetries, exchanges }, kind, i, goals.map((goal) => RANKS * goal[0] + goal[1 + i])));
    return known;
  }

  const places = kinds.map((list) => new Map(list.map((wedge, number) => [wedge, number])));
  /** Return the numbers of the corners, and of the edges, in the order of their places. */
  const numbered = (state) => places.map((numbers) => state.slice(0, WEDGES).filter((wedge) => numbers.has(wedge)).map((wedge) => numbers.get(wedge)));

  function rank(order) {
    let found = 0;
    for (let i = 0; i < order.length; i++) {
      let smaller = 0;
      for (let j = i + 1; j < order.length; j++) if (order[j] < order[i]) smaller++;
      found = found * (order.length - i) + smaller;
    }
    return found;
  }

  function unranked(number) {
    const code = [], left = range(EIGHT);
    for (let base = 1; base <= EIGHT; number = Math.floor(number / base), base++) code.unshift(number % base);
    return code.map((i) => left.splice(i, 1)[0]);
  }

  /** Return the least number of twists for each class and rank of the pieces of a kind; it is that of the exchanged state. */
  function distances({ moves, symmetries, exchanges }, kind, i, starts) {
    const table = new Uint8Array(moves.length * RANKS).fill(UNKNOWN);
    for (const start of starts) table[start] = 0;
    // Of moves that do the same to these pieces, one is enough; tables that are equal are one.
    const lists = moves.map((list) => {
      const different = list.filter((move, at) => at === list.findIndex((other) => other.there === move.there && other[kind] === move[kind]));
      return { theres: different.map(({ there }) => there), bases: Int32Array.from(different, ({ there }) => RANKS * there),
        after: different.map((move) => move[kind]) };
    });
    const images = symmetries.map((list) => list.map(({ effects }) => effects[i]));
    /** Set the entries of a rank of a class and its symmetric ones; return the number of new ones. */
    function setAll(group, number, depth) {
      let reached = 0;
      for (const image of images[group]) {
        const index = RANKS * group + image[number];
        reached += Number(table[index] === UNKNOWN);
        table[index] = depth;
      }
      return reached;
    }
    let left = table.reduce((number, entry) => number + Number(entry === UNKNOWN), 0);
    for (let depth = 0, reached = table.length - left; reached; depth++) {
      const isBackwards = left < FEWER * reached, wanted = isBackwards ? UNKNOWN : depth; // moves can be undone
      reached = 0;
      for (let here = table.indexOf(wanted); here >= 0; here = table.indexOf(wanted, here + 1)) {
        const group = Math.floor(here / RANKS), number = here - RANKS * group, { theres, bases, after } = lists[group];
        for (let move = 0; move < bases.length; move++) {
          const there = after[move][number], found = table[bases[move] + there];
          if (isBackwards && found === depth) {
            table[here] = depth + 1;
            reached++;
            break;
          }
          if (isBackwards || found !== UNKNOWN) continue;
          const other = exchanges[theres[move]];
          reached += setAll(theres[move], there, depth + 1) + setAll(other.there, other.effects[i][there], depth + 1);
        }
      }
      left -= reached;
    }
    return table;
  }

  // -- The search -----------------------------------------------------------------------------------------------------------

  /** Return the turns before each twist, and after the last one, of an alg with these moves: few of them, and small ones. */
  function turnsOf(state, way) {
    const begun = negative(standard(shapeOf(state)).turns), swap = (turns, isSwapped) => (isSwapped ? [...turns].reverse() : turns);
    const size = (turns) => Number(turns.some(Boolean)) * 1000 + turns.reduce((total, turn) => total + Math.min(turn, LAYER - turn), 0);
    let reached = new Map([["", { isSwapped: false, position: begun, cost: 0, turns: [] }]]);
    for (const move of way) {
      const next = new Map();
      for (const { isSwapped, position, cost, turns } of reached.values())
        for (const choice of [0, 1]) {
          const half = [HALF * choice, HALF * choice], amount = sum(sum(half, swap(move.turns, isSwapped)), negative(position));
          const swapped = isSwapped !== Boolean(choice), there = sum(half, swap(negative(move.after), swapped));
          const longer = { isSwapped: swapped, position: there, cost: cost + size(amount), turns: [...turns, amount] };
          const key = `${swapped} ${there}`;
          if (!(next.get(key)?.cost <= longer.cost)) next.set(key, longer);
        }
      reached = next;
    }
    const ends = [...reached.values()].flatMap(({ cost, turns }) => {
      const end = turns.reduce((here, amount, i) => (i ? turned(twisted(here), amount) : turned(here, amount)), state);
      return turnsBetween(way.length ? twisted(end) : end).map((last) => ({ cost: cost + size(last), turns: [...turns, last] }));
    });
    return ends.length ? ends.reduce((best, each) => (each.cost < best.cost ? each : best)).turns : null;
  }

  /** Return the turns that lead from a state to the solved one. */
  function turnsBetween(state) {
    const [tops, bottoms] = layersOf(state).map((layer, i) =>
      range(LAYER).filter((turn) => rotated(layer, turn).every((wedge, place) => wedge === LAYER * i + place)));
    return state[WEDGES] === WEDGES ? tops.flatMap((top) => bottoms.map((bottom) => [top, bottom])) : [];
  }

  const algOf = (turns) => turns.flatMap((each, i) => [...(i ? [TWIST] : []), ...(each.some(Boolean) ? [written(each)] : [])]);

  /** Yield now and then, and call `hear` with each better solution and each better bound. */
  function* search({ moves, bounds: [corners, edges], numbers, goals }, state, seconds, hear) {
    const end = performance.now() + 1000 * seconds, isOdd = Number(state[WEDGES] !== WEDGES), way = [];
    let breathed = performance.now(), nodes = 0, isOver = false, found = null;
    const there = turnsBetween(state);
    if (there.length) return hear(algOf([there[0]]), 0);
    const [group, one, other] = numbers(state);

    function dive(here, a, b, left) {
      if ((++nodes & CHECKED) === 0 && performance.now() > end) return (isOver = true);
      const list = moves[here], last = way.at(-1), twists = way.length + left;
      for (const move of list) {
        if (last && twists > 2 && move === last.back) continue;
        const c = move.corners[a], d = move.edges[b], base = RANKS * move.there;
        if (corners[base + c] > left - 1 || edges[base + d] > left - 1) continue;
        way.push(move);
        if (left > 1 ? dive(move.there, c, d, left - 1) : goals.has(String([move.there, c, d])) && (found = turnsOf(state, way))) return true;
        way.pop();
      }
      return false;
    }

    function* paused(here, a, b, left) {
      if (left <= 1 || way.length === EARLY) {
        const isDone = dive(here, a, b, left);
        if (performance.now() > breathed + PAUSE) {
          yield;
          breathed = performance.now();
        }
        return isDone;
      }
      const list = moves[here], last = way.at(-1), twists = way.length + left;
      for (const move of list) {
        if (last && twists > 2 && move === last.back) continue;
        const c = move.corners[a], d = move.edges[b], base = RANKS * move.there;
        if (corners[base + c] > left - 1 || edges[base + d] > left - 1) continue;
        way.push(move);
        if (yield* paused(move.there, c, d, left - 1)) return true;
        way.pop();
      }
      return false;
    }

    let twists = Math.max(corners[RANKS * group + one], edges[RANKS * group + other], 2 - isOdd);
    twists += (twists + isOdd) % 2;
    yield* paused(group, one, other, ENOUGH + isOdd);
    const any = found && algOf(found);
    for (; !isOver && twists < ENOUGH; twists += 2) {
      hear(any, twists);
      way.length = 0;
      found = null;
      if (!(yield* paused(group, one, other, twists)) || isOver) continue;
      return hear(algOf(found), twists);
    }
  }

  return { solved, apply, split, invert, parse, format, cells, tables, search, randomState, puzzle: { rotations: [] },
    isFree: (move) => move !== TWIST, isSolved: (state) => state.every((wedge, place) => wedge === place) };
};
