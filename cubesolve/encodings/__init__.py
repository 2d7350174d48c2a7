"""How distances are found: the kernels."""
