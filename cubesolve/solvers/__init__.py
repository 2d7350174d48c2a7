"""Answers to questions about a puzzle: from a table, or by a search.

In reading order: `keywords` names the questions, `answers` what they return, `questions` is a question about one state
and decides when an answer is narrow enough; `solver` has every question, and the loop that narrows an answer. `table`
answers from a table, `derived` from a table or a search of a definition, `goals` and `nearest` towards goals,
`phased` by phases. `searched` and `opening` prepare searches; `anything`,
`beam`, `beams`, `loops`, `isomorphic` and `beginnings` find some solution. `arrays`, `many`, `searched_arrays`,
`defined_arrays` and `state_arrays` answer about many states, with `faults`. `counting`, `counts` and `expected` count
states. `workbench`, `heuristics` and `guided` are for heuristics, `case_algs` and `case_search` for algs of cases,
`sources` for random numbers.
"""
