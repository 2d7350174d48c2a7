/** A state: the label on each point of the puzzle. `format` writes it as text. */
export type State = readonly number[];

/** The puzzle. */
export const puzzle: {
  readonly name: string;
  readonly title: string;
  readonly metric: string;
  /** What is counted: moves, rolls. */
  readonly unit: string;
  readonly states: number;
  /** The number of states at each depth. */
  readonly distribution: readonly number[];
  readonly moves: readonly string[];
  readonly rotations: readonly string[];
};

/** The solved state. */
export const solved: State;

/** Return the state that a text describes. Throws an Error if it describes none, or one that no moves lead to. */
export function parse(text: string): State;

/** Return the text of a state. */
export function format(state: State): string;

/** Return the state after an alg. Throws an Error if a token is not a move, or the move is not possible. */
export function apply(state: State, alg: string): State;

/** Return the inverse of an alg. */
export function invert(alg: string): string;

/** Return the moves of an alg. */
export function split(alg: string): string[];

export function isSolved(state: State): boolean;

/** Return the length, or the cost, of an optimal solution. Throws an Error if no moves lead to the state. */
export function depth(state: State): number;

/** Return an optimal solution. */
export function solve(state: State): string;

/** Return the moves that begin an optimal solution. */
export function optimalMoves(state: State): string[];

/**
 * Return an alg from the solved state to a uniformly random state: the inverse of its optimal solution.
 *
 * @param random returns numbers from 0 up to 1, not included, such as Math.random; by default a secure source.
 * @param depth the depth of the state; states are drawn until one is there.
 */
export function scramble(random?: () => number, depth?: number): string;

/** Return a uniformly random state. */
export function randomState(random?: () => number): State;
