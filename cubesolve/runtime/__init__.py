"""Running: limits, threads, kernels, files and messages. Nothing here is about puzzles.

In reading order: `arguments` validates arguments; `deadline` and `notices` hold the limits and listeners of the current
question; `machine` and `workers` are about processors and threads; `files` keeps files private and whole; `locks` has
locks; `prepared` keeps results; `kernels` declares functions for Numba, and the modules that it imports compile and
store them.
"""
