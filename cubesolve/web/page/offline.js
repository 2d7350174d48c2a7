// Answers the requests of the page without a server: solvers, drawings and tables come in scripts, one for each puzzle.
"use strict";
cubesolve.offline = (() => {
  const SECONDS = 20; // of a search
  const MOST_TABLES = 2; // of distances of rolling cubes: 15 MB each
  const SOON = 200; // milliseconds until a search ends that is asked to; the derivation of a table lasts longer
  const loading = new Map(); // promises of puzzles, by name
  const arrived = new Map(); // what the scripts have brought

  /** Keep a puzzle; its script calls this. */
  const add = (name, content) => arrived.set(name, content);

  /** Run the script of a puzzle, or of one of its metrics and goals; return what it brings. */
  const run = (name) => new Promise((done, fail) => {
    const script = Object.assign(document.createElement("script"), { src: `puzzles/${encodeURIComponent(name)}.js` });
    script.addEventListener("load", () => done(arrived.get(name)));
    script.addEventListener("error", () => fail(problem(`the puzzle \u201c${name}\u201d is not there`, 404)));
    document.head.append(script);
  });

  async function load(name) {
    const { embedded, packed, trays, tips, ...content } = await run(name);
    if (trays) return { ...content, rolling: rolling(content.about, trays) };
    const whole = { ...content, embedded }, { searches, facelets } = content.about;
    if (searches) return { ...whole, solver: searching(embedded, facelets) };
    const made = cubesolve.makeSolver(embedded, await cubesolve.unpack(packed)), solver = tips.length ? tipped(made, tips) : made;
    return { ...whole, solver: facelets ? reading(solver, cubesolve.facelets(embedded, facelets)) : solver };
  }

  /** Return a solver that reads cubes by a function of facelets. */
  const reading = (solver, read) => ({ ...solver, parse: (text) => solver.parse(read([...text.replace(/\s/g, "")]).join("")) });

  /** Return the solver of a puzzle some of whose pieces turn alone, by the solver of all others. */
  function tipped(core, tips) {
    const { solved, apply, invert } = core, random = cubesolve.secureRandom;
    const drawnOf = (items) => items[Math.floor(random() * items.length)];
    const isHome = (state) => ({ points }) => points.every((point) => state[point] === solved[point]);

    /** Return the turns of the tips after all others are solved. */
    function turns(state) {
      const end = apply(state, core.solve(state));
      return tips.filter((tip) => !isHome(end)(tip)).map((tip) => tip.moves.find((move) => isHome(apply(end, move))(tip)));
    }

    const solve = (state) => [core.solve(state), ...turns(state)].filter(Boolean).join(" ");
    // The number of states with so many turned tips; their turns add to the depth.
    const ways = tips.reduce((found, { moves }) => [...found, 0].map((number, i) => number + moves.length * (found[i - 1] ?? 0)), [1]);
    const others = core.puzzle.distribution, distribution = Array(others.length + tips.length).fill(0);
    others.forEach((number, depth) => ways.forEach((way, turned) => (distribution[depth + turned] += number * way)));

    /** Return the depth of the other pieces in a random state at a depth. */
    function depthOfOthers(depth) {
      let left = Math.floor(random() * distribution[depth]);
      return others.findIndex((number, each) => (left -= number * (ways[depth - each] ?? 0)) < 0);
    }

    function scramble(_, depth) {
      if (depth === undefined) {
        const turned = tips.map(({ moves }) => drawnOf(["", ...moves]));
        return [core.setup(core.drawn(random, null)).alg, ...turned].filter(Boolean).join(" ");
      }
      if (!distribution[depth]) throw problem(`no state has depth ${depth}`, 422);
      const begun = depthOfOthers(depth), left = [...tips];
      const chosen = Array.from({ length: depth - begun }, () => left.splice(Math.floor(random() * left.length), 1)[0]);
      return [core.setup(core.drawn(random, begun)).alg, ...chosen.map(({ moves }) => drawnOf(moves))].filter(Boolean).join(" ");
    }

    return { ...core, solve, scramble, puzzle: { ...core.puzzle, distribution },
      depth: (state) => core.depth(state) + turns(state).length,
      optimalMoves: (state, all) => [...core.optimalMoves(state, all), ...turns(state)],
      isSolved: (state) => !solve(state),
      setup: (state) => ({ alg: invert(solve(state)) }),
      randomState: () => apply(solved, scramble()) };
  }

  const ended = () => new DOMException("another puzzle is chosen", "AbortError");

  const workerOf = (text) => new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));

  // -- Rolling cubes --------------------------------------------------------------------------------------------------

  /** Return the function that answers requests about rolling cubes. */
  function rolling(about, data) {
    const trays = cubesolve.trays(data), tables = new Map(); // promises of distances, by goal
    const pending = new Map(); // what ends the enumerations that go on, by goal
    const text = `const cubesolve = {}; cubesolve.trays = ${cubesolve.trays};
      const trays = cubesolve.trays(${JSON.stringify({ ...data, looks: null })});
      self.onmessage = ({ data: goal }) => {
        const depths = trays.distances(trays.readGoal(goal));
        self.postMessage({ goal, depths }, [depths.buffer]);
      };`;
    let worker = null;

    function tried(work) {
      try {
        return work();
      } catch (error) {
        throw problem(error.message, 422);
      }
    }

    /** Return the distances to a goal. */
    function table(goal) {
      tried(() => trays.readGoal(goal));
      if (!tables.has(goal)) {
        if (tables.size === MOST_TABLES) tables.delete(tables.keys().next().value);
        const used = (worker ||= workerOf(text));
        tables.set(goal, new Promise((done, fail) => {
          const listen = ({ data: found }) => {
            if (found.goal !== goal) return;
            used.removeEventListener("message", listen);
            pending.delete(goal);
            done(found.depths);
          };
          pending.set(goal, fail);
          used.addEventListener("message", listen);
          used.postMessage(goal);
        }));
      }
      return tables.get(goal);
    }

    /** End the worker if it enumerates; it starts again with the next goal. */
    function rest() {
      if (!pending.size) return;
      worker.terminate();
      worker = null;
      for (const [goal, fail] of pending) {
        tables.delete(goal);
        fail(ended());
      }
      pending.clear();
    }

    /** Return the rolls that begin an optimal solution, each with the tray after it. */
    function nearer(depths, tray) {
      const here = depths[trays.rank(tray)];
      return trays.rolled(tray).filter((roll) => depths[trays.rank(roll.tray)] < here);
    }

    const shown = (tray) => ({ state: trays.write(tray), solved: null,
      cells: tray.map((each, cell) => data.looks[cell].cells[each + 1]) });
    const sceneOf = (tray) => ({ ...data.scene,
      parts: tray.flatMap((each, cell) => (each < 0 ? [] : [data.looks[cell].parts[each]])) });

    /** Return the numbers of the cubes in the cells. */
    const numbersOf = (tray) => tray.map((_, cell) => tray.slice(0, cell).filter((each) => each >= 0).length);
    const motionOf = (tray, { move, source }, numbers) =>
      ({ move, ...data.motions[tray.indexOf(-1)][move], parts: [numbers[source]] });

    function play(start, alg) {
      const steps = [{ move: null, motion: null, ...shown(start) }], numbers = numbersOf(start);
      let tray = start;
      for (const move of alg.replace(/\s/g, "")) {
        const roll = trays.rolled(tray).find((each) => each.move === move);
        if (!roll) throw problem(`'${move}' is not ${about.moves.includes(move) ? "possible" : "a roll"} here`, 422);
        const motion = motionOf(tray, roll, numbers);
        numbers[tray.indexOf(-1)] = numbers[roll.source];
        steps.push({ move, motion, ...shown((tray = roll.tray)) });
      }
      return { scene: sceneOf(start), steps };
    }

    /** Return a random tray of those that lead to the usual goal, perhaps of some depth. */
    async function draw(depth) {
      const depths = await table(about.solved), tray = [];
      const isDrawn = (each) => (depth === undefined ? each !== trays.UNKNOWN : each === depth);
      const number = depths.reduce((sum, each) => sum + isDrawn(each), 0);
      if (!number) throw problem(`no tray has depth ${depth}`, 422);
      let left = Math.floor(cubesolve.secureRandom() * number);
      trays.unrank(depths.findIndex((each) => isDrawn(each) && left-- === 0), tray);
      return trays.write(tray);
    }

    async function answer(endpoint, { start: text, state: goal, alg = "", depth }) {
      if (endpoint === "random") return { state: await draw(depth) };
      const start = tried(() => trays.read(text));
      tried(() => trays.readGoal(goal));
      if (endpoint === "play") return play(start, alg);
      const motions = () => trays.rolled(start).map((roll) => motionOf(start, roll, numbersOf(start)));
      if (endpoint === "motions") return { scene: sceneOf(start), motions: motions() };
      const depths = await table(goal), found = depths[trays.rank(start)], way = [];
      if (found === trays.UNKNOWN) throw problem(`no rolls lead to the goal from ${trays.write(start)}`, 422);
      if (endpoint === "depth") return { depth: found };
      if (endpoint === "moves") return { moves: nearer(depths, start).map(({ move }) => move) };
      for (let tray = start, roll; ([roll] = nearer(depths, tray)) && roll; tray = roll.tray) way.push(roll.move);
      return { rolls: found, solution: way.join("") };
    }

    return { answer, rest };
  }

  // -- Searches in a worker -------------------------------------------------------------------------------------------

  /** Run in a worker: answer each message with solutions, until the next message comes. */
  function answering(search) {
    let latest = 0;
    self.postMessage({ id: "beginning", isOver: true });
    self.onmessage = async ({ data: { id, ...asked } }) => {
      latest = id;
      if (!id) return;
      for (const _ of search(asked, (moves, bound) => self.postMessage({ id, moves, bound }))) {
        await new Promise((then) => setTimeout(then)); // the next message may come
        if (latest !== id) break;
      }
      self.postMessage({ id, isOver: true });
    };
  }

  /**
   * Return functions: one that searches in a worker for better and better solutions, until the time ends or the signal
   * aborts; one that lets the worker derive its tables before; and one that ends it while it derives tables, when another
   * puzzle is chosen.
   */
  function improving(text, worded) {
    let searches = 0, before = Promise.resolve(), worker = null;
    let running = 0, fails = () => {}; // of the search that is running
    function begin() {
      if (worker) return;
      worker = workerOf(text);
      running = "beginning";
      worker.addEventListener("message", ({ data }) => {
        if (data.isOver && data.id === running) running = 0;
      });
    }
    const search = (state, signal, hear, { seconds = SECONDS, ...more } = {}) => new Promise((done, fail) => {
      signal.throwIfAborted();
      begin();
      const id = (running = ++searches), used = worker;
      const end = (settled, value) => {
        used.removeEventListener("message", listen);
        used.removeEventListener("error", broken);
        signal.removeEventListener("abort", stop);
        settled(value);
      };
      const broken = ({ message }) => end(fail, problem(message, 500));
      const listen = ({ data }) => {
        if (data.id !== id) return;
        if (data.isOver) end(done);
        else hear(worded(data.moves, more), data.bound);
      };
      const stop = () => {
        used.postMessage({ id: 0 });
        end(fail, signal.reason);
      };
      fails = (error) => end(fail, error);
      used.addEventListener("message", listen);
      used.addEventListener("error", broken);
      signal.addEventListener("abort", stop);
      used.postMessage({ id, state, seconds, ...more });
    });
    async function rest() {
      const left = running;
      worker?.postMessage({ id: 0 });
      await new Promise((then) => setTimeout(then, SOON));
      if (!left || running !== left) return;
      worker.terminate();
      [worker, running] = [null, 0];
      fails(ended());
    }
    return { begin, improve: (...about) => (before = before.catch(() => {}).then(() => search(...about))), rest };
  }

  // -- The 3x3x3 ------------------------------------------------------------------------------------------------------

  /** Return a solver of the 3x3x3, whose searches run in a worker. */
  function searching(embedded, facelets) {
    const [moves, rotations] = ["moves", "generators"].map((kind) =>
      embedded[kind].filter(({ rotates }) => kind === "moves" || rotates).map(({ cases }) => cases[0].sources));
    const phases = cubesolve.twoPhase(moves, rotations), names = embedded.moves.map(({ name }) => name);
    /** Return the words of a solution in a metric: where quarter turns count one, a half turn is two of them. */
    const worded = (found, { metric }) => found && found.flatMap((move) =>
      (metric === "qtm" && move % 3 === 1 ? Array(2).fill(names[move - 1]) : [names[move]]));
    const text = `const cubesolve = { twoPhase: ${cubesolve.twoPhase}, pieces: ${cubesolve.pieces} };
      const phases = cubesolve.twoPhase(...${JSON.stringify([moves, rotations])}), known = phases.tables();
      const pieces = cubesolve.pieces(phases, known);
      (${answering})(({ state, metric = "htm", goal, seconds }, hear) => (goal ? pieces.search(goal, state, metric, seconds, hear)
        : phases.search(known, state, metric, seconds, hear)));`;
    const solver = cubesolve.makeSolver({ ...embedded, check: phases.read }, new Uint8Array(0));
    const letters = [...solver.format(solver.solved)];
    const read = cubesolve.facelets(embedded, facelets, (symbols) => phases.named(symbols, letters));
    return { ...reading(solver, read), ...improving(text, worded), upright: phases.upright,
      isSolved: (state) => phases.upright(state).every((label, point) => label === point),
      randomState: (random = cubesolve.secureRandom) => Object.freeze(phases.randomState(random)) };
  }

  async function puzzleNamed(name) {
    const isListed = cubesolve.offline.puzzles.some((each) => each.name === name);
    if (!isListed && !loading.has(name)) throw problem(`the puzzle \u201c${name}\u201d is not there`, 404);
    if (!loading.has(name)) {
      loading.set(name, load(name));
      loading.get(name).catch(() => loading.delete(name));
    }
    return loading.get(name);
  }

  /** Return the description of the puzzle that is shown; what others derive ends. */
  async function taken(name) {
    const { about } = await puzzleNamed(name);
    for (const [other, found] of loading) if (other !== name) found.then(({ solver, rolling }) => (rolling || solver)?.rest?.(), () => {});
    return about;
  }

  /** Return whether a search has the answer: about the 3x3x3, and about goals of it that are searched for and have no table. */
  const isSought = ({ about, pieces, tables }, { metric = about.metrics[0], goal }) => about.searches
    && Boolean(!goal || (pieces[goal] && !tables.includes(`${metric}@${goal}`)));

  /** Return the solver in a metric and to a goal. */
  function measuring(puzzle, { metric, goal }) {
    const { about, solver } = puzzle;
    if (isSought(puzzle, { metric, goal })) return seeking(puzzle, metric, goal);
    if (!metric && !goal) return solver;
    const name = [about.name, metric || about.metrics[0], goal || ""].join("@");
    if (!loading.has(name)) {
      loading.set(name, run(name).then(({ parts }) => Promise.all(parts.map(towards))).then((parts) => nearest(parts, solver)));
      loading.get(name).catch(() => loading.delete(name));
    }
    return loading.get(name);
  }

  /** Return the solver of a goal, or of the whole puzzle, by searches; those that end without a proof reject. */
  function seeking(puzzle, metric, goal) {
    const { solver, pieces } = puzzle;
    async function proved(state) {
      let found = {};
      const hear = (moves, bound) => (found = improved(puzzle, moves, bound));
      await solver.improve(state, new AbortController().signal, hear, { metric, goal: goal && pieces[goal] });
      if (!found.proved) throw unproved(found);
      return found;
    }
    return { depth: async (state) => (await proved(state)).at_least,
      solve: async (state) => (await proved(state)).solution,
      optimalMoves: async (state) => solver.split((await proved(state)).solution).slice(0, 1) };
  }

  /** Return the solver of a goal. */
  const towards = async ({ embedded, packed }) => cubesolve.makeSolver(embedded, await cubesolve.unpack(packed));

  /** Return the solver to the nearest of several goals; the centres of a cube show how it is held. */
  function nearest(parts, { upright = (state) => state }) {
    const best = (state) => {
      const depths = parts.map((part) => part.depth(upright(state))), depth = Math.min(...depths);
      return { depth, near: parts.filter((_, i) => depths[i] === depth) };
    };
    return { ...parts[0],
      depth: (state) => best(state).depth,
      solve: (state) => best(state).near[0].solve(upright(state)),
      optimalMoves: (state, all) => [...new Set(best(state).near.flatMap((part) => part.optimalMoves(upright(state), all)))] };
  }

  const unproved = ({ at_least }) => Object.assign(problem(`the search has ended after ${SECONDS} seconds`, 503), { at_least });

  const problem = (words, status) => Object.assign(new Error(words), { status });

  function read({ solver }, { state, format }) {
    try {
      return format === "alg" ? solver.apply(solver.solved, state) : solver.parse(state);
    } catch (error) {
      throw Object.assign(problem(error.message, 422), { facelets: error.facelets });
    }
  }

  // -- Drawings -------------------------------------------------------------------------------------------------------

  function shown({ solver, drawing }, state) {
    const cells = drawing.cells && drawing.cells.map(({ point, looks, ...cell }) => ({ ...cell, ...looks?.[state[point]] }));
    return { state: solver.format(state), solved: solver.isSolved(state), cells };
  }

  function sceneOf({ drawing }, state) {
    const side = ({ point, looks, ...rest }) => (looks ? { ...rest, colour: looks[state[point]].colour } : rest);
    return drawing.scene && { ...drawing.scene, parts: drawing.scene.parts.map((part) => part.map(side)) };
  }

  /** Return the motions of moves, one after the other; parts keep the numbers that they have before the first. */
  function motionsOf({ drawing }, moves) {
    if (!drawing.scene) return moves.map(() => null);
    let numbers = drawing.scene.parts.map((_, place) => place);
    return moves.map((move) => {
      const { targets, ...motion } = drawing.motions[move];
      const parts = motion.parts.map((place) => numbers[place]).sort((a, b) => a - b), before = numbers;
      numbers = [...before];
      motion.parts.forEach((place, i) => (numbers[targets[i]] = before[place]));
      return { move, ...motion, parts };
    });
  }

  // -- Searches -------------------------------------------------------------------------------------------------------

  /** Return the number of moves that count. */
  const counted = ({ solver }, moves) => moves.filter((move) => !solver.puzzle.rotations.includes(move)).length;

  function improved(puzzle, moves, bound) {
    if (!moves) return { at_least: bound };
    const number = counted(puzzle, moves);
    return { [puzzle.about.unit]: number, at_least: bound, proved: bound === number, solution: moves.join(" ") };
  }

  /** Return the first solution of a search. */
  function firstOf(puzzle, state, metric) {
    const found = new AbortController();
    return new Promise((done, fail) => {
      puzzle.solver.improve(state, found.signal, (moves, bound) => {
        done(improved(puzzle, moves, bound));
        found.abort();
      }, { metric }).catch(fail); // no effect after the first solution
    });
  }

  /** Return an alg that leads from the solved state to a state: the inverse of a solution. */
  async function setup(puzzle, state) {
    const { about, solver } = puzzle;
    if (about.searches) return solver.invert((await firstOf(puzzle, state)).solution);
    const { alg, turn } = solver.setup(state);
    return [alg, turn ? rotating(solver, turn) : ""].filter(Boolean).join(" ");
  }

  const turned = new WeakMap(); // orientations, by puzzle

  /** Return the solved states in all orientations, as text, and rotations of the whole puzzle that lead there. */
  function orientations({ solved, apply, invert, puzzle }) {
    if (turned.has(puzzle)) return turned.get(puzzle);
    const turns = puzzle.rotations.flatMap((name) => [name, `${name}2`, invert(name)]), found = new Map([[String(solved), ""]]);
    for (const words of found.values())
      for (const longer of turns.map((turn) => `${words} ${turn}`.trim())) {
        const there = String(apply(solved, longer));
        if (!found.has(there)) found.set(there, longer);
      }
    turned.set(puzzle, found);
    return found;
  }

  /** Return rotations of the whole puzzle with this effect. */
  const rotating = (solver, sources) => orientations(solver).get(String(sources.map((point) => solver.solved[point])));

  /** Return a scramble to a random state. */
  async function scrambled(puzzle, fields) {
    if (isSought(puzzle, fields)) return setup(puzzle, puzzle.solver.randomState());
    return (await measuring(puzzle, fields)).scramble(undefined, fields.depth);
  }

  /** Search for better and better solutions, and show each; throw when the time has ended. */
  async function follow(fields, signal, hear) {
    const puzzle = await puzzleNamed(fields.puzzle), state = read(puzzle, fields);
    if (!isSought(puzzle, fields)) {
      const alg = await rejecting(async () => (await measuring(puzzle, fields)).solve(state));
      const moves = puzzle.solver.split(alg);
      return hear(improved(puzzle, moves, moves.length));
    }
    if (!fields.goal && puzzle.solver.isSolved(state)) {
      puzzle.solver.begin();
      return hear(improved(puzzle, [], 0));
    }
    let best = null;
    await puzzle.solver.improve(state, signal, (moves, bound) => hear((best = improved(puzzle, moves, bound))),
      { metric: fields.metric, goal: fields.goal && puzzle.pieces[fields.goal] });
    if (!best || !best.proved) throw unproved(best || {});
  }

  // -- Requests -------------------------------------------------------------------------------------------------------

  /** Return the answer of a function; errors about the request have a status. */
  async function rejecting(work) {
    try {
      return await work();
    } catch (error) {
      throw error.status || error.name === "AbortError" ? error : problem(error.message, 422);
    }
  }

  /** Answers to requests that have no state. */
  const BEGINNINGS = {
    scramble: async (puzzle, fields) => ({ scramble: await scrambled(puzzle, fields) }),
    random: ({ solver }) => ({ state: solver.format(solver.randomState()) }),
  };

  const ANSWERS = {
    depth: async (puzzle, state, fields) => ({ depth: await (await measuring(puzzle, fields)).depth(state) }),
    solve: async (puzzle, state, fields) => (isSought(puzzle, fields) && !fields.goal
      ? firstOf(puzzle, state, fields.metric) : { solution: await (await measuring(puzzle, fields)).solve(state) }),
    moves: async (puzzle, state, fields) => ({ moves: await (await measuring(puzzle, fields)).optimalMoves(state, true) }),
    motions: (puzzle, state) => ({
      scene: sceneOf(puzzle, state),
      motions: puzzle.turns.flatMap((move) => motionsOf(puzzle, [move])),
    }),
    play(puzzle, state, { alg = "" }) {
      const moves = puzzle.solver.split(alg), motions = motionsOf(puzzle, moves);
      const steps = [{ move: null, motion: null, ...shown(puzzle, state) }];
      let here = state;
      moves.forEach((move, i) => {
        here = puzzle.solver.apply(here, move);
        steps.push({ move, motion: motions[i], ...shown(puzzle, here) });
      });
      return { scene: sceneOf(puzzle, state), steps };
    },
  };

  /** Answer a request of the page. */
  async function answer(path, fields) {
    const [endpoint, name] = path.split("/");
    if (endpoint === "puzzles") return name ? taken(decodeURIComponent(name)) : cubesolve.offline.puzzles;
    const puzzle = await puzzleNamed(fields.puzzle);
    if (puzzle.rolling) return puzzle.rolling.answer(endpoint, fields);
    return rejecting(() => (BEGINNINGS[endpoint] ? BEGINNINGS[endpoint](puzzle, fields)
      : ANSWERS[endpoint](puzzle, read(puzzle, fields), fields)));
  }

  if (location.protocol !== "file:" && navigator.serviceWorker)
    navigator.serviceWorker.register("service_worker.js").catch(() => {}); // the page works, with a network

  return { add, answer, follow, puzzles: [] };
})();
