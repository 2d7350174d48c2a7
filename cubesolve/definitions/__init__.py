"""What a puzzle is, in general: its states, how they are written, its moves, and which tables it has."""
