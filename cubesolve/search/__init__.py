"""Search for solutions without a table of all distances.

In reading order: `limits` says how far and how long to search. `near` and `bidirectional` search from both ends.
`ida_star` deepens with pattern databases, whose `rounds` are divided among threads; `additive`, `sliding` and
`slides` are for tiles, `gaps` for pancakes; `packed`, `hashed` and `bloom` keep the states at each depth.
`pattern_selection` chooses projections, and `statistics` predicts nodes. `phases` and `phased` reduce in steps,
`stages` with the tables of `stage_tables` where these have too many states. `short` finds some solution: `slots` are
its arrays, `cycles`, `commutators` and `three_cycles` short algs, `chain`, `annealing` and `insertions` make solutions
of them.
"""
