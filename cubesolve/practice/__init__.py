"""Practice: what cubers do.

In reading order: `events` makes scrambles for the events of competitions, `steps` finds the steps of a solution,
`step_cases` lists the cases of a step, `trainers` makes scrambles for exercises, `analysis` measures a solution move by
move, `inverses` reads solutions with moves on the inverse and describes what they leave, and `ergonomics` rates algs
for the hands.
"""
