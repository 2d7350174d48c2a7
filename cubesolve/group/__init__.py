"""Permutation groups, in pure Python.

In reading order: `permutations` has the arithmetic, `moves` gives permutations costs and preconditions, `pieces`
divides points into pieces, and `group` is the group that moves generate (Schreier-Sims), with `full_group` for those
that contain all even permutations. `elements` finds elements of it, and has parity invariants. `symmetries` and
`isomorphism` compare puzzles under relabelling. `canonical` has the sequences of moves that a search need not skip.
"""
