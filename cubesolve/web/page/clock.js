// Rubik's Clock in the page without a server: its moves commute, so a solution is a set of moves of each side.
"use strict";
cubesolve.clock = function clock({ pins, scrambled }) {
  const HOURS = 12, SIDE = 9, CORNERS = [0, 2, 6, 8], CROSS = [1, 3, 4, 5, 7], BEHIND = { 0: 2, 2: 0, 6: 8, 8: 6 };
  const UP_AT_THE_END = /(?<=\S)(\s+(UR|DR|DL|UL))+\s*$/, AROUND = "y2", UNKNOWN = 255, MOST_LISTED = 4; // moves of a listed sum
  const CROSSES = HOURS ** CROSS.length, ALL_CORNERS = HOURS ** CORNERS.length;
  const names = Object.keys(pins), order = [...CROSS, ...CORNERS];
  const vectors = names.map((name) => order.map((dial) => pins[name][dial]));
  const solved = Object.freeze(Array(2 * SIDE).fill(0));

  // -- States: the hours of the front, then those of the back as one sees it after turning the puzzle around -------------

  const written = (name, hours) => (name === AROUND ? AROUND : `${name}${hours > HOURS / 2 ? `${HOURS - hours}-` : `${hours}+`}`);

  /** Return the moves of an alg: a name and hours. Pins that are up at its end, as in scrambles, change nothing. */
  function read(text) {
    const alg = text.replace(UP_AT_THE_END, "");
    const byLength = [...names].sort((one, other) => other.length - one.length), found = [];
    const pattern = new RegExp(`\\s*(?:(${byLength.map((name) => name.replace(/[/\\]/, "\\$&")).join("|")})(\\d{1,2})([+-])|${AROUND}'?)`, "y");
    for (let at = 0; alg.slice(at).trim(); at = pattern.lastIndex) {
      pattern.lastIndex = at;
      const match = pattern.exec(alg);
      if (!match) {
        const [blank, word] = /^(\s*)(\S+)/.exec(alg.slice(at)).slice(1);
        throw new Error(`'${word}' (character ${at + blank.length + 1}) is not a move: expected ${
          scrambled[0].join(" ")} with hours, such as UR3+ or ALL2-, or ${AROUND}`);
      }
      const [, name = AROUND, hours, sign] = match;
      found.push([name, name === AROUND ? 0 : (sign === "+" ? hours % HOURS : HOURS - (hours % HOURS)) % HOURS]);
    }
    return found;
  }

  function turned(state, [name, hours]) {
    if (name === AROUND) return [...state.slice(SIDE), ...state.slice(0, SIDE)];
    const next = [...state];
    pins[name].forEach((by, dial) => (next[dial] = (state[dial] + hours * by) % HOURS));
    for (const corner of CORNERS) next[SIDE + BEHIND[corner]] = (HOURS - next[corner]) % HOURS;
    return next;
  }

  const apply = (state, alg) => Object.freeze(read(alg).reduce(turned, state));
  const split = (alg) => read(alg).map((turn) => written(...turn));
  const invert = (alg) => read(alg).reverse().map(([name, hours]) => written(name, (HOURS - hours) % HOURS)).join(" ");

  function parse(text) {
    const words = text.replace(/[/;]/g, " ").split(/\s+/).filter(Boolean);
    if (!text.includes(";") && !words.some((word) => /^\d+$/.test(word))) return apply(solved, text);
    if (words.length !== 2 * SIDE) throw new Error(`a clock has ${2 * SIDE} dials, not ${words.length}`);
    for (const word of words)
      if (!/^\d+$/.test(word) || word > HOURS) throw new Error(`'${word}' is not an hour: expected 1 to 12`);
    const state = words.map((word) => word % HOURS);
    for (const corner of CORNERS) {
      const [front, back] = [state[corner], state[SIDE + BEHIND[corner]]];
      if ((front + back) % HOURS)
        throw new Error(`corner dials show ${front || HOURS} in front and ${back || HOURS} behind: no clock does`);
    }
    return Object.freeze(state);
  }

  const format = (state) => [0, SIDE].map((side) => [0, 3, 6].map((row) =>
    state.slice(side + row, side + row + 3).map((hour) => hour || HOURS).join(" ")).join(" / ")).join(" ; ");

  /** Return an alg to a random state: its hours determine the state, and the state determines them. */
  function randomAlg(random) {
    const [front, back] = scrambled.map((all) => all.map((name) => written(name, Math.floor(random() * HOURS))));
    return [...front, AROUND, ...back].join(" ");
  }

  // -- Sums of moves of a side: the cross, and the corners, each as a number with base 12 ----------------------------------

  const numbered = (digits) => digits.reduce((number, digit) => HOURS * number + (((digit % HOURS) + HOURS) % HOURS), 0);

  // Sums and negatives of two digits at once.
  const TWO = HOURS ** 2, both = (i) => [Math.floor(i / HOURS), i % HOURS];
  const plusTwo = Uint8Array.from({ length: TWO * TWO }, (_, i) => {
    const [one, other] = [both(Math.floor(i / TWO)), both(i % TWO)];
    return numbered([one[0] + other[0], one[1] + other[1]]);
  });
  const minusTwo = Uint8Array.from({ length: TWO }, (_, i) => numbered(both(i).map((digit) => -digit)));

  function plus(one, other) {
    const a = (one / TWO) | 0, b = (other / TWO) | 0, c = (a / TWO) | 0, d = (b / TWO) | 0;
    return TWO * (TWO * plusTwo[TWO * c + d] + plusTwo[TWO * (a - TWO * c) + b - TWO * d])
      + plusTwo[TWO * (one - TWO * a) + other - TWO * b];
  }

  function minus(one, other) {
    const b = (other / TWO) | 0, d = (b / TWO) | 0;
    return plus(one, TWO * (TWO * minusTwo[d] + minusTwo[b - TWO * d]) + minusTwo[other - TWO * b]);
  }

  const steps = vectors.map((vector) => Array.from({ length: HOURS }, (_, hours) => [vector.slice(0, CROSS.length), vector.slice(CROSS.length)]
    .map((digits) => numbered(digits.map((by) => by * hours)))));

  /** Call a function with the cross and the corners of each sum of so many moves, and with the moves, until it returns true. */
  function each(moves, hear) {
    const way = [];
    function choose(level, from, cross, corners) {
      if (level === moves) return hear(cross, corners, way);
      for (let move = from; move < steps.length; move++)
        for (let hours = 1; hours < HOURS; hours++) {
          const step = steps[move][hours];
          way[level] = [move, hours];
          if (choose(level + 1, move + 1, plus(cross, step[0]), plus(corners, step[1]))) return true;
        }
      return false;
    }
    return choose(0, 0, 0, 0);
  }

  const lists = [];

  /** Return the corners of all sums of so many moves, and where those with each cross begin. */
  function sums(moves) {
    if (lists[moves]) return lists[moves];
    const first = new Int32Array(CROSSES + 1);
    each(moves, (cross) => void first[cross + 1]++);
    for (let cross = 0; cross < CROSSES; cross++) first[cross + 1] += first[cross];
    const places = first.slice(), corners = new Uint16Array(first[CROSSES]);
    each(moves, (cross, corner) => void (corners[places[cross]++] = corner));
    return (lists[moves] = { first, corners });
  }

  /** Call a function with the sums of each pair that makes a cross, until it returns true. */
  function pairs(cross, moves, hear) {
    const one = sums((moves + 1) >> 1), other = sums(moves >> 1);
    for (let here = 0; here < CROSSES; here++) {
      if (one.first[here] === one.first[here + 1]) continue;
      const there = minus(cross, here);
      for (let a = one.first[here]; a < one.first[here + 1]; a++)
        for (let b = other.first[there]; b < other.first[there + 1]; b++)
          if (hear(one.corners[a], other.corners[b], here, there)) return;
    }
  }

  /** Return the fewest moves of a side that make a cross, for each position of the corners, as far as they are known. */
  function side(hours) {
    const cross = numbered(CROSS.map((dial) => -hours[dial])), known = new Uint8Array(ALL_CORNERS).fill(UNKNOWN);
    const made = { known, tried: -1, cross };
    made.tryMore = () => {
      const moves = ++made.tried;
      if (moves > 2 * MOST_LISTED) known.forEach((number, corners) => number === UNKNOWN && (known[corners] = moves)); // all others
      else pairs(cross, moves, (a, b) => {
        const corners = plus(a, b);
        if (known[corners] > moves) known[corners] = moves;
        return false;
      });
    };
    return made;
  }

  /** Return so many moves that make a cross and corners; no fewer do. */
  function way(cross, corners, moves) {
    let found = null;
    if (moves < 3 || moves > 2 * MOST_LISTED) {
      const last = moves < 3 ? moves : 1;
      each(last, (a, b, taken) => {
        if (last === moves && (a !== cross || b !== corners)) return false;
        found = [...taken];
        if (last === moves) return true;
        const rest = way(minus(cross, a), minus(corners, b), moves - 1);
        found = rest && [...found, ...rest];
        return Boolean(rest);
      });
    } else pairs(cross, moves, (a, b, here, there) => {
      if (plus(a, b) !== corners) return false;
      found = [...way(here, a, (moves + 1) >> 1), ...way(there, b, moves >> 1)];
      return true;
    });
    return found && found.sort(([one], [other]) => one - other);
  }

  /** Return an optimal solution: the moves of the front, then those of the back. */
  function optimal(state) {
    const front = side(state.slice(0, SIDE)), back = side(state.slice(SIDE));
    const needed = Int32Array.from({ length: ALL_CORNERS }, (_, behind) => {
      const digits = CORNERS.map((__, i) => Math.floor(behind / HOURS ** (CORNERS.length - 1 - i)) % HOURS);
      return numbered(CORNERS.map((corner) => digits[CORNERS.indexOf(BEHIND[corner])] - state[corner]));
    });
    front.tryMore();
    back.tryMore();
    for (;;) {
      const least = ({ known, tried }, corners) => (known[corners] === UNKNOWN ? tried + 1 : known[corners]);
      let best = 2 * UNKNOWN, at = 0, inFront = false, inBack = false;
      for (let behind = 0; behind < ALL_CORNERS; behind++) {
        const bound = least(front, needed[behind]) + least(back, behind);
        if (bound < best) [best, at, inFront, inBack] = [bound, behind, false, false];
        if (bound > best) continue;
        inFront ||= front.known[needed[behind]] === UNKNOWN;
        inBack ||= back.known[behind] === UNKNOWN;
      }
      if (inFront || inBack) {
        (inFront && (!inBack || front.tried <= back.tried) ? front : back).tryMore();
        continue;
      }
      const [first, second] = [[front, needed[at]], [back, at]].map(([{ cross, known }, corners]) =>
        way(cross, corners, known[corners]).map(([move, hours]) => written(names[move], hours)));
      return [...first, ...(second.length ? [AROUND, ...second] : [])];
    }
  }

  return { solved, apply, split, invert, parse, format, randomAlg, optimal, puzzle: { rotations: [AROUND] },
    isFree: (move) => move === AROUND, isSolved: (state) => state.every((hour) => hour === 0) };
};
