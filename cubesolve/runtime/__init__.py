"""Running: limits, threads, kernels, files and messages. Nothing here is about puzzles.

In reading order: `arguments` validates arguments; `deadline` and `notices` hold the limits and listeners of the current
question; `machine` and `workers` are about processors and threads; `files`, `folders`, `atomic`, `temporary` and
`locks` keep files private and whole; `kernels` declares functions for Numba, and the modules that it imports compile
and store them.
"""
