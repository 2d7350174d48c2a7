// Reads the facelets of cubes in the page without a server, in any six colours; an error has the wrong facelets.
"use strict";
/** Return a function that returns facelets in the letters of the solved cube; `named` does so where centres show colours. */
cubesolve.facelets = function facelets({ orbits }, names, named = null) {
  const FACES = [..."URFDLB"], CENTRE = 1;
  const kinds = orbits.filter(({ places }) => places[0].length > CENTRE);
  const total = kinds.reduce((sum, { places }) => sum + places.length, 0);

  const fail = (message, wrong = []) => {
    throw Object.assign(new Error(message), { facelets: wrong });
  };
  const word = (letters, place) => place.map((point) => letters[point]).join("");
  const pieceOf = (look) => [...look].sort().join("");

  /** Return the number of pieces of the cube that the facelets show. */
  const matching = (letters) => new Set(kinds.flatMap(({ places, words }) => places.map((place) => word(letters, place))
    .filter((look) => Object.hasOwn(words, look)).map(pieceOf))).size;

  function* orders(items) {
    if (!items.length) yield [];
    for (const first of items) for (const rest of orders(items.filter((each) => each !== first))) yield [first, ...rest];
  }

  /** Return the facelets in the letters of the scheme of colours that fits most pieces. */
  function schemed(symbols) {
    const swapped = { U: "D", D: "U" };
    if (matching(symbols) === total) return symbols;
    if (matching(symbols.map((symbol) => swapped[symbol] || symbol)) === total)
      fail("mirror scheme: the colours are arranged as in a mirror image of the cube, which no move reaches");
    const isInLetters = symbols.every((symbol) => FACES.includes(symbol)), [first, ...others] = new Set(symbols);
    let best = isInLetters ? symbols : null, most = isInLetters ? matching(symbols) : -1;
    for (const order of orders(FACES.slice(1))) {
      const letters = symbols.map((symbol) => (symbol === first ? FACES[0] : order[others.indexOf(symbol)]));
      const number = matching(letters);
      if (number > most) [best, most] = [letters, number];
    }
    return best;
  }

  const listed = (words) => [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");

  /** Reject centres of one colour. */
  function requireCentres(symbols) {
    const centres = orbits.filter((orbit) => !kinds.includes(orbit)).flatMap(({ places }) => places.flat());
    for (const centre of centres) {
      const alike = centres.filter((point) => symbols[point] === symbols[centre]).map((point) => names[point]);
      if (alike.length > 1) fail(`the six centres of a cube differ, but ${listed(alike)} show '${symbols[centre]}'`, alike);
    }
  }

  /** Reject colours that do not occur equally often. */
  function requireColours(symbols) {
    const different = new Set(symbols), isInLetters = symbols.every((symbol) => FACES.includes(symbol));
    if (different.size > FACES.length) fail(`${different.size} different symbols, where a cube has six colours`);
    const number = names.length / FACES.length, times = (symbol) => symbols.filter((each) => each === symbol).length;
    const wrong = (isInLetters ? FACES : [...different].sort()).filter((symbol) => times(symbol) !== number);
    if (!wrong.length) return;
    const counts = wrong.map((symbol) => `'${symbol}' ${times(symbol)} times`);
    fail(`each of six colours occurs ${number} times on a cube, but ${listed(counts)}`,
      names.filter((_, i) => times(symbols[i]) > number));
  }

  /** Reject places that show no piece, and pieces that occur twice. */
  function requirePieces(symbols, letters) {
    for (const { name, homes, places, words } of kinds) {
      const kind = name.replace(/s$/, ""), found = new Map();
      places.forEach((place, i) => {
        const look = word(letters, place), here = place.map((point) => names[point]);
        const position = `${kind} ${homes[i]} (facelets ${here.join(" ")})`;
        const shows = `${position} shows ${place.map((point) => symbols[point]).join(" ")}`;
        if (new Set(look).size < look.length) fail(`${shows}: one colour more than once`, here);
        if (!Object.hasOwn(words, look)) {
          const isMirrored = Object.hasOwn(words, [...look].reverse().join(""));
          fail(isMirrored ? `${shows}, which is the mirror image of a ${kind} of this cube`
            : `${shows}, and no ${kind} of this cube has these colours`, here);
        }
        const before = found.get(pieceOf(look));
        if (before) fail(`${before.position} and ${position} are the same piece, ${place.map((point) => symbols[point]).join(" ")}`,
          [...before.here, ...here]);
        found.set(pieceOf(look), { position, here });
      });
    }
  }

  /** Reject corners whose twists do not cancel. */
  function requireTwists(letters) {
    const corners = kinds.filter(({ places }) => places[0].length === 3).flatMap(({ places }) => places);
    const twist = corners.reduce((sum, place) => sum + [...word(letters, place)].findIndex((letter) => "UD".includes(letter)), 0);
    if (twist % 3)
      fail(`the corners' twists do not cancel: one corner is twisted ${twist % 3 === 1 ? "" : "anti"}clockwise in its place`);
  }

  return (symbols) => {
    if (symbols.length !== names.length) return symbols; // the solver says so
    requireCentres(symbols);
    requireColours(symbols);
    const letters = (named || schemed)(symbols);
    requirePieces(symbols, letters);
    requireTwists(letters);
    return letters;
  };
};
