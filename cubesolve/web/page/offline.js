// Answers the requests of the page without a server: solvers, drawings and tables come in scripts, one for each puzzle.
"use strict";
cubesolve.offline = (() => {
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
    const { about, drawing, embedded, packed } = arrived.get(name);
    return { about, drawing, solver: cubesolve.makeSolver(embedded, await cubesolve.unpack(packed)) };
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

  // -- Requests -------------------------------------------------------------------------------------------------------

  const ANSWERS = {
    depth: ({ solver }, state) => ({ depth: solver.depth(state) }),
    solve: ({ solver }, state) => ({ solution: solver.solve(state) }),
    moves: ({ solver }, state) => ({ moves: solver.optimalMoves(state) }),
    motions: (puzzle, state) => ({
      scene: sceneOf(puzzle, state),
      motions: puzzle.about.moves.flatMap((move) => motionsOf(puzzle, [move])),
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
    if (endpoint === "puzzles") return name ? (await puzzleNamed(decodeURIComponent(name))).about : cubesolve.offline.puzzles;
    const puzzle = await puzzleNamed(fields.puzzle);
    if (endpoint === "random") return { state: puzzle.solver.format(puzzle.solver.randomState()) };
    const state = read(puzzle, fields);
    try {
      return ANSWERS[endpoint](puzzle, state, fields);
    } catch (error) {
      throw problem(error.message, 422);
    }
  }

  return { add, answer, puzzles: [] };
})();
