"""The page and the JSON interface of ``cubesolve serve``; the optional extra ``web`` brings what it needs."""
