// Rolling cubes in the page without a server: a worker finds the distances of all trays to a goal.
"use strict";
cubesolve.trays = function trays({ names, columns, rolls }) {
  const CELLS = rolls.length, BASE = names.length, NONE = -1, UNKNOWN = 255; // the vacancy, and the distance of other trays
  const VACANCY = ["E", "."];

  /** Return for each cell the orientations that a text allows there: a cube, a colour on top, `*` for all, or none. */
  function cellsOf(text, isGoal) {
    const lines = text.trim().split(/[/\n]/).map((line) => line.trim()), rows = CELLS / columns;
    const apart = !isGoal || lines.some((line) => /\s/.test(line));
    const written = lines.map((line) => (apart ? line.split(/\s+/) : [...line]));
    if (written.length !== rows || written.some((row) => row.length !== columns))
      throw new Error(`expected ${rows} rows of ${columns} cells, separated by /`);
    return written.flat().map((cell, i) => {
      if (VACANCY.includes(cell)) return [NONE];
      const found = [...names.keys()].filter((each) => names[each] === cell || (isGoal && [names[each][0], "*"].includes(cell)));
      const place = `column ${(i % columns) + 1}, row ${Math.floor(i / columns) + 1}`;
      if (!found.length) throw new Error(`\u201c${cell}\u201d at ${place} is not a cube: expected ${names.join(" ")}, or E for the vacancy`);
      return found;
    });
  }

  const vacancies = (cells) => [...cells.keys()].filter((i) => cells[i][0] === NONE);

  /** Return the orientation in each cell of a tray. */
  function read(text) {
    const cells = cellsOf(text, false);
    if (vacancies(cells).length !== 1) throw new Error(`a tray has one vacancy, not ${vacancies(cells).length}`);
    return cells.map(([each]) => each);
  }

  /** Return a goal: for each vacancy that it allows, the orientations allowed in the cells. */
  function readGoal(text) {
    const cells = cellsOf(text, true), written = vacancies(cells);
    if (written.length > 1) throw new Error(`a goal has one vacancy, not ${written.length}`);
    const free = written.length ? written : [...cells.keys()].filter((i) => cells[i].length === BASE);
    if (!free.length) throw new Error("the goal has no vacancy: write E, or * where it may be");
    return free.map((vacancy) => cells.map((cell, i) => (i === vacancy ? [NONE] : cell)));
  }

  const write = (tray) => Array.from({ length: CELLS / columns }, (_, row) =>
    tray.slice(row * columns, (row + 1) * columns).map((each) => names[each] || VACANCY[0]).join(" ")).join("/");

  // The number of a tray is its vacancy, and the orientations of the cubes as digits: their weights for each vacancy.
  const weights = rolls.map((_, vacancy) => rolls.map((__, cell) =>
    (cell === vacancy ? 0 : CELLS * BASE ** (cell < vacancy ? CELLS - 2 - cell : CELLS - 1 - cell))));

  function rank(tray) {
    const vacancy = tray.indexOf(NONE);
    return weights[vacancy].reduce((number, weight, cell) => number + weight * tray[cell], vacancy);
  }

  function unrank(number, tray) {
    const vacancy = number % CELLS;
    let rest = Math.floor(number / CELLS);
    for (let i = CELLS - 1; i >= 0; i--) {
      tray[i] = i === vacancy ? NONE : rest % BASE;
      if (i !== vacancy) rest = Math.floor(rest / BASE);
    }
    return vacancy;
  }

  /** Return the trays after each roll that is possible. */
  function rolled(tray) {
    const vacancy = tray.indexOf(NONE);
    return rolls[vacancy].map(([move, source, orientations]) => {
      const after = [...tray];
      [after[vacancy], after[source]] = [orientations[tray[source]], NONE];
      return { move, source, tray: after };
    });
  }

  /** Return the number of rolls from each tray to a goal. */
  function distances(goal) {
    const depths = new Uint8Array(CELLS * BASE ** (CELLS - 1)).fill(UNKNOWN), tray = new Int8Array(CELLS);
    const queue = new Int32Array(depths.length);
    // A roll changes the weights of the cubes between the two cells, too.
    const steps = rolls.map((possible, vacancy) => possible.map(([, source, orientations]) => ({
      source, turned: orientations.map((each, i) => each * weights[source][vacancy] - i * weights[vacancy][source]),
      between: [...rolls.keys()].flatMap((cell) => {
        const change = weights[source][cell] - weights[vacancy][cell];
        return cell === source || cell === vacancy || !change ? [] : [cell, change];
      }),
    })));
    let end = 0;
    for (const cells of goal) {
      const choose = (i) => {
        if (i === CELLS) depths[(queue[end++] = rank(tray))] = 0;
        else for (tray[i] of cells[i]) choose(i + 1);
      };
      choose(0);
    }
    for (let next = 0; next < end; next++) {
      const depth = depths[queue[next]] + 1, vacancy = unrank(queue[next], tray);
      for (let i = 0; i < steps[vacancy].length; i++) {
        const { source, turned, between } = steps[vacancy][i];
        let number = queue[next] + source - vacancy + turned[tray[source]];
        for (let j = 0; j < between.length; j += 2) number += tray[between[j]] * between[j + 1];
        if (depths[number] !== UNKNOWN) continue;
        depths[number] = depth;
        queue[end++] = number;
      }
    }
    return depths;
  }

  return { read, readGoal, write, rank, unrank, rolled, distances, CELLS, UNKNOWN };
};
