"""The page and the JSON interface of ``cubesolve serve``, which need the optional extra ``web``."""
