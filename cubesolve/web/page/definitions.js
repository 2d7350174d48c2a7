// Puzzles from definition files, in a worker: reads tws, KPuzzle, cycles and graphs of CayleyPy, and enumerates all states.
"use strict";
cubesolve.definitions = function definitions(makeSolver, mostStates = 1 << 22, hear = () => {}) {
  const MOST_BYTES = 1 << 28; // of the labels of all states
  const OFTEN = 50_000; // states between two reports
  const FEW = 2000; // states at a depth, which are not found by drawing until one is there
  const MOST_TEXT = 1 << 22, MOST_POINTS = 1 << 14, MOST_NAMED = 640, MOST_TURNS = 4096, MOST_WORK = 1 << 22;
  const LONGEST_NAME = 200, LONGEST_ALG = 10_000, MOST_HELD = 1000, MOST_TRIED = 400; // characters, orientations
  const ROTATION = /^([A-Z_]+v|[xyz][2']?)$/, PRIMES = "'\u2019\u2018\u2032\u00b4`";
  const NAME = new RegExp(`^(?!//|/\\*|\\.$)[^\\s()[\\],:${PRIMES}][^\\s()[\\],:]*$`);

  const fail = (where, reason) => {
    throw Object.assign(new Error(where ? `${where}: ${reason}` : reason), { where });
  };
  const range = (length, value = (i) => i) => Array.from({ length }, (_, i) => value(i));
  const after = (state, sources) => sources.map((point) => state[point]);
  const isSame = (one, other) => one.every((value, i) => value === other[i]);
  const inverse = (sources) => sources.reduce((back, from, to) => Object.assign(back, { [from]: to }), Array(sources.length));
  const twice = (values) => values.findIndex((value, i) => values.indexOf(value) < i);

  /** Return a power of a permutation, by its cycles. */
  function power(sources, amount) {
    const made = Array(sources.length);
    for (const start of sources.keys()) {
      const cycle = [];
      for (let at = start; made[at] === undefined && (!cycle.length || at !== start); at = sources[at]) cycle.push(at);
      const shift = ((amount % cycle.length) + cycle.length) % cycle.length;
      cycle.forEach((point, i) => (made[point] = cycle[(i + shift) % cycle.length]));
    }
    return made;
  }

  /** Return the number of times after which a permutation is the identity. */
  function orderOf(sources) {
    const seen = new Set();
    let order = 1;
    sources.forEach((_, start) => {
      let length = 0;
      for (let at = start; !seen.has(at); at = sources[at], length++) seen.add(at);
      let [a, b] = [order, length || 1];
      while (b) [a, b] = [b, a % b];
      order *= (length || 1) / a;
    });
    return order;
  }

  // -- Parts of a puzzle ----------------------------------------------------------------------------------------------

  function named(name, what, where) {
    if (typeof name !== "string" || !name || name.length > LONGEST_NAME || /\p{C}/u.test(name))
      fail(where, `'${name}' is not a valid name of ${what}: expected 1 to ${LONGEST_NAME} printable characters`);
    return name;
  }

  /** Return a puzzle without pieces and moves, to which both are added. */
  function parts() {
    const orbits = [], generators = [];
    let points = 0;

    function addOrbit(name, pieces, orientations, where) {
      named(name, "pieces", where);
      if (orbits.some((orbit) => orbit.name === name)) fail(where, `${name} is defined twice`);
      orbits.push({ name, pieces, orientations, first: points, counted: 1 });
      points += pieces * orientations;
      if (points > MOST_POINTS)
        fail(where, `there are too many pieces: at most ${MOST_POINTS}, each counted for each orientation`);
    }

    /** Return the labels on the points of an orbit; orientations are distinguished by moduli (0: in full). */
    function arranged({ first, orientations }, pieces, turned, moduli) {
      return pieces.flatMap((piece, i) => range(orientations, (point) =>
        first + piece * orientations + ((point - turned[i] + orientations) % orientations) % (moduli[i] || orientations)));
    }

    /** Add a move, or a rotation, which its name shows; the function returns its sources, and may need other moves. */
    function addMove(name, where, find) {
      named(name, "a move", where);
      if (!NAME.test(name))
        fail(where, `'${name}' is not a valid name of a move: no white space, brackets, commas, colons; no ' first`);
      if (generators.some((each) => each.name === name)) fail(where, `${name} is defined twice`);
      if (generators.length === MOST_NAMED) fail(where, `there are too many moves: at most ${MOST_NAMED}`);
      let found = null, isSought = false;
      generators.push({ name, where, inverse: -1, rotates: ROTATION.test(name),
        get sources() {
          if (isSought) fail(where, `${name} is defined by itself`);
          isSought = true;
          found ||= find();
          isSought = false;
          return found;
        },
        get order() {
          return orderOf(this.sources);
        },
        get cases() {
          return [{ sources: this.sources, needs: [] }];
        } });
    }

    /** Return a reader of algs over all moves: their sources. */
    function reader() {
      const solver = makeSolver({ ...EMPTY, solved: range(points), generators }, new Uint8Array(6));
      return (alg, where) => {
        if (alg.length > LONGEST_ALG) fail(where, `the alg is too long: at most ${LONGEST_ALG} characters`);
        try {
          const steps = solver.split(alg);
          if (steps.length * points > MOST_WORK) fail("", "the alg has too many moves");
          return { steps, sources: [...solver.apply(range(points), alg)] };
        } catch (error) {
          if (error.where) throw error; // of another move
          return fail(where, error.message);
        }
      };
    }

    /** Return the puzzle with this solved state. */
    function whole(name, solved, illegal = []) {
      const same = range(points);
      for (const { name: move, where, sources } of generators) if (isSame(sources, same)) fail(where, `${move} does nothing`);
      const moves = generators.filter(({ rotates }) => !rotates);
      if (!moves.length)
        fail("", `there is no move${generators.length ? `, and ${generators[0].name} is a rotation, as the name says` : ""}`);
      const turns = moves.reduce((sum, { order }) => sum + order - 1, 0);
      if (turns > Math.min(MOST_TURNS, MOST_WORK / points)) fail("", "there are too many moves with their powers");
      for (const one of generators)
        for (const other of generators) {
          const written = other.name.startsWith(one.name) && other.name.slice(one.name.length);
          const match = written && new RegExp(`^(\\d{0,6})([${PRIMES}]?)(\\d{0,6})$`).exec(written);
          if (!match || (/\d$/.test(one.name) && match[1])) continue;
          const times = (match[1] || 1) * (match[3] || 1) * (match[2] ? -1 : 1);
          if (!isSame(other.sources, power(one.sources, times)))
            fail(other.where, `${other.name} is not the power of ${one.name} that its name says`);
        }
      return { name, orbits, generators, solved, illegal, points };
    }

    return { orbits, generators, addOrbit, arranged, addMove, reader, whole };
  }

  const EMPTY = { name: "", title: "", metric: "htm", unit: "moves", goal: false, form: "pieces", orbits: [], illegal: [],
    moves: [], images: [], changes: [], labels: [], starts: [], distribution: [], bits: 2, placements: 1, width: 0 };

  /** Return the index of the first piece that looks like an earlier one but has another modulus. */
  const unlike = (pieces, moduli) => pieces.findIndex((piece, i) => moduli[pieces.indexOf(piece)] !== moduli[i]);

  // -- tws ------------------------------------------------------------------------------------------------------------

  function readTws(text, file) {
    const lines = text.split(/\r\n|\r|\n/).map((line, i) => ({ where: `line ${i + 1}`, words: line.trim().split(/\s+/) }))
      .filter(({ words: [word] }) => word && !word.startsWith("#"));
    const all = parts(), { orbits } = all, algs = [], illegal = [], blocks = [];
    let at = 0, name = "", solved = null;

    const number = (word, first, last, where, what) => (/^\d{1,9}$/.test(word) && first <= word && word <= last ? Number(word)
      : fail(where, `'${word}' is not ${what}: expected a number from ${first} to ${last}`));
    const expect = ({ where, words }, length, form, orMore = false) => words.length === length
      || (orMore && words.length > length) || fail(where, `expected ${words[0]} ${form}`);
    const setNamed = (word, where) => orbits.find((orbit) => orbit.name === word) || fail(where, `there is no set '${word}'`);
    const isNumber = (word) => /^[0-9?]/.test(word);

    /** Return the lines of numbers about each set, until End. */
    function block(opening) {
      if (!orbits.length) fail(opening.where, `there is no Set before ${opening.words[0]}`);
      const found = new Map();
      for (let rows = null; at < lines.length; ) {
        const line = lines[at++], { where, words } = line, [word] = words;
        if (rows && !rows.length && !isNumber(word)) fail(where, `expected the numbers of ${[...found.keys()].pop()}`);
        if (word === "End" && words.length === 1) return found;
        if (isNumber(word)) {
          if (!rows || rows.length === 2) fail(where, "expected the name of a set, or End");
          rows.push(line);
        } else {
          if (Object.hasOwn(COMMANDS, word))
            fail(where, `expected End before it, for ${opening.words[0]} in ${opening.where}`);
          setNamed(word, where);
          if (found.has(word)) fail(where, `${word} occurs twice`);
          expect(line, 1, "alone");
          found.set(word, (rows = []));
        }
      }
      return fail(opening.where, "has no End");
    }

    function numbers({ where, words }, orbit, first, different, what) {
      if (words.length !== orbit.pieces)
        fail(where, `${orbit.name} has ${orbit.pieces} pieces, and the line has ${words.length} numbers`);
      return words.map((word) => number(word, first, first + different - 1, where, what) - first);
    }

    function stateOf(orbit, [row, turns], first) {
      const nothing = range(orbit.pieces, () => 0);
      if (!row) return { pieces: range(orbit.pieces), turned: nothing, moduli: nothing };
      const pieces = numbers(row, orbit, first, orbit.pieces, "a piece");
      if (!turns) return { pieces, turned: nothing, moduli: nothing };
      const moduli = turns.words.map((word) => Number(word === "?" && orbit.orientations > 1));
      const known = { ...turns, words: turns.words.map((word) => (word === "?" ? "0" : word)) };
      const turned = numbers(known, orbit, 0, orbit.orientations, "an orientation"), odd = unlike(pieces, moduli);
      if (odd >= 0)
        fail(turns.where, `the orientation of piece ${pieces[odd] + first} matters in one place and not in another`);
      return { pieces, turned, moduli };
    }

    function changeOf(orbit, [row, turns], byPiece) {
      const nothing = range(orbit.pieces, () => 0), first = Number(byPiece);
      if (!row) return all.arranged(orbit, range(orbit.pieces), nothing, nothing);
      const origins = numbers(row, orbit, first, orbit.pieces, "a place"), again = twice(origins);
      if (again >= 0) fail(row.where, `place ${origins[again] + first} occurs twice`);
      const turned = turns ? numbers(turns, orbit, 0, orbit.orientations, "an orientation") : nothing;
      return all.arranged(orbit, origins, byPiece ? after(turned, origins) : turned, nothing);
    }

    function addSolved(line) {
      expect(line, 1, "alone");
      if (solved) fail(line.where, `there is a second ${line.words[0]}`);
      const rows = block(line);
      solved = orbits.map((orbit) => stateOf(orbit, rows.get(orbit.name) || [], line.words[0] === "Solved" ? 1 : 0));
    }

    function addMove(line) {
      expect(line, 2, "and its name");
      const rows = block(line);
      const sources = orbits.flatMap((orbit) => changeOf(orbit, rows.get(orbit.name) || [], line.words[0] === "Move"));
      all.addMove(line.words[1], line.where, () => sources);
    }

    /** Return the first point of a piece, counted from 1, when it is solved. */
    function homeOf(set, piece, where) {
      const orbit = setNamed(set, where), { pieces } = solved[orbits.indexOf(orbit)];
      const places = range(orbit.pieces).filter((place) => pieces[place] === piece - 1);
      if (places.length !== 1) fail(where, `there are ${places.length} pieces ${piece} in ${set} when it is solved`);
      return orbit.first + places[0] * orbit.orientations;
    }

    const COMMANDS = {
      Name(line) {
        expect(line, 2, "and the puzzle's name", true);
        if (name) fail(line.where, "there is a second Name");
        name = named(line.words.slice(1).join(" "), "a puzzle", line.where);
      },
      Set(line) {
        expect(line, 4, "and its name, how many pieces, and how many orientations");
        const [, set, ...sizes] = line.words, { where } = line;
        if (solved || all.generators.length || illegal.length) fail(where, "Set must precede the lines about sets");
        if (Object.hasOwn(COMMANDS, set) || set === "End" || isNumber(set))
          fail(where, `'${set}' is not a valid name of a set: expected neither a keyword nor a number`);
        all.addOrbit(set, ...sizes.map((word) => number(word, 1, MOST_POINTS, where, "a count")), where);
      },
      Solved: addSolved,
      StartState: addSolved,
      Move: addMove,
      MoveTransformation: addMove,
      MoveAlias(line) {
        expect(line, 3, "and a name, and a move");
        algs.push(line);
      },
      MoveSequence(line) {
        expect(line, 2, "and an alg", true);
        algs.push(line);
      },
      Illegal(line) {
        expect(line, 4, "and a set, a place, and pieces", true);
        const [, set, place, ...pieces] = line.words, { where } = line, orbit = setNamed(set, where);
        const home = number(place, 1, orbit.pieces, where, "a place") - 1;
        for (const word of pieces)
          illegal.push({ orbit, home, piece: number(word, 1, orbit.pieces, where, "a piece") - 1, where });
      },
      Block(line) {
        expect(line, 1, "alone");
        const pieces = [...block(line)].flatMap(([set, rows]) => rows.flatMap(({ where, words }) =>
          words.map((word) => [set, number(word, 1, setNamed(set, where).pieces, where, "a piece")])));
        if (new Set(pieces.map(String)).size < 2)
          fail(line.where, "expected sets, each with the numbers of its pieces: at least two in all");
        blocks.push({ where: line.where, pieces });
      },
    };

    while (at < lines.length) {
      const line = lines[at++], [word] = line.words;
      if (!Object.hasOwn(COMMANDS, word))
        fail(line.where, `'${word}' is not understood: expected ${Object.keys(COMMANDS).join(", ")}`);
      COMMANDS[word](line);
    }
    if (!solved) fail("", `there is no ${orbits.length ? "Solved" : "Set"}`);
    const first = all.reader(), checked = [];
    const beginsAnAlg = (word) => {
      try {
        return /^[([]/.test(word) || first(word, "").steps.length === 1;
      } catch {
        return false;
      }
    };
    const isChecked = algs.map(({ words }) => words[0] === "MoveSequence" && beginsAnAlg(words[1]));
    algs.forEach((line, i) => {
      const { where, words: [, move, ...alg] } = line;
      if (isChecked[i]) checked.push(line);
      else {
        expect(line, 3, "and an alg, or a name and an alg: this is no move", true);
        all.addMove(move, where, () => all.reader()(alg.join(" "), where).sources);
      }
    });
    let puzzle = all.whole(name || file, orbits.flatMap((orbit, i) => {
      const { pieces, turned, moduli } = solved[i];
      return all.arranged(orbit, pieces, turned, moduli);
    }), illegal.flatMap(({ orbit, home, piece, where }) => {
      const { pieces, moduli } = solved[orbits.indexOf(orbit)];
      if (!pieces.includes(piece)) fail(where, `there is no piece ${piece + 1} in ${orbit.name} when it is solved`);
      if (pieces[home] === piece) fail(where, `piece ${piece + 1} is in place ${home + 1} of ${orbit.name} when it is solved`);
      const labels = all.arranged(orbit, [piece], [0], [moduli[pieces.indexOf(piece)]]);
      return [...new Set(labels)].map((label) => [orbit.first + home * orbit.orientations, label]);
    }));
    for (const { where, words } of checked) all.reader()(words.slice(1).join(" "), where);
    blocks.forEach(({ where, pieces }, i) => {
      const points = pieces.map(([set, piece]) => homeOf(set, piece, where));
      try {
        puzzle = glued(puzzle, points, `BLOCK ${i + 1}`);
      } catch (error) {
        fail(where, `invalid block: ${error.message}`);
      }
    });
    return puzzle;
  }

  /**
   * Return a puzzle in which some pieces, given by a point of each, stay together: a move turns all of them, or none. One
   * more orbit has the positions of the block as places, and those where it would be torn, where the piece is illegal.
   */
  function glued({ orbits, generators, solved, illegal, points, ...puzzle }, block, name) {
    const most = MOST_POINTS - points, forwards = (kind) => generators.filter(kind).map(({ sources }) => inverse(sources));
    const moves = forwards(({ rotates }) => !rotates), turns = forwards(({ rotates }) => rotates);
    const there = (position, forward) => position.map((point) => forward[point]);
    const isWhole = (position, forward) => new Set(position.map((point) => forward[point] === point)).size === 1;

    /** Return the positions that changes lead to, by their texts; moves turn all pieces or none. */
    function reached(starts, changes, number) {
      const found = new Map();
      const add = (position) => found.set(String(position), position).size > number
        && fail("", `it has more than ${number.toLocaleString("en")} positions`);
      starts.forEach(add);
      for (const position of found.values()) {
        for (const forward of changes) if (isWhole(position, forward)) add(there(position, forward));
        for (const forward of turns) add(there(position, forward));
      }
      return found;
    }

    /** Return a position, and those after a move and its powers. */
    function cycle(position, forward) {
      const found = [position];
      for (let next = there(position, forward); !isSame(next, position); next = there(next, forward)) found.push(next);
      return found;
    }

    const whole = reached([block], moves, most);
    const partial = [...whole.values()].flatMap((position) =>
      moves.flatMap((forward) => (isWhole(position, forward) ? [] : cycle(position, forward).slice(1))));
    const torn = reached(partial, [], most - whole.size);
    if ([...torn.keys()].some((position) => whole.has(position)))
      fail("", "turning a part of it can lead to where the whole of it is turned");
    const positions = [...whole.values(), ...torn.values()];
    const numbers = new Map(positions.map((position, number) => [String(position), number]));
    const numberOf = (position) => numbers.get(String(position));

    function extended(sources) {
      const forward = inverse(sources), isKept = (position) => numberOf(position) !== undefined; // others do not matter
      const after = positions.map((position) =>
        numberOf(cycle(position, forward).every(isKept) ? there(position, forward) : position));
      return [...sources, ...inverse(after).map((source) => points + source)];
    }

    return { ...puzzle, points: points + positions.length,
      orbits: [...orbits, { name, pieces: positions.length, orientations: 1, first: points }],
      solved: [...solved, ...positions.map((_, number) => points + Number(number > 0))],
      illegal: [...illegal, ...[...torn.values()].map((position) => [points + numberOf(position), points])],
      generators: generators.map((each) => {
        const sources = extended(each.sources);
        return { ...each, sources, order: orderOf(sources), cases: [{ sources, needs: [] }] };
      }) };
  }

  // -- Permutations in cycles -----------------------------------------------------------------------------------------

  function readCycles(text, file) {
    const TOKEN = /\s+|#[^\n]*|([A-Za-z_]\w*)\s*:=|([A-Za-z_]\w*)|(\d+)|([[\](),;*^-])/y;
    const KINDS = ["assigned", "name", "number", "symbol"];
    const GROUPS = ["Group", "GroupWithGenerators", "GroupByGenerators"], MONOIDS = ["Monoid", "Semigroup"];
    const tokens = [];
    let line = 1, at = 0, points = 0, work = 0;
    for (let position = 0; position < text.length; position = TOKEN.lastIndex) {
      TOKEN.lastIndex = position;
      const where = `line ${line}`, match = TOKEN.exec(text) || fail(where, `'${text[position]}' is not understood`);
      KINDS.forEach((kind, i) => match[i + 1] && tokens.push({ kind, text: match[i + 1], where }));
      line += match[0].split("\n").length - 1;
    }
    const end = { kind: "end", text: "", where: `line ${line}` }, next = () => tokens[at] || end;
    const shown = () => (next().text ? `'${next().text}'` : "the end");
    const take = (symbol) => next().kind === "symbol" && next().text === symbol && Boolean(++at);
    const expect = (symbol) => take(symbol) || fail(next().where, `expected ${symbol} before ${shown()}`);
    const named = new Map(), lists = new Map(), listed = [], groups = [], single = [];

    function number(first, last, what) {
      const { kind, text: word, where } = next();
      if (kind !== "number") fail(where, `expected ${what}, not ${shown()}`);
      at++;
      return first <= word && word <= last ? Number(word)
        : fail(where, `'${word}' is not ${what}: expected a number from ${first} to ${last}`);
    }

    function counted(name, sources, where) {
      work += sources.length + 1;
      return work > MOST_WORK ? fail(where, "there are too many permutations") : { name, sources, where };
    }

    const padded = (sources, length) => [...sources, ...range(length).slice(sources.length)];

    function cycles() {
      const goes = new Map();
      while (take("(")) {
        const cycle = [];
        while (!take(")")) {
          if (cycle.length) expect(",");
          const { where } = next(), point = number(1, MOST_POINTS, "a point") - 1;
          if (goes.has(point)) fail(where, `point ${point + 1} is in the permutation twice`);
          goes.set(point, point);
          cycle.push(point);
        }
        cycle.forEach((point, i) => goes.set(point, cycle[(i + 1) % cycle.length]));
      }
      const sources = range([...goes.keys()].reduce((most, point) => Math.max(most, point + 1), 0));
      points = Math.max(points, sources.length);
      for (const [from, to] of goes) sources[to] = from;
      return sources;
    }

    function factor() {
      const { kind, text: word, where } = next();
      if (word !== "(" && kind !== "name") fail(where, `expected a permutation, not ${shown()}`);
      if (kind === "name" && !named.has(word)) fail(where, `there is no permutation '${word}' before this`);
      if (kind === "name") at++;
      const base = kind === "name" ? { ...named.get(word), where } : counted("", cycles(), where);
      if (!take("^")) return base;
      const sign = take("-") ? -1 : 1;
      return counted("", power(base.sources, sign * number(0, 999_999_999, "an exponent")), where);
    }

    function product() {
      let made = factor();
      while (take("*")) {
        const other = factor(), length = Math.max(made.sources.length, other.sources.length);
        made = counted("", after(padded(made.sources, length), padded(other.sources, length)), made.where);
      }
      return made;
    }

    function members(closing) {
      const found = [product()];
      while (!take(closing)) found.push(expect(",") && product());
      return found;
    }

    function group() {
      const isBracket = take("["), list = !isBracket && lists.get(next().text);
      if (list) at++;
      const found = list || members(isBracket ? "]" : ")");
      if (isBracket || list) expect(")");
      return found;
    }

    function statement() {
      const { kind, text: word, where } = next(), name = kind === "assigned" ? word : "";
      if (name) at++;
      if (name && (named.has(name) || lists.has(name))) fail(where, `'${name}' is defined twice`);
      if (name === "ip") fail(where, "points that look alike are not supported on this page");
      if (MONOIDS.includes(next().text)) fail(where, "moves without inverses are not supported on this page");
      if (take("[")) {
        lists.set(name || where, members("]"));
        listed.push([where, lists.get(name || where)]);
      } else if (GROUPS.includes(next().text)) {
        at++;
        expect("(");
        groups.push([where, group()]);
      } else if (name) named.set(name, { ...product(), name, where });
      else do single.push(product()); while (take(","));
    }

    while (next() !== end) if (!take(";")) {
      statement();
      if (next() !== end) expect(";");
    }
    for (const [found, what] of [[groups, "Group"], [listed, "list"]])
      if (found.length > 1) fail(found[1][0], `there is a second ${what}: which are the moves?`);
    const [[, chosen] = []] = groups.length ? groups : listed;
    if (chosen && single.length)
      fail(single[0].where, `a permutation without a name is not in the ${groups.length ? "Group" : "list"}`);
    let moves = chosen || [...named.values(), ...single], letters = 0;
    if (!moves.length) fail("", "there is no permutation");
    const free = () => {
      for (;;) {
        let name = "";
        for (let i = letters++; i >= 0; i = Math.floor(i / 26) - 1) name = String.fromCharCode(65 + (i % 26)) + name;
        if (!named.has(name)) return name;
      }
    };
    moves = moves.map((move) => ({ ...move, name: move.name || free() }));
    while (moves.every(({ name }) => /^M_./.test(name))) moves = moves.map((move) => ({ ...move, name: move.name.slice(2) }));
    const all = parts();
    if (!points) fail(moves[0].where, "the permutations have no points");
    all.addOrbit("POINTS", points, 1, moves[0].where);
    for (const { name, sources, where } of moves) all.addMove(name, where, () => padded(sources, points));
    return all.whole(file, range(points));
  }

  // -- JSON -----------------------------------------------------------------------------------------------------------

  const at = (where, key) => (where ? `${where}.${key}` : key);
  const shown = (value) => (typeof value === "string" ? `'${value}'` : typeof value === "object" && value ? "an object or a list"
    : String(value));

  const KINDS = { object: "an object", list: "a list", string: "a text" };

  /** Return a value, which must be of a kind. */
  function of(value, kind, where) {
    const type = Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
    return type === kind ? value : fail(where, `is ${shown(value)}, not ${KINDS[kind]}`);
  }

  /** Return an object with known keys only; some keys have older names. */
  function fields(value, where, needed, optional = [], older = {}) {
    const found = new Map(Object.entries(of(value, "object", where)));
    for (const [key, before] of Object.entries(older))
      if (found.has(before)) {
        if (found.has(key)) fail(at(where, before), `duplicates ${key}`);
        found.set(key, found.get(before)).delete(before);
      }
    for (const key of found.keys())
      if (![...needed, ...optional].includes(key))
        fail(at(where, key), `is not understood: expected ${[...needed, ...optional].join(", ")}`);
    for (const key of needed) if (!found.has(key)) fail(at(where, key), "is missing");
    return found;
  }

  const whole = (value, where, first, last) => (Number.isInteger(value) && first <= value && value <= last ? value
    : fail(where, `is ${shown(value)}: expected a number from ${first} to ${last}`));

  function numbersOf(value, where, length, different, first = 0) {
    of(value, "list", where);
    if (value.length !== length) fail(where, `has ${value.length} numbers, and there are ${length} pieces`);
    return value.map((each, i) => whole(each, `${where}[${i}]`, first, different - 1));
  }

  function permutation(value, where, length) {
    const sources = numbersOf(value, where, length, length), again = twice(sources);
    return again < 0 ? sources : fail(`${where}[${again}]`, `place ${sources[again]} occurs twice`);
  }

  function readJson(text, file) {
    let data;
    try {
      data = JSON.parse(text);
    } catch (error) {
      fail("", `is not JSON: ${error.message}`);
    }
    of(data, "object", "");
    return Object.hasOwn(data, "central_state") || Object.hasOwn(data, "generators") ? readGraph(data, file)
      : readKPuzzle(data, file);
  }

  function readKPuzzle(data, file) {
    const all = parts(), { orbits } = all;
    const top = fields(data, "", ["orbits", "defaultPattern", "moves"],
      ["name", "derivedMoves", "orbitOrdering", "$schema", "experimentalPuzzleDescription"],
      { defaultPattern: "startStateData", derivedMoves: "experimentalDerivedMoves" });
    const name = top.has("name") ? named(of(top.get("name"), "string", "name"), "a puzzle", "name") : file;
    const sizes = ["numPieces", "numOrientations"];
    const given = (Array.isArray(top.get("orbits"))
      ? top.get("orbits").map((orbit, i) => [`orbits[${i}]`, fields(orbit, `orbits[${i}]`, ["orbitName", ...sizes])])
      : [...fields(top.get("orbits"), "orbits", [], Object.keys(of(top.get("orbits"), "object", "orbits")))]
        .map(([key, orbit]) => [`orbits.${key}`, fields(orbit, `orbits.${key}`, sizes).set("orbitName", key)])
    ).map(([where, orbit]) => [of(orbit.get("orbitName"), "string", where),
      ...sizes.map((size) => whole(orbit.get(size), `${where}.${size}`, 1, MOST_POINTS)), where]);
    if (!given.length) fail("orbits", "is empty");
    const order = top.has("orbitOrdering") ? of(top.get("orbitOrdering"), "list", "orbitOrdering") : null;
    if (order && String([...order].sort()) !== String(given.map(([each]) => each).sort()))
      fail("orbitOrdering", "has other names than orbits");
    if (order) given.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
    for (const orbit of given) all.addOrbit(...orbit);

    const names = orbits.map((orbit) => orbit.name), pattern = fields(top.get("defaultPattern"), "defaultPattern", names);
    const solved = orbits.flatMap((orbit) => {
      const where = `defaultPattern.${orbit.name}`, { pieces: count, orientations } = orbit;
      const found = fields(pattern.get(orbit.name), where, ["pieces", "orientation"], ["orientationMod"]);
      const pieces = numbersOf(found.get("pieces"), `${where}.pieces`, count, count);
      const turned = numbersOf(found.get("orientation"), `${where}.orientation`, count, orientations);
      const moduli = numbersOf(found.get("orientationMod") ?? range(count, () => 0), `${where}.orientationMod`, count,
        orientations + 1);
      const wrong = moduli.findIndex((modulus) => modulus && orientations % modulus);
      if (wrong >= 0)
        fail(`${where}.orientationMod[${wrong}]`, `${moduli[wrong]} does not divide the ${orientations} orientations`);
      const odd = unlike(pieces, moduli.map((modulus) => modulus % orientations));
      if (odd >= 0) fail(`${where}.orientationMod[${odd}]`, `another piece ${pieces[odd]} has another orientationMod`);
      return all.arranged(orbit, pieces, turned, moduli);
    });
    const moves = of(top.get("moves"), "object", "moves"), algs = of(top.get("derivedMoves") ?? {}, "object", "derivedMoves");
    for (const [move, change] of Object.entries(moves)) {
      const where = `moves.${move}`, changes = new Map(Object.entries(of(change, "object", where)));
      const sources = orbits.flatMap((orbit) => {
        const nothing = range(orbit.pieces, () => 0), here = `${where}.${orbit.name}`;
        if (!changes.has(orbit.name)) return all.arranged(orbit, range(orbit.pieces), nothing, nothing);
        const found = fields(changes.get(orbit.name), here, ["permutation", "orientationDelta"], [],
          { orientationDelta: "orientation" });
        return all.arranged(orbit, permutation(found.get("permutation"), `${here}.permutation`, orbit.pieces),
          numbersOf(found.get("orientationDelta"), `${here}.orientationDelta`, orbit.pieces, orbit.orientations,
            1 - orbit.orientations).map((delta) => (delta + orbit.orientations) % orbit.orientations), nothing);
      });
      all.addMove(move, where, () => sources);
    }
    for (const [move, alg] of Object.entries(algs)) {
      const where = `derivedMoves.${move}`;
      if (of(alg, "string", where) === "_" && Object.hasOwn(moves, move)) continue; // defined above
      all.addMove(move, where, () => all.reader()(alg, where).sources);
    }
    return all.whole(name, solved);
  }

  function readGraph(data, file) {
    const top = fields(data, "", ["central_state", "generators"], ["name"]), all = parts();
    const size = of(top.get("central_state"), "list", "central_state").length;
    if (!size) fail("central_state", "is empty");
    all.addOrbit("POINTS", size, 1, "central_state");
    for (const [move, sources] of Object.entries(of(top.get("generators"), "object", "generators"))) {
      const where = `generators.${move}`, found = permutation(sources, where, size);
      if (!isSame(found, range(size))) all.addMove(move, where, () => found);
    }
    all.orbits[0].counted = 0; // as its labels are
    // All are moves, whatever their names; with their inverses among them, they are the only ones.
    for (const each of all.generators) Object.assign(each, { rotates: false, isMove: true });
    return all.whole(top.has("name") ? named(of(top.get("name"), "string", "name"), "a puzzle", "name") : file,
      numbersOf(top.get("central_state"), "central_state", size, size));
  }

  const FORMATS = [
    { suffixes: /^\.json$/i, begins: /^\{/, parse: readJson },
    { suffixes: /^\.(gap|g)$/i, begins: /^(\w+\s*:=|[([]|Group)/, parse: readCycles },
    { suffixes: /^\.(tws|ksolve)$/i, begins: /^(Name|Set)\s/, parse: readTws },
  ];

  /** Return the puzzle of a file. */
  function read(text, file) {
    const [, stem, suffix] = /^(.+?)(\.[^.]*)?$/.exec(file) || ["", "puzzle", ""];
    if (text.length > MOST_TEXT) fail(file, `is too large: at most ${MOST_TEXT} bytes`);
    const content = text.replace(/^\s*(#.*\s*)*/, "");
    const format = FORMATS.find(({ suffixes }) => suffixes.test(suffix)) || FORMATS.find(({ begins }) => begins.test(content))
      || fail(file, "is not a definition: expected tws, KPuzzle, permutations in cycles or a graph of CayleyPy");
    try {
      return format.parse(text, stem);
    } catch (error) {
      return fail(file, error.message);
    }
  }

  // -- Moves ----------------------------------------------------------------------------------------------------------

  function written(name, amount, order) {
    const isBack = 2 * amount > order, times = isBack ? order - amount : amount;
    return (times > 1 && /\d$/.test(name) ? `(${name})` : name) + (times > 1 ? times : "") + (isBack ? "'" : "");
  }

  /** Return the moves, each once: the generators if they are closed under powers, or else their powers. */
  function movesOf(generators) {
    const powers = generators.flatMap(({ name, order, sources }) => {
      let made = sources;
      return range(order - 1, (i) => {
        const move = { name: written(name, i + 1, order), inverse: written(name, order - i - 1, order), sources: made };
        made = after(made, sources);
        return move;
      });
    });
    const listed = new Set(generators.map(({ sources }) => String(sources)));
    const needed = generators.every(({ isMove }) => isMove) ? generators.map(({ sources }) => inverse(sources))
      : powers.map(({ sources }) => sources);
    const isClosed = needed.every((sources) => listed.has(String(sources)));
    const own = new Set(generators.map(({ name }) => name));
    const found = new Map();
    for (const move of powers)
      if (!found.has(String(move.sources)) && (!isClosed || own.has(move.name))) found.set(String(move.sources), move);
    return [...found.values()];
  }

  /** Return all orientations of the whole puzzle, each with an alg that leads there. */
  function orientations({ points, generators }) {
    const found = new Map([[String(range(points)), { sources: range(points), alg: "" }]]);
    const turns = generators.filter(({ rotates }) => rotates).flatMap(({ name, order, sources }) =>
      range(order - 1, (i) => ({ name: written(name, i + 1, order), sources: power(sources, i + 1) })));
    for (const { sources, alg } of found.values())
      for (const turn of turns) {
        const next = after(sources, turn.sources), key = String(next);
        if (!found.has(key)) found.set(key, { sources: next, alg: `${alg} ${turn.name}`.trim() });
        if (found.size > MOST_HELD) fail("", `the rotations lead to more than ${MOST_HELD} orientations`);
      }
    return [...found.values()];
  }

  /**
   * Return a function that rotates sources of a state so that one or two labels are at home; null if no labels determine
   * the rotation. States that differ by a rotation are one state if rotations take moves to moves.
   */
  function reference({ solved, illegal }, moves, held) {
    if (held.length === 1 || illegal.length) return null;
    const keys = new Set(moves.map(({ sources }) => String(sources)));
    const backs = held.map(({ sources }) => inverse(sources));
    const forwards = [...moves.map(({ sources }) => inverse(sources)), ...backs];
    const isMove = (move, back, i) => keys.has(String(after(after(back, move.sources), held[i].sources)));
    if (!moves.every((move) => backs.every((back, i) => isMove(move, back, i)))) return null;
    const single = range(solved.length).filter((point) => solved.filter((label) => label === solved[point]).length === 1);
    const pairs = single.flatMap((one) => single.map((other) => [one, other]));
    for (const homes of [...single.map((home) => [home]), ...pairs].slice(0, MOST_TRIED)) {
      const homing = new Map(held.map(({ sources }) => [String(after(sources, homes)), sources]));
      if (homing.size < held.length) continue;
      const reached = new Map([[String(homes), homes]]); // the points of the labels
      for (const places of reached.values()) {
        for (const forward of forwards) reached.set(String(after(forward, places)), after(forward, places));
        if (reached.size > held.length) break;
      }
      if (reached.size === held.length)
        return (sources) => after(sources, homing.get(String(homes.map((home) => sources.indexOf(home)))));
    }
    return null;
  }

  // -- Enumeration ----------------------------------------------------------------------------------------------------

  /**
   * Return all states by their numbers, and where each depth ends. A state is the first label of each place: the others
   * follow, because a piece is shifted as a whole. States are found by a hash table with open addressing.
   */
  function enumerate({ points, solved, illegal }, places, moves, starts) {
    const Label = points > 256 ? Uint16Array : Uint8Array;
    const most = Math.min(mostStates, Math.floor(MOST_BYTES / (points * Label.BYTES_PER_ELEMENT)));
    const width = places.length;
    const placeOf = new Map(places.flatMap((all, place) => all.map((point, sticker) => [point, [place, sticker]])));
    const labelAt = new Label(points * Math.max(...places.map(({ length }) => length))); // by sticker and first label of a piece
    for (const all of places)
      all.forEach((first, turn) => all.forEach((_, sticker) =>
        (labelAt[sticker * points + solved[first]] = solved[all[(turn + sticker) % all.length]])));
    const steps = moves.map((sources) => Int32Array.from(places.flatMap(([first]) => {
      const [place, sticker] = placeOf.get(sources[first]);
      return [place, sticker * points];
    })));
    const banned = new Map();
    for (const [point, label] of illegal) {
      const [place, sticker] = placeOf.get(point);
      const before = banned.get(place) || new Uint8Array(points);
      banned.set(place, before.map((is, first) => is || Number(labelAt[sticker * points + first] === label)));
    }
    const rules = [...banned];

    // Two moves that make one lead to a state that is known from the state before both.
    const single = new Set([String(range(points)), ...moves.map(String)]), every = range(moves.length);
    const useful = moves.map((one) => every.filter((next) => !single.has(String(after(one, moves[next])))));

    let room = 1 << 10, count = 0, states = new Label((room + 1) * width), slots = new Int32Array(4 * room).fill(-1);
    let last = new Int16Array(room).fill(-1); // the move that led to a state
    /** Return the slot of the state at an offset. */
    function slotOf(offset) {
      const here = states, taken = slots, last = taken.length - 1; // constants are faster
      let hash = 0;
      for (let i = 0; i < width; i++) hash = Math.imul(hash ^ here[offset + i], 0x9e3779b1) ^ (hash >>> 15);
      for (let slot = (hash ^ (hash >>> 13)) & last; ; slot = (slot + 1) & last) {
        if (taken[slot] < 0) return slot;
        let i = 0;
        for (const known = taken[slot] * width; i < width && here[known + i] === here[offset + i]; ) i++;
        if (i === width) return slot;
      }
    }
    /** Keep the state that was written behind the last one, if it is new. */
    function keep() {
      const slot = slotOf(count * width);
      if (slots[slot] >= 0) return slots[slot];
      if (count >= most)
        fail("", `there are more than ${most.toLocaleString("en")} states, too many for this page`);
      if (count && count % OFTEN === 0) hear(count);
      slots[slot] = count++;
      if (count === room) {
        room *= 2;
        const before = states;
        (states = new Label((room + 1) * width)).set(before);
        const moved = last;
        (last = new Int16Array(room).fill(-1)).set(moved);
        slots = new Int32Array(4 * room).fill(-1);
        for (let id = 0; id < count; id++) slots[slotOf(id * width)] = id;
      }
      return count - 1;
    }
    /** Write the state after a move behind the last one; return whether it may be kept. */
    function move(id, step) {
      const here = states, old = id * width, next = count * width;
      for (let i = 0; i < width; i++) here[next + i] = labelAt[step[2 * i + 1] + here[old + step[2 * i]]];
      return rules.every(([place, isBanned]) => !isBanned[here[next + place]]);
    }

    const write = (state) => places.forEach(([first], place) => (states[count * width + place] = state[first]));
    const found = starts.map((start) => {
      write(start);
      return keep();
    });
    const ends = [count];
    for (let id = 0; ; ) {
      for (const end = count; id < end; id++)
        for (const next of last[id] < 0 ? every : useful[last[id]])
          if (move(id, steps[next]) && keep() === count - 1 && last[count - 1] < 0) last[count - 1] = next;
      if (count === ends[ends.length - 1]) break;
      ends.push(count);
    }
    const has = (state) => {
      write(state);
      return slots[slotOf(count * width)] >= 0;
    };
    return { count, ends, found, has, states, width, places, labelAt, Label };
  }

  /** Return the numbers of states in ascending order of their labels: sorted by each place, from the last to the first. */
  function ascending({ count, states, width }, points) {
    let order = Uint32Array.from({ length: count }, (_, id) => id), other = new Uint32Array(count);
    for (let place = width - 1; place >= 0; place--) {
      const begins = new Uint32Array(points + 1);
      for (let id = 0; id < count; id++) begins[states[id * width + place] + 1]++;
      for (let label = 0; label < points; label++) begins[label + 1] += begins[label];
      for (const id of order) other[begins[states[id * width + place]]++] = id;
      [order, other] = [other, order];
    }
    return order;
  }

  /** Return the arrays of `makeSolver`: one placement, and a row of labels and a depth modulo 3 for each state. */
  function packed({ count, ends, states, width, places, labelAt, Label }, order, points) {
    const buffer = new ArrayBuffer(6 + count * points * Label.BYTES_PER_ELEMENT + Math.ceil(count / 4));
    const rows = new Label(buffer, 6, count * points), entries = new Uint8Array(buffer, 6 + rows.byteLength);
    const residues = new Uint8Array(count);
    ends.forEach((end, depth) => residues.fill(depth % 3, ends[depth - 1] ?? 0, end));
    order.forEach((id, rank) => {
      for (let place = 0; place < width; place++)
        for (let sticker = 0; sticker < places[place].length; sticker++)
          rows[rank * points + places[place][sticker]] = labelAt[sticker * points + states[id * width + place]];
      entries[rank >> 2] |= residues[id] << (2 * (rank & 3));
    });
    return buffer;
  }

  /** Return the ranks of the states at each depth of few. */
  function rare({ ends }, order) {
    const few = {}, depthOf = new Map();
    ends.forEach((end, depth) => {
      const first = ends[depth - 1] ?? 0;
      if (end - first > FEW) return;
      few[depth] = [];
      for (let id = first; id < end; id++) depthOf.set(id, depth);
    });
    order.forEach((id, rank) => depthOf.has(id) && few[depthOf.get(id)].push(rank));
    return few;
  }

  // -- The solver -----------------------------------------------------------------------------------------------------

  /** Return the texts of the pieces of an orbit: numbers, and how they are turned. */
  function texts({ name, first, pieces, orientations: size, counted }, solved) {
    const places = range(pieces, (i) => range(size, (sticker) => first + i * size + sticker)), words = {};
    for (const place of places) {
      const labels = after(solved, place), least = Math.min(...labels), distinct = new Set(labels).size;
      for (let turned = 0; turned < distinct; turned++)
        words[`${Math.floor((least - first) / size) + counted}${turned ? `+${turned}` : ""}`] =
          range(size, (i) => labels[(labels.indexOf(least) - turned + i + size) % size]);
    }
    return { name, homes: places.map((_, i) => String(i + counted)), places, words };
  }

  /** Return the points of each place, in the order of pieces; the first is the least, and rows ascend by these. */
  function placesOf(orbits) {
    const turned = ({ places }) => places.map((all) => {
      const first = all.indexOf(Math.min(...all));
      return [...all.slice(first), ...all.slice(0, first)];
    });
    return orbits.flatMap(turned).sort(([one], [other]) => one - other);
  }

  /** Return the labels that are seen instead of each, if the puzzle is held so; null if pieces that look alike differ. */
  function naming(solved, sources) {
    const names = range(Math.max(...solved) + 1), seen = new Map();
    sources.forEach((from, point) => seen.set(solved[from], [...(seen.get(solved[from]) || []), solved[point]]));
    for (const [label, found] of seen) names[label] = found[0];
    return [...seen.values()].every((found) => new Set(found).size === 1) ? names : null;
  }

  /** Return the description and the arrays of a puzzle with these moves for `makeSolver`. */
  function solver(puzzle, all) {
    const { points, solved, illegal, generators, orbits } = puzzle, held = orientations(puzzle);
    for (const { sources } of held)
      if (illegal.some(([point, label]) => solved[sources[point]] === label))
        fail("", held.length > 1 ? "the solved state is illegal in some orientation" : "the solved state is illegal");
    const upright = reference(puzzle, all, held), distinct = new Map(), places = placesOf(orbits);
    for (const move of all) {
      const effect = upright ? upright(move.sources) : move.sources;
      if (!distinct.has(String(effect)) && !isSame(effect, range(points))) distinct.set(String(effect), { ...move, effect });
    }
    const moves = [...distinct.values()], effects = moves.map(({ effect }) => effect);
    const every = range(moves.length), same = range(points);
    const inEach = (starts) => enumerate(puzzle, places, effects, starts.map(({ sources }) => after(solved, sources)));
    let starts = held.slice(0, 1), found = inEach(starts), images = [{ sources: same, labels: null, moves: every }];
    if (upright) images = held.map(({ sources }) => ({ sources, labels: null, moves: every }));
    else if (held.length > 1) {
      const names = held.map(({ sources }) => naming(solved, sources)), isNamed = !illegal.length && names.every(Boolean);
      starts = held.filter(({ sources }) => !isNamed || found.has(after(solved, sources)));
      if (starts.length > 1) found = inEach(starts);
      if (isNamed) images = names.map((labels) => ({ sources: same, labels, moves: every }));
    }
    const order = ascending(found, points), ranks = found.found.map((id) => order.indexOf(id));
    const embedded = { ...EMPTY, solved, illegal, orbits, generators,
      moves: moves.map(({ name, inverse, sources }) => ({ name, inverse, cost: 1, cases: [{ sources, needs: [] }] })),
      images, starts: ranks.map((rank, i) => [rank, starts[i].alg]),
      distribution: found.ends.map((end, depth) => end - (found.ends[depth - 1] ?? 0)), width: found.count,
      rare: rare(found, order) };
    return { embedded, bytes: packed(found, order, points) };
  }

  /** Return the solver of the puzzle of a file as data. */
  function derive(text, file) {
    const { orbits, generators, ...puzzle } = read(text, file);
    try {
      const known = generators.map(({ name, order, sources, cases, rotates, isMove }) =>
        ({ name, order, sources, cases, inverse: -1, rotates, isMove }));
      const written = { ...puzzle, generators: known, orbits: orbits.map((orbit) => texts(orbit, puzzle.solved)) };
      const { embedded, bytes } = solver(written, movesOf(known.filter(({ rotates }) => !rotates)));
      return { embedded: { ...embedded, name: file, title: puzzle.name }, bytes };
    } catch (error) {
      return fail(file, error.message);
    }
  }

  /** Return the solver of a puzzle with only some of its moves, an alg, as data; each stands for its powers, too. */
  function restrict(puzzle, alg) {
    const { solved, illegal, orbits, name, title, unit, form } = puzzle, points = solved.length;
    const generators = puzzle.generators.map((each) => ({ ...each, sources: each.cases[0].sources }));
    const words = makeSolver({ ...EMPTY, solved: range(points), generators }, new Uint8Array(6)).split(alg);
    const moves = words.flatMap((word) => {
      const { name: base, order, sources, rotates } = generators.find((each) =>
        range(each.order).some((amount) => amount && written(each.name, amount, each.order) === word));
      if (rotates) fail("", `'${word}' turns the puzzle as a whole, which is free`);
      const amount = range(order).find((times) => times && written(base, times, order) === word);
      const times = range(order).map((number) => (number * amount) % order);
      return [...new Set(times)].filter(Boolean).map((number) => ({ name: written(base, number, order),
        inverse: written(base, order - number, order), sources: power(sources, number) }));
    });
    if (!moves.length) fail("", `'${alg}' has no moves`);
    const { embedded, bytes } = solver({ points, solved, illegal, orbits, generators }, moves);
    return { embedded: { ...embedded, name, title: `${title}, ${words.join(" ")} alone`, unit, form }, bytes };
  }

  return { derive, restrict };
};
