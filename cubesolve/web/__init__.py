"""The page and the JSON interface of ``cubesolve serve``, which need the optional extra ``web``.

In reading order: `serving` runs the server, and `app` is its application, which `guard` protects. `models` describes
requests; `answers` and `practice` answer them, about the puzzles in `served`; `problems` turns errors into statuses.
`searches` has worker processes, each of which runs `worker`. `offline` writes the page for use without a server.
"""
