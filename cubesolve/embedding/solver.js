/**
 * Make the solver of a puzzle from its description and its arrays.
 *
 * A state is a frozen array: the label on each point of the puzzle. Its rank is `width * placement + arrangement`: the
 * placement is the points of some chosen labels, the arrangement is the state after the moves that lead to the placement
 * are undone. The table has an entry for each rank: the depth, or the depth modulo 3.
 */
function makeSolver(puzzle, bytes) {
  const { orbits, solved, generators, moves, images, changes, labels, starts, illegal, bits, check = require } = puzzle;
  const points = solved.length, seen = puzzle.goal ? solved.map((label) => images[0].labels[label]) : solved;
  const columns = labels.flatMap((label) => pointsOf(seen, label)).length;
  const { placements, width } = puzzle, states = placements * width;
  const inOrder = (state) => String([...state].sort(ascending)), complete = [solved, seen].map(inOrder);
  let end = 0;
  const array = (type, length) => new type(bytes.buffer.slice(end, (end += type.BYTES_PER_ELEMENT * length)));
  const Item = points > 256 ? Uint16Array : Uint8Array;
  const parents = array(Uint32Array, placements);
  const steps = array(Uint16Array, placements);
  const places = array(Item, placements * columns);
  const arrangements = array(Item, width * points);
  const entries = array(Uint8Array, Math.ceil((states * bits) / 8));

  // -- The lookup -----------------------------------------------------------------------------------------------------

  const entry = (rank) => (bits === 8 ? entries[rank] : (entries[rank >> 2] >> (2 * (rank & 3))) & 3);

  /** Return the number of a row of an array whose rows ascend, -1 if it is not there. */
  function find(rows, number, row) {
    let [low, high] = [0, number];
    while (low < high) {
      const middle = (low + high) >> 1, first = middle * row.length;
      let i = 0;
      while (i < row.length && rows[first + i] === row[i]) i++;
      if (i === row.length) return middle;
      if (rows[first + i] < row[i]) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  function rankOf(state) {
    const placement = find(places, placements, labels.flatMap((label) => pointsOf(state, label)));
    if (placement < 0) return -1;
    for (let at = placement; parents[at] !== at; at = parents[at]) state = undone(state, changes[steps[at]]);
    const arrangement = find(arrangements, width, state);
    return arrangement < 0 ? -1 : width * placement + arrangement;
  }

  /** Return the rank of a state, and the numbers of the moves in the order in which they are tried. */
  function located(state) {
    for (const image of images) {
      const seen = moved(state, image.sources);
      const rank = rankOf(image.labels ? seen.map((label) => image.labels[label]) : seen);
      if (rank >= 0) return { rank, order: image.moves };
    }
    return null;
  }

  function require(state) {
    const found = complete.includes(inOrder(state)) ? located(state) : null;
    if (!found) throw new Error(`${puzzle.title}: no moves lead from the solved state to this one`);
    if (bits === 8 && entry(found.rank) === 255) throw new Error(`${puzzle.title}: no moves solve this state`);
    return found;
  }

  /** Yield the moves that begin an optimal solution, each with the state after it; all, or one of those alike by rotation. */
  function* nearer(state, all = false) {
    const { rank, order } = require(state), here = entry(rank);
    for (const number of all ? moves.keys() : order) {
      const move = moves[number], there = after(state, move.cases, 1);
      const found = there && located(there);
      if (found && entry(found.rank) === (bits === 8 ? here - move.cost : (here + 2) % 3)) yield { move, state: there };
    }
  }

  /** Return the moves of the first optimal solution. */
  function descend(state) {
    const found = [];
    for (let step; (step = nearer(state).next().value); state = step.state) found.push(step.move);
    return { moves: found, state };
  }

  function unranked(rank) {
    const [placement, arrangement] = [Math.floor(rank / width), rank % width], way = [];
    for (let at = placement; parents[at] !== at; at = parents[at]) way.unshift(changes[steps[at]]);
    return way.reduce(moved, [...arrangements.subarray(points * arrangement, points * (arrangement + 1))]);
  }

  /** Return a state after a move that is made some times; null if it is not possible. */
  function after(state, cases, times) {
    for (; times > 0; times--) {
      const fitting = cases.find(({ needs }) => needs.every(([point, label]) => state[point] === label));
      if (!fitting) return null;
      state = moved(state, fitting.sources);
    }
    return illegal.some(([point, label]) => state[point] === label) ? null : state;
  }

  // -- Algs -----------------------------------------------------------------------------------------------------------

  const byLength = [...generators.map(({ name }, number) => [name, number]), ...puzzle.aliases]
    .sort(([one], [other]) => other.length - one.length);
  const PRIMES = "['\u2019\u2018\u2032\u00b4`]", AMOUNT = new RegExp(`(\\d{0,6})(${PRIMES}?)(\\d{0,6})`, "y");
  const BLANK = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/|(?<!\S)\.(?!\S))*/y, MOST = 100_000;

  const undo = ([number, amount]) => {
    const { order, inverse } = generators[number];
    return order ? [number, (order - amount) % order] : [inverse, amount];
  };
  const inverted = (list) => list.map(undo).reverse();

  /** Return the steps of an alg: the number of a generator and how often it is made. */
  function read(alg) {
    let at = 0;
    const skip = (pattern) => {
      pattern.lastIndex = at;
      const match = pattern.exec(alg);
      at = pattern.lastIndex;
      return match;
    };
    const fail = (why) => {
      throw new Error(`'${alg.slice(at).split(/\s/)[0] || alg}' (character ${at + 1}) ${why}`);
    };
    function repeated(list, number, prime, more) {
      const times = Number(number || 1) * Number(more || 1);
      if (times * list.length > MOST) fail("exceeds the limit of 100,000 moves");
      return Array(times).fill(prime ? inverted(list) : list).flat();
    }
    function one() {
      const found = byLength.find(([name]) =>
        alg.startsWith(name, at) && !(/\d$/.test(name) && /\d/.test(alg[at + name.length] || "")));
      if (!found) fail(`is not a move: expected ${generators.map(({ name }) => name).join(" ")}`);
      const [name, generator] = found;
      at += name.length;
      const [, number, prime, more] = skip(AMOUNT), { order } = generators[generator];
      if (!order) return repeated([[generator, 1]], number, prime, more);
      const amount = (Number(number || 1) * Number(more || 1)) % order;
      return amount ? [[generator, prime ? order - amount : amount]] : [];
    }
    function group(closing) {
      let list = [], first = null, joint = "";
      for (skip(BLANK); at < alg.length && alg[at] !== closing; skip(BLANK)) {
        const symbol = alg[at];
        if (symbol === "(" || symbol === "[") {
          at++;
          const inner = group(symbol === "(" ? ")" : "]");
          list = list.concat(repeated(inner, ...skip(AMOUNT).slice(1)));
        } else if (closing === "]" && !joint && (symbol === "," || symbol === ":")) {
          [first, list, joint] = [list, [], symbol];
          at++;
        } else if (!closing && at && symbol === "," && !(alg[at + 1] || "").trim()) at++; // between moves
        else if (")],:".includes(symbol)) fail("has no opening bracket before it");
        else list = list.concat(one());
      }
      if (closing && at === alg.length) fail(`: '${closing}' is missing`);
      if (closing === "]" && !joint) fail("must end a group [A, B] or [A: B]");
      at++;
      if (!joint) return list;
      return [...first, ...list, ...inverted(first), ...(joint === "," ? inverted(list) : [])];
    }
    return group("");
  }

  function write(list) {
    return list.map(([number, amount]) => {
      const { name, order } = generators[number], backwards = 2 * amount > order && order > 0;
      const times = backwards ? order - amount : amount;
      return (times > 1 && /\d$/.test(name) ? `(${name})` : name) + (times > 1 ? times : "") + (backwards ? "'" : "");
    }).join(" ");
  }

  function apply(state, alg) {
    for (const step of read(alg)) {
      const there = after(state, generators[step[0]].cases, step[1]);
      if (!there) throw new Error(`'${write([step])}' is not possible here`);
      state = there;
    }
    return Object.freeze([...state]);
  }

  // -- Texts of states ------------------------------------------------------------------------------------------------

  const isFacelets = puzzle.form === "facelets";
  const texts = orbits.map(({ words }) => new Map(Object.entries(words).reverse().map(([word, at]) => [String(at), word])));

  /** Return the words of a text, a list for each orbit. */
  function divided(text) {
    if (isFacelets) {
      const symbols = text.replace(/\s/g, "");
      if (symbols.length !== points) throw new Error(`a ${puzzle.title} has ${points} facelets, not ${symbols.length}`);
      return orbits.map(({ places: all }) => all.map((place) => place.map((point) => symbols[point]).join("")));
    }
    const parts = text.split(";").map((part) => part.replaceAll("/", " ").split(/\s+/).filter(Boolean));
    if (parts.length === 1) {
      const [words] = parts;
      return orbits.map(({ places: all }, i) => words.splice(0, i < orbits.length - 1 ? all.length : words.length));
    }
    if (parts.length !== orbits.length)
      throw new Error(`expected ${orbits.map(({ name }) => name).join(" ; ")}, not ${parts.length} parts`);
    return parts;
  }

  function parse(text) {
    const state = Array(points);
    divided(text).forEach((words, i) => {
      const { name, places: all, homes, words: known } = orbits[i];
      if (words.length !== all.length) throw new Error(`${name} are ${all.length} pieces, not ${words.length}`);
      words.forEach((word, j) => {
        if (!Object.hasOwn(known, word)) throw new Error(`'${word}' at ${homes[j]} is not one of the ${name}`);
        all[j].forEach((point, k) => (state[point] = known[word][k]));
      });
      const labelsOf = (from) => String(all.flat().map((point) => from[point]).sort(ascending));
      if (labelsOf(state) !== labelsOf(solved)) throw new Error(`the ${name} are not those of the solved state`);
    });
    check(state);
    return Object.freeze(state);
  }

  function format(state) {
    const words = orbits.map(({ places: all }, i) => all.map((place) => texts[i].get(String(moved(state, place)))));
    if (!isFacelets) return words.map((each) => each.join(" ")).join(" ; ");
    const symbols = Array(points);
    orbits.forEach(({ places: all }, i) => all.forEach((place, j) => place.forEach((point, k) => (symbols[point] = words[i][j][k]))));
    return symbols.join("");
  }

  // -- Questions ------------------------------------------------------------------------------------------------------

  /** Return whether a state is at a depth; for null, whether it has a solution. */
  function isAt(rank, depth) {
    if (bits === 8) return depth === null ? entry(rank) !== 255 : entry(rank) === depth;
    return depth === null || (entry(rank) === depth % 3 && descend(unranked(rank)).moves.length === depth);
  }

  /** Return the rank of a random state, perhaps at some depth; `rare` has all ranks where few states are at a depth. */
  function drawnRank(random, depth) {
    if (depth !== null && !puzzle.distribution[depth]) throw new Error(`no state has depth ${depth}`);
    const few = puzzle.rare?.[depth];
    if (few) return few[Math.floor(random() * few.length)];
    for (;;) {
      const rank = Math.floor(random() * states);
      if (isAt(rank, depth)) return rank;
    }
  }

  /** Return a random state, perhaps at some depth; only its labels that a goal distinguishes. */
  const drawn = (random, depth) => unranked(drawnRank(random, depth));

  function requireWhole() {
    if (puzzle.goal) throw new Error(`${puzzle.title}: a goal has no random states; draw them from the whole puzzle`);
  }

  /** Return an alg to a state: the inverse of an optimal solution. Then the state is held as the rotation `turn` does. */
  function setup(state) {
    const end = descend(state).state;
    // The solution may end in another orientation: turned by as much, the state has one that ends in the solved state.
    const turn = images.find(({ sources }) => String(moved(solved, sources)) === String(end))?.sources;
    const { moves: way, state: last } = descend(turn ? undone(state, turn) : state);
    const [, words] = starts.find(([start]) => start === located(last).rank);
    return { alg: [words, ...way.map(({ inverse }) => inverse).reverse()].filter(Boolean).join(" "), turn };
  }

  return {
    puzzle: { name: puzzle.name, title: puzzle.title, metric: puzzle.metric, unit: puzzle.unit, states,
      distribution: puzzle.distribution, moves: moves.map(({ name }) => name),
      rotations: generators.filter(({ rotates }) => rotates).map(({ name }) => name) },
    solved: Object.freeze([...solved]),
    parse,
    format,
    apply,
    invert: (alg) => write(inverted(read(alg))),
    split: (alg) => read(alg).map((step) => write([step])),
    isSolved: (state) => starts.some(([start]) => start === require(state).rank),
    depth(state) {
      const { rank } = require(state);
      return bits === 8 ? entry(rank) : descend(state).moves.length;
    },
    solve: (state) => descend(state).moves.map(({ name }) => name).join(" "),
    optimalMoves: (state, all) => Array.from(nearer(state, all), ({ move }) => move.name),
    setup,
    drawn,
    scramble(random = secureRandom, depth = null) {
      requireWhole();
      return setup(drawn(random, depth)).alg;
    },
    randomState(random = secureRandom) {
      requireWhole();
      return apply(solved, setup(drawn(random, null)).alg);
    },
  };

  // -- Permutations ---------------------------------------------------------------------------------------------------

  function ascending(a, b) {
    return a - b;
  }

  function pointsOf(state, label) {
    const found = [];
    for (let point = 0; point < state.length; point++) if (state[point] === label) found.push(point);
    return found;
  }

  function moved(state, sources) {
    return sources.map((point) => state[point]);
  }

  function undone(state, sources) {
    const before = Array(state.length);
    sources.forEach((point, i) => (before[point] = state[i]));
    return before;
  }
}

/** Return a random number from 0 up to 1, not included, with 53 random bits. */
function secureRandom() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/** Return the bytes of a text in base64 of data compressed by zlib. */
async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (symbol) => symbol.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
