// Load modules, and return their answers to the questions about each.
async (load, asked) => {
  const attempt = (work) => { try { return work(); } catch (error) { return {error: error.message}; } };
  return Promise.all(asked.map(async ([path, {texts, algs, wrong, draws}]) => {
    const made = await load(path);
    return {
      facts: made.puzzle,
      states: texts.map((text) => {
        const state = made.parse(text);
        const { depth, solve, optimalMoves, isSolved } = made;
        return [made.format(state), depth(state), solve(state), optimalMoves(state), isSolved(state)];
      }),
      algs: algs.map((alg) => attempt(() => made.format(made.apply(made.solved, alg)))),
      inverses: algs.map((alg) => attempt(() => made.format(made.apply(made.solved, `${alg}\n ${made.invert(alg)}`)))),
      wrong: wrong.map((text) => attempt(() => made.parse(text))),
      draws: draws.map((number) => made.scramble(() => number)),
      random: draws.slice(0, 1).map(() => made.depth(made.randomState())),
    };
  }));
}
