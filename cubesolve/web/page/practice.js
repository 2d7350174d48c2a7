// Trainers, cases and analyses in the page without a server, by the solvers of a puzzle and of its goals.
"use strict";
/** Return the functions that answer requests for practice; `page` has those of offline.js that they need. */
cubesolve.practice = (page) => {
  const { problem, setup, bounds, run, toGoal, orientations } = page;
  const MOST_CASES = 100; // in an answer
  const LONGEST = 20, PAUSE = 100; // seconds until a state is at a depth; states drawn before the page reacts to other actions
  const WALK = 500; // changes, after which all states of a case are equally likely
  const MOST_STEPS = 200, LACKING = 6; // moves of a solution, and of those that it may lack in an error
  const WIDTH = 16, ALGS = 8; // states that go on to the next step, and algs that are tried for each
  const SHARE = 1, GLANCE = 0.1, PATIENCE = 2; // seconds for a position, and after so many that are not solved in time
  const ALL = "solved";

  const random = cubesolve.secureRandom;
  const drawnOf = (items) => items[Math.floor(random() * items.length)];
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

  // -- Cases ----------------------------------------------------------------------------------------------------------

  const sets = new Map(); // promises of sets, by puzzle and name

  async function load(about, name) {
    if (!Object.hasOwn(about.case_sets, name)) throw problem(`'${name}' is not a set of cases of the ${about.title}`, 422);
    const { packed } = await run([about.name, "cases", name].join("@"));
    return JSON.parse(new TextDecoder().decode(await cubesolve.unpack(packed)));
  }

  function setNamed({ about }, name) {
    const key = `${about.name}@${name}`;
    if (!sets.has(key)) {
      sets.set(key, load(about, name));
      sets.get(key).catch(() => sets.delete(key));
    }
    return sets.get(key);
  }

  async function cases(puzzle, { set, offset = 0 }) {
    const { title, total, cases: all } = await setNamed(puzzle, set);
    return { set, title, total, cases: all.slice(offset, offset + MOST_CASES) };
  }

  /** Return a set, and one of its cases if the text NAME[:CASE] names one. */
  async function caseNamed(puzzle, text) {
    const [name, which] = text.split(":"), set = await setNamed(puzzle, name);
    const one = set.cases.find((each) => [each.name, String(each.number)].includes(which));
    if (which && !one) throw problem(`${name} has no case '${which}'`, 422);
    return { set, one };
  }

  function drawnCase({ cases: all }) {
    let left = random();
    return all.find(({ probability }) => (left -= probability) < 0) || all[0];
  }

  /** Return a random state of a case: after a long random walk of changes that keep it. */
  function stateOf({ solver }, { changes }, one) {
    let state = solver.parse(one.state);
    for (let step = 0; step < WALK; step++) {
      const change = drawnOf([null, ...changes]);
      if (change) state = change[0].map((source) => change[1][state[source]]);
    }
    return state;
  }

  async function algs(puzzle, { case: text, cost }) {
    const { set, one } = await caseNamed(puzzle, text);
    if (!set.algs) throw problem(`without a server, there are no algs of the ${set.total.toLocaleString("en")} cases of this set`, 422);
    return set.algs[cost].find(({ number }) => number === one.number);
  }

  // -- Trainers -------------------------------------------------------------------------------------------------------

  /** Return a random state in which a step needs so many moves, or any number, and another may be solved already. */
  async function stateAt(puzzle, { step, solved, depth }, signal) {
    if (!step && (depth !== undefined || !solved))
      throw problem(depth === undefined ? "step, solved or case is missing" : "depth requires a step", 422);
    const { solver } = puzzle, [goal, done] = await Promise.all([step, solved].map((name) => name && toGoal(puzzle, name)));
    const begin = async (reached) => {
      const state = solver.randomState();
      return reached ? solver.apply(state, await reached.solve(state, signal)) : state;
    };
    if (depth === undefined) return begin(done);
    // All arrangements of the pieces of a step leave the others equally many, so those may be drawn first.
    if (!done && goal.drawn) return solver.apply(await begin(goal), goal.setup(goal.drawn(random, depth)).alg);
    for (let tried = 1, end = performance.now() + 1000 * LONGEST; performance.now() < end; tried++) {
      if (tried % PAUSE === 0) await new Promise((then) => setTimeout(then));
      signal?.throwIfAborted();
      const state = await begin(done);
      if (await goal.depth(state, signal) === depth) return state;
    }
    throw problem(`no state at depth ${depth} was found in ${LONGEST} seconds`, 503);
  }

  async function train(puzzle, fields, signal) {
    const { solver } = puzzle;
    let state;
    if (fields.case) {
      const { set, one } = await caseNamed(puzzle, fields.case);
      state = stateOf(puzzle, set, one || drawnCase(set));
    } else state = await stateAt(puzzle, fields, signal);
    const scramble = await setup(puzzle, state);
    return { scramble, state: solver.format(solver.apply(solver.solved, scramble)) };
  }

  // -- Moves on the inverse, in parentheses: NISS ---------------------------------------------------------------------

  /** Return the rotations by which an alg leaves the puzzle turned, as wide moves and moves of slices do. */
  function rotationAfter({ solver }, alg) {
    const { solved, apply, invert, upright } = solver, there = apply(solved, alg);
    return [...orientations(solver).values()].find((word) => {
      const back = apply(there, invert(word));
      return String(upright(back)) === String(back);
    });
  }

  /** Return the inverse of a state: the inverse of an alg to one leads to the other. */
  const inverted = ({ upright }, state) =>
    upright(state).reduce((back, label, point) => Object.assign(back, { [label]: point }), Array(state.length));

  /** Return the stretches of a solution: moves in a row on the scramble or, in parentheses, on its inverse. */
  function stretches(solution) {
    const bare = solution.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, (comment) => " ".repeat(comment.length));
    const pattern = /\(([^()]*)\)|([^()]+)/y, found = [];
    for (let at = 0; at < bare.length; at = pattern.lastIndex) {
      pattern.lastIndex = at;
      const match = pattern.exec(bare);
      if (!match) {
        const reason = bare[at] === "(" ? "is not closed, or another opens in it" : "has no opening bracket";
        throw problem(`'${bare[at]}' (character ${at + 1}) ${reason}`, 422);
      }
      found.push({ alg: match[1] ?? match[2], onInverse: match[1] !== undefined });
    }
    return found;
  }

  /** Return the moves of a solution, each with an alg that has its effect; on the inverse, it leaves the puzzle as it is held. */
  function movesOf(puzzle, solution, niss) {
    const { about, solver } = puzzle, turned = { true: "", false: "" };
    if (!niss) return solver.split(solution).map((move) => ({ move, effect: move, onInverse: false }));
    if (!about.niss) throw problem(`moves on the inverse are not supported for the ${about.title} without a server`, 422);
    const found = stretches(solution);
    solver.split(solution.replace(/[()]/g, " ")); // an error has the place in the solution, not in a stretch
    return found.flatMap(({ alg, onInverse }) => solver.split(alg).map((move) => {
      const before = turned[onInverse], next = (turned[onInverse] = rotationAfter(puzzle, `${before} ${move}`));
      return { move, effect: `${before} ${move} ${solver.invert(next)}`, onInverse };
    }));
  }

  /** Return the state after an alg on the scramble or on its inverse. */
  const reachedBy = (solver, state, alg, onInverse) =>
    (onInverse ? inverted(solver, solver.apply(inverted(solver, state), alg)) : solver.apply(state, alg));

  const statesOf = ({ solver }, start, moves) => moves.reduce((all, { effect, onInverse }) =>
    [...all, reachedBy(solver, all.at(-1), effect, onInverse)], [start]);

  const bracketed = (alg, onInverse) => (onInverse && alg ? `(${alg})` : alg);

  /** Return some moves, those in a row on the inverse in the same parentheses. */
  function written(moves) {
    const found = [];
    for (const { move, onInverse } of moves)
      if (found.at(-1)?.onInverse === onInverse) found.at(-1).words.push(move);
      else found.push({ onInverse, words: [move] });
    return found.map(({ onInverse, words }) => bracketed(words.join(" "), onInverse)).join(" ");
  }

  /** Return a state and its inverse, and of these the ones that fulfil a step, if any. */
  const sidesOf = (solver, state, niss, step) => [{ side: state, onInverse: false },
    ...(niss ? [{ side: inverted(solver, state), onInverse: true }] : [])].filter(({ side }) => !step || step.holds(side));

  // -- Analyses -------------------------------------------------------------------------------------------------------

  const isRotation = ({ solver }, move) => solver.puzzle.rotations.includes(move.replace(/[2-9]*'?$/, ""));
  const isFree = (puzzle, move) => puzzle.solver.isFree?.(move) ?? isRotation(puzzle, move);

  /** Return the number of moves that a move counts as: a slice is two of the faces beside it. */
  async function lengthOf(puzzle, move, signal) {
    if (isFree(puzzle, move)) return 0;
    if (puzzle.about.moves.includes(move)) return 1;
    return (await bounds(puzzle, puzzle.solver.apply(puzzle.solver.solved, move), SHARE, signal)).at_most;
  }

  /** Return bounds of the moves that are left in each state of a solution, given the lengths of its moves. */
  async function leftIn(puzzle, states, lengths, signal) {
    const found = states.map((_, number) => ({ at_least: 0, at_most: sum(lengths.slice(number)) }));
    let missed = 0;
    for (let number = states.length - 1; number >= 0; number--) {
      const { at_least, at_most } = await bounds(puzzle, states[number], missed < PATIENCE ? SHARE : GLANCE, signal);
      const most = Math.min(at_most, found[number].at_most);
      found[number] = { at_least: Math.min(at_least, most), at_most: most };
      missed = at_least < most ? missed + 1 : 0;
    }
    // Bounds of states in a row differ by the length of the move at most.
    const near = (here, other, length) => {
      here.at_least = Math.max(here.at_least, other.at_least - length);
      here.at_most = Math.min(here.at_most, other.at_most + length);
    };
    lengths.forEach((length, number) => near(found[number + 1], found[number], length));
    for (let number = lengths.length - 1; number >= 0; number--) near(found[number], found[number + 1], lengths[number]);
    return found;
  }

  function isLost(length, before, now) {
    if (now.at_least > before.at_most - length) return true;
    return now.at_most <= before.at_least - length ? false : null;
  }

  const stepsOf = (puzzle, names, signal) => Promise.all(names.map((name) => stepNamed(puzzle, name, signal)));

  /** Return the steps that a name stands for: those to which moves lead that keep the step before, if any do. */
  function stepsAfter(puzzle, before, name, signal) {
    const kept = puzzle.kept ?? {}, begun = name.replace(/any$/, "");
    const names = Object.keys(kept).flatMap((pair) => pair.split(" ")).filter((each) => each.startsWith(begun));
    const all = name.endsWith("-any") && names.length ? [...new Set(names)].sort() : [name];
    const linked = all.filter((each) => kept[`${before?.name} ${each}`]);
    return stepsOf(puzzle, linked.length ? linked : all, signal);
  }

  /** Return a step: whether a state has it behind it, and a shortest alg, which may have to keep the step before. */
  async function stepNamed(puzzle, name, signal) {
    const { solver, about, kept = {} } = puzzle;
    if (name === ALL) {
      const shortest = async (state) => {
        if (!about.searches) return { alg: solver.solve(state), isProved: true };
        const { at_least, at_most, solution } = await bounds(puzzle, state, SHARE, signal);
        return { alg: solution, isProved: at_least === at_most, at_least };
      };
      return { name, holds: solver.isSolved, shortest, table: about.searches ? null : solver };
    }
    const patterns = puzzle.patterns?.[name], { upright = (state) => state } = solver;
    const fits = (state) => (pattern) => pattern.every(([point, labels]) => labels.includes(state[point]));
    if (patterns && !about.goals.includes(name)) return { name, holds: (state) => patterns.some(fits(upright(state))), shortest: null, table: null };
    if (!about.goals.includes(name))
      throw problem(`'${name}' is not a step without a server: expected ${[ALL, ...about.goals].join(", ")}`, 422);
    const table = await toGoal(puzzle, name);
    if (table.bounds) {
      const shortest = async (state, before) => {
        const among = kept[`${before?.name} ${name}`];
        const { at_least, at_most, solution } = await table.bounds(state, SHARE, signal, among);
        if (solution === null && among) return { at_least: 0, isProved: false }; // the solution broke the step before
        if (solution === null) throw problem(`no solution of the step ${name} was found in time`, 503);
        return { alg: solution, isProved: at_least === at_most, at_least };
      };
      return { name, table: null, holds: table.holds, shortest };
    }
    return { name, table, holds: (state) => table.depth(state) === 0,
      shortest: async (state) => ({ alg: table.solve(state), isProved: true }) };
  }

  /** Return the steps of a solution, each with the shortest alg that it could have had. */
  async function parts(puzzle, states, moves, lengths, names, niss, signal) {
    const { solver } = puzzle, found = [];
    let begin = 0, before = null;
    for (const name of names) {
      const steps = await stepsAfter(puzzle, before, name, signal);
      const isReached = (state) => (step) => sidesOf(solver, state, niss, step).length;
      const end = states.findIndex((state, number) => number >= begin && steps.some(isReached(state)));
      if (end < 0) throw problem(`the solution does not reach the step ${name} in this order`, 422);
      const step = steps.find(isReached(states[end])), { shortest } = step;
      const made = moves.slice(begin, end), most = sum(lengths.slice(begin, end));
      const rotation = niss ? "" : made.map(({ move }) => move).filter((move) => isRotation(puzzle, move)).join(" ");
      let best = null;
      for (const { side, onInverse } of shortest ? sidesOf(solver, states[begin], niss, before) : []) {
        const { alg, isProved, at_least = solver.split(alg).length } = await shortest(solver.apply(side, rotation), before);
        if (best && (at_least > best.at_least || (at_least === best.at_least && (best.optimal !== null || !isProved)))) continue;
        best = { at_least, optimal: isProved ? bracketed(`${rotation} ${alg}`.trim(), onInverse) : null };
      }
      found.push({ name, alg: written(made), length: most, at_least: 0, optimal: null, ...best });
      [begin, before] = [end, step];
    }
    return found;
  }

  /** Yield shortest algs by a table. */
  function* shortestAlgs(solver, table, state) {
    const moves = table.optimalMoves(state);
    if (!moves.length) yield [];
    for (const move of moves) for (const rest of shortestAlgs(solver, table, solver.apply(state, move))) yield [move, ...rest];
  }

  /** Return a short solution that goes through steps: of each, some shortest algs are tried in some states. */
  async function chain(puzzle, start, steps, niss) {
    const { solver } = puzzle, counted = (moves) => moves.filter((move) => !isFree(puzzle, move)).length;
    let reached = [{ state: start, algs: [], length: 0 }], done = null;
    for (const step of steps) {
      const { table, shortest } = step, found = new Map(), from = table ? reached : reached.slice(0, 1);
      for (const { state, algs, length } of from)
        for (const { side, onInverse } of sidesOf(solver, state, niss, done)) {
          const { alg: only } = table ? {} : await shortest(side, done);
          const tried = table ? shortestAlgs(solver, table, side) : [only].filter((each) => each !== undefined).map(solver.split);
          let left = ALGS;
          for (const moves of tried) {
            const alg = moves.join(" "), there = reachedBy(solver, state, alg, onInverse), key = String(there), own = counted(moves), all = length + own;
            if (all < (found.get(key)?.length ?? Infinity))
              found.set(key, { state: there, algs: [...algs, { alg, onInverse, length: own }], length: all });
            if (--left === 0) break;
          }
        }
      if (!found.size) throw problem(`no solution of the step ${step.name} was found in time`, 503);
      reached = [...found.values()].sort((one, other) => one.length - other.length).slice(0, WIDTH);
      done = step;
    }
    return reached[0].algs;
  }

  /** Return a solution that goes through steps, as an analysis. */
  async function inSteps(puzzle, start, steps, niss) {
    if (!steps.length) throw problem("without a solution, steps are needed: those of the solution to find", 422);
    const other = steps.find(({ shortest }) => !shortest);
    if (other) throw problem(`without a server, the step ${other.name} is recognized in a solution, but not solved`, 422);
    const algs = await chain(puzzle, start, steps, niss);
    const made = steps.map(({ name }, i) =>
      ({ name, alg: bracketed(algs[i].alg, algs[i].onInverse), length: algs[i].length, at_least: 0, optimal: null }));
    const [usual, back] = [false, true].map((side) => algs.filter(({ onInverse }) => onInverse === side).map(({ alg }) => alg).join(" "));
    return { lost: 0, positions: [], steps: made, solution: `${usual} ${puzzle.solver.invert(back)}`.replace(/\s+/g, " ").trim() };
  }

  /** Reject a solution that does not lead to the solved state. */
  async function requireSolved(puzzle, states, alg, niss, signal) {
    const [state] = states.slice(-1), { solver, about } = puzzle;
    if (solver.isSolved(state)) return;
    if (!niss && about.niss && alg.includes("(") && solver.isSolved(statesOf(puzzle, states[0], movesOf(puzzle, alg, true)).at(-1)))
      throw problem("the alg does not solve the state, but with its moves in parentheses on the inverse it does (niss)", 422);
    const { at_most, solution } = await bounds(puzzle, state, SHARE, signal);
    throw problem(`the alg does not solve the state${at_most <= LACKING ? `: it lacks ${solution}` : ""}`, 422);
  }

  async function analyse(puzzle, { scramble, solution = "", steps: wanted = "", inverse, niss }, signal) {
    if (inverse && niss) throw problem("inverse and niss exclude each other", 422);
    const { solver } = puzzle, [begun, alg] = [scramble, solution].map((each) => (inverse ? solver.invert(each) : each));
    const names = wanted.split(",").map((name) => name.trim()).filter(Boolean), steps = await stepsOf(puzzle, names, signal);
    const start = solver.apply(solver.solved, begun), state = solver.format(start);
    const moves = movesOf(puzzle, alg, niss);
    if (moves.length > MOST_STEPS)
      throw problem(`solution has ${moves.length} moves; at most ${MOST_STEPS} can be analysed`, 422);
    if (!moves.length) return { ...await inSteps(puzzle, start, steps, niss), state };
    const states = statesOf(puzzle, start, moves);
    await requireSolved(puzzle, states, alg, niss, signal);
    const lengths = await Promise.all(moves.map(({ move }) => lengthOf(puzzle, move, signal)));
    const left = await leftIn(puzzle, states, lengths, signal);
    const positions = states.map((each, i) => ({ move: i ? bracketed(moves[i - 1].move, moves[i - 1].onInverse) : "", ...left[i],
      lost: i ? isLost(lengths[i - 1], left[i - 1], left[i]) : null, state: solver.format(each) }));
    return { lost: positions.filter(({ lost }) => lost).length, positions, solution: alg, state,
      steps: await parts(puzzle, states, moves, lengths, names, niss, signal) };
  }

  return { cases, algs, train, analyse };
};
