"""Definitions of puzzles (pure Python).

In reading order: `notation` reads algs and `metrics` chooses moves; `definition` is a puzzle as data, `formats` reads
and writes it, and `selection` chooses among its moves. `rotations`, `several`, `reach`, `sliding` and `phases` compute
properties of definitions. `facelets`, `state` and `texts` are about states; `view`, `piece_view`, `facelet_view`,
`shapes` and `geometry` show them; `goals`, `goal_texts`, `named_steps` and `cases` have goals and cases.
"""
