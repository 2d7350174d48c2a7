"""Pictures of states.

In reading order: `pictures` has coloured outlines, `render` writes them as text and SVG, `scenes` has bodies in 3D,
`nets` unfolds them, `sheets` prints pages of pictures, and `player` is a page that plays an alg.
"""
