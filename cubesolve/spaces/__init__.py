"""Where the states of puzzles are: arrays of base and fibre (numpy)."""
