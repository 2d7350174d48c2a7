"""Definitions of puzzles (pure Python).

In reading order: `notation` reads algs and `metrics` chooses moves; `definition` is a puzzle as data, `formats` reads
and writes it, and `selection` chooses among its moves. `rotations`, `frames`, `free`, `single`, `apart`, `reach`,
`sliding`, `blocks` and `phases` compute properties of definitions. `facelets`, `state`, `labelling` and `texts` are
about states; `view`, `piece_view`, `facelet_view`, `shapes` and `geometry` show them; `goals`, `piece_goals`,
`facelet_goals`, `named_steps`, `case_sets` and `cases` have goals and cases.
"""
