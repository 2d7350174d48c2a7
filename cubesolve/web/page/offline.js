// Answers the requests of the page without a server: solvers, drawings and tables come in scripts, one for each puzzle.
"use strict";
cubesolve.offline = (() => {
  const SECONDS = 20; // of a search
  const loading = new Map(); // promises of puzzles, by name
  const arrived = new Map(); // what the scripts have brought

  /** Keep a puzzle; its script calls this. */
  const add = (name, content) => arrived.set(name, content);

  async function load(name) {
    await new Promise((done, fail) => {
      const script = Object.assign(document.createElement("script"), { src: `puzzles/${encodeURIComponent(name)}.js` });
      script.addEventListener("load", done);
      script.addEventListener("error", () => fail(problem(`the puzzle \u201c${name}\u201d is not there`, 404)));
      document.head.append(script);
    });
    const { embedded, packed, ...content } = arrived.get(name);
    const solver = content.about.searches ? searching(embedded) : cubesolve.makeSolver(embedded, await cubesolve.unpack(packed));
    return { ...content, solver };
  }

  const workerOf = (text) => new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));

  /** Take the puzzle of a definition file; return its description. */
  async function addFile({ name: file, text }) {
    const isTaken = cubesolve.offline.puzzles.some(({ name }) => name === file), name = isTaken ? `./${file}` : file;
    const worker = workerOf(`const cubesolve = {}; ${cubesolve.makeSolver}
      cubesolve.definitions = ${cubesolve.definitions};
      (${reader})();`);
    const { error, embedded, bytes } = await new Promise((done, fail) => {
      worker.addEventListener("message", ({ data }) => done(data));
      worker.addEventListener("error", ({ message }) => fail(problem(message, 500)));
      worker.postMessage({ file, text });
    }).finally(() => worker.terminate());
    if (error) throw Object.assign(problem(error, 422), { file });
    const solver = cubesolve.makeSolver(embedded, new Uint8Array(bytes)), { title, unit, moves } = embedded;
    const about = { name, title, unit, moves: moves.map((move) => move.name), gods_number: -1, format: "pieces",
      solved: solver.format(solver.solved), formats: { pieces: "", alg: "" },
      metrics: ["htm"], facelets: null, needs_start: false, searches: false, goals: [], case_sets: {}, methods: {}, analyses: false };
    loading.set(name, Promise.resolve({ about, solver, drawing: { cells: null, scene: null, motions: {} } }));
    return about;
  }

  /** Run in the worker: answer with the solver of a file as data, or with an error. */
  function reader() {
    self.onmessage = ({ data: { file, text } }) => {
      try {
        const found = cubesolve.definitions(makeSolver).derive(text, file);
        self.postMessage(found, [found.bytes]);
      } catch (error) {
        self.postMessage({ error: error.message });
      }
    };
  }

  /** Return a solver of the 3x3x3, whose searches run in a worker. */
  function searching(embedded) {
    const [moves, rotations] = ["moves", "generators"].map((kind) =>
      embedded[kind].filter(({ rotates }) => kind === "moves" || rotates).map(({ cases }) => cases[0].sources));
    const phases = cubesolve.twoPhase(moves, rotations), names = embedded.moves.map(({ name }) => name);
    const worker = workerOf(`const cubesolve = { twoPhase: ${cubesolve.twoPhase} };
      (${searcher})(${JSON.stringify([moves, rotations])});`);
    let searches = 0, before = Promise.resolve();
    /** Search for better and better solutions, until the time ends or the signal aborts. */
    const search = (state, signal, hear) => new Promise((done, fail) => {
      const id = ++searches;
      signal.throwIfAborted();
      const end = (settled, value) => {
        worker.removeEventListener("message", listen);
        worker.removeEventListener("error", broken);
        signal.removeEventListener("abort", stop);
        settled(value);
      };
      const broken = ({ message }) => end(fail, problem(message, 500));
      const listen = ({ data }) => {
        if (data.id !== id) return;
        if (data.isOver) end(done);
        else hear(data.moves.map((move) => names[move]), data.bound);
      };
      const stop = () => {
        worker.postMessage({ id: 0 });
        end(fail, signal.reason);
      };
      worker.addEventListener("message", listen);
      worker.addEventListener("error", broken);
      signal.addEventListener("abort", stop);
      worker.postMessage({ id, state, seconds: SECONDS });
    });
    const improve = (...about) => (before = before.catch(() => {}).then(() => search(...about)));
    const solver = cubesolve.makeSolver({ ...embedded, check: phases.read }, new Uint8Array(0));
    const letters = [...solver.format(solver.solved)];
    return { ...solver, improve,
      parse: (text) => solver.parse(phases.named([...text.replace(/\s/g, "")], letters).join("")),
      isSolved: (state) => phases.upright(state).every((label, point) => label === point),
      randomState: (random = cubesolve.secureRandom) => Object.freeze(phases.randomState(random)) };
  }

  /** Run in the worker: answer each message with solutions, until the next message comes. */
  function searcher([moves, rotations]) {
    const phases = cubesolve.twoPhase(moves, rotations), known = phases.tables();
    let latest = 0;
    self.onmessage = async ({ data: { id, state, seconds } }) => {
      latest = id;
      if (!id) return;
      const hear = (found, bound) => self.postMessage({ id, moves: found, bound });
      for (const _ of phases.search(known, state, seconds, hear)) {
        await new Promise((then) => setTimeout(then)); // the next message may come
        if (latest !== id) return;
      }
      self.postMessage({ id, isOver: true });
    };
  }

  function puzzleNamed(name) {
    if (!loading.has(name)) {
      loading.set(name, load(name));
      loading.get(name).catch(() => loading.delete(name));
    }
    return loading.get(name);
  }

  const problem = (words, status) => Object.assign(new Error(words), { status });

  function read({ solver }, { state, format }) {
    try {
      return format === "alg" ? solver.apply(solver.solved, state) : solver.parse(state);
    } catch (error) {
      throw problem(error.message, 422);
    }
  }

  // -- Drawings -------------------------------------------------------------------------------------------------------

  function shown({ solver, drawing }, state) {
    const cells = drawing.cells && drawing.cells.map(({ point, looks, ...cell }) => ({ ...cell, ...looks[state[point]] }));
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

  const improved = ({ unit }, moves, bound) => ({ [unit]: moves.length, at_least: bound, proved: bound === moves.length,
    solution: moves.join(" ") });

  /** Return the first solution of a search. */
  function firstOf(about, solver, state) {
    const found = new AbortController();
    return new Promise((done, fail) => {
      solver.improve(state, found.signal, (moves, bound) => {
        done(improved(about, moves, bound));
        found.abort();
      }).catch(fail); // no effect after the first solution
    });
  }

  /** Search for better and better solutions, and show each; throw when the time has ended. */
  async function follow(fields, signal, hear) {
    const puzzle = await puzzleNamed(fields.puzzle);
    let best = null;
    await puzzle.solver.improve(read(puzzle, fields), signal, (moves, bound) => hear((best = improved(puzzle.about, moves, bound))));
    if (!best || !best.proved) throw problem(`the search has ended after ${SECONDS} seconds`, 503);
  }

  // -- Requests -------------------------------------------------------------------------------------------------------

  const ANSWERS = {
    depth: ({ solver }, state) => ({ depth: solver.depth(state) }),
    solve: ({ about, solver }, state) => (about.searches ? firstOf(about, solver, state) : { solution: solver.solve(state) }),
    moves: ({ solver }, state) => ({ moves: solver.optimalMoves(state) }),
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
    if (endpoint === "puzzles" && fields) return addFile(fields);
    if (endpoint === "puzzles") return name ? (await puzzleNamed(decodeURIComponent(name))).about : cubesolve.offline.puzzles;
    const puzzle = await puzzleNamed(fields.puzzle);
    if (endpoint === "scramble") return { scramble: puzzle.solver.scramble() };
    if (endpoint === "random") return { state: puzzle.solver.format(puzzle.solver.randomState()) };
    const state = read(puzzle, fields);
    try {
      return await ANSWERS[endpoint](puzzle, state, fields);
    } catch (error) {
      throw problem(error.message, 422);
    }
  }

  if (location.protocol !== "file:" && navigator.serviceWorker)
    navigator.serviceWorker.register("service_worker.js").catch(() => {}); // the page works, with a network

  return { add, answer, follow, puzzles: [] };
})();
