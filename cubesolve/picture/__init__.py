"""Pictures of states.

In reading order: `pictures` has coloured outlines, `render` writes them as SVG and as pages for printing, `vectors`
computes in space, `scenes` has bodies in 3D, `nets` unfolds them, and `player` is a page that plays an alg.
"""
