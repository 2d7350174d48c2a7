"""Learning: states and exact distances for programs that learn.

In reading order: `export` writes whole tables, `labels` returns labels of arrays of states, `states` moves ranks and
rows of labels alike, `envs` has environments for Gymnasium, `dataset` writes data sets in shards, and `research`
evaluates policies and heuristics.
"""
