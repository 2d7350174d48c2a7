"""Short solutions of the 3x3x3 by Herbert Kociemba's two-phase algorithm.

The first phase leads into the subgroup H that U, D, R2, L2, F2 and B2 generate, the second one solves the cube with
these moves alone. Source: Herbert Kociemba, "The Two-Phase Algorithm", kociemba.org/cube.htm.
"""
