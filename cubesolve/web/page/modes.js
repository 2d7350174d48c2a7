// The modes of the page besides exploring: trainers, cases, events, and analyses of solutions.
"use strict";
/** Set up the modes of a page, which passes its functions; return what it calls when the puzzle or the mode changes. */
cubesolve.modes = (page) => {
  const { find, request, act, say, options } = page;
  const MODES = ["explore", "train", "cases", "events", "analyse"];
  const WIDE = 7; // cells of a picture side by side, beyond which a case has a wider card

  let puzzle = null; // the server's description of the puzzle
  let asked = new AbortController(); // of the requests of a mode
  let events = null; // all events
  let drawn = null; // the last scramble, its state, and the steps to solve it in
  let hints = 0; // moves of the solution that are shown
  let set = null; // the listed cases
  let chosen = null; // the case that is chosen

  const post = (endpoint, fields) => page.post(endpoint, { puzzle: puzzle.name, ...fields }, asked.signal);
  /** Request an answer that may take long, while the search about the state rests. */
  async function search(endpoint, fields) {
    const { signal } = asked;
    try {
      return await page.besides(() => post(endpoint, fields));
    } finally {
      if (!signal.aborted) page.settle();
    }
  }

  const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
  const number = (text) => (text === "" ? "" : Number(text));

  function made(tag, fields, ...children) {
    const element = Object.assign(document.createElement(tag), fields);
    element.append(...children);
    return element;
  }

  function button(words, work, ...children) {
    const element = made("button", { type: "button" }, words, ...children);
    element.addEventListener("click", () => run(element, work));
    return element;
  }

  /** Run the action of a button, unless it is still running. */
  async function run(element, work) {
    if (element.hasAttribute("aria-busy")) return;
    element.setAttribute("aria-busy", "true");
    await act(work);
    element.removeAttribute("aria-busy");
  }

  const counted = (length) => `${length} ${length === 1 ? puzzle.unit.replace(/s$/, "") : puzzle.unit}`;

  // -- Trainers -------------------------------------------------------------------------------------------------------

  async function draw(endpoint, fields, output, steps) {
    say("drawing\u2026");
    const found = await search(endpoint, fields);
    const scramble = found.scrambles ? found.scrambles[0] : found;
    if (found.puzzle && found.puzzle !== puzzle.name) await page.choose(found.puzzle, "events");
    await page.go(page.about(scramble.state));
    say("");
    find(output).textContent = scramble.scramble;
    drawn = { ...scramble, steps };
    find("analyse-scramble").value = scramble.scramble.replaceAll("\n", " ");
  }

  async function train() {
    const [step, solved] = ["train-step", "train-solved"].map((id) => find(id).value);
    const fields = given({ step, solved, depth: number(find("train-depth").value) });
    await draw("train", fields, "train-scramble", step ? [step, "solved"] : ["solved"]);
    hints = 0;
    find("train-solution").replaceChildren();
    for (const id of ["train-hint", "train-show"]) find(id).disabled = false;
  }

  /** Request a solution of the scramble through the step that is trained. */
  async function chain() {
    if (!drawn.found) say("searching\u2026");
    drawn.found ||= await search("analyse", { scramble: drawn.scramble, steps: drawn.steps.join(",") });
    say("");
    return drawn.found;
  }

  async function hint() {
    const [{ name, alg }] = (await chain()).steps, moves = alg.split(" ").filter(Boolean);
    hints = Math.min(hints + 1, moves.length);
    const begun = moves.slice(0, hints).join(" ") + (hints < moves.length ? " \u2026" : "");
    find("train-solution").replaceChildren(line(name, moves.length ? `${counted(moves.length)}:` : "solved", begun));
  }

  async function showChain() {
    showSteps(find("train-solution"), await chain());
  }

  const line = (name, words, alg) => made("li", {}, made("strong", { textContent: name }), ` ${words} `,
    made("span", { className: "alg", textContent: alg }));

  /** Show the steps of a solution, and a button that plays it. */
  function showSteps(list, { state, steps, solution }) {
    const total = steps.reduce((sum, { length }) => sum + length, 0);
    list.replaceChildren(
      ...steps.map(({ name, alg, length }) => line(name, `${counted(length)}${alg ? ":" : ""}`, alg)),
      made("li", {}, button(`Play all ${counted(total)}`, async () => {
        await page.go(page.about(state));
        await page.play(solution);
      })));
  }

  // -- Cases ----------------------------------------------------------------------------------------------------------

  async function list(more = false) {
    const name = find("cases-set").value;
    const found = await post("cases", { set: name, offset: more ? set.cases.length : 0 });
    if (name !== find("cases-set").value) return;
    set = more ? { ...found, cases: [...set.cases, ...found.cases] } : found;
    const cards = found.cases.map((each) => {
      const [picture, wide] = each.cells ? page.sketch(each.cells) : ["", 0];
      find("cases-list").style.setProperty("--card", wide > WIDE ? "9rem" : "5.5rem");
      const percent = (100 * each.probability).toPrecision(2);
      const card = button("", () => choose(each), picture, made("b", { textContent: each.name }),
        made("small", { textContent: `${Number(percent)}%` }));
      card.value = each.name;
      card.setAttribute("aria-label", `case ${each.name}`);
      card.setAttribute("aria-pressed", "false");
      return card;
    });
    if (!more) unchoose();
    find("cases-list").replaceChildren(...(more ? find("cases-list").children : []), ...cards);
    find("cases-more").hidden = set.cases.length >= found.total;
    find("cases-title").textContent = `${found.title}: ${found.total} cases`;
  }

  function mark(one) {
    chosen = one;
    find("algs-find").disabled = !one;
    for (const card of find("cases-list").children) card.setAttribute("aria-pressed", card.value === one?.name);
  }

  function unchoose() {
    mark(null);
    find("cases-algs").replaceChildren();
    find("cases-scramble").textContent = "";
  }

  /** Show a case and its best algs; a second time, return to the whole set. */
  async function choose(one) {
    const again = chosen === one;
    unchoose();
    if (again) return;
    mark(one);
    await page.go(page.about(one.state));
    await showAlgs();
  }

  async function showAlgs() {
    const one = chosen, fields = { moves: find("cases-moves").value.trim(), cost: find("cases-cost").value };
    say("searching\u2026");
    const found = await search("algs", { case: `${set.set}:${one.name}`, number: 8, slack: 1, ...given(fields) });
    if (chosen !== one) return;
    say(found.algs.length ? "" : "No alg of these moves is short enough");
    find("cases-algs").replaceChildren(...found.algs.map(({ alg, before, after, cost }) => {
      const around = [before && `(${before})`, alg, after && `(${after})`].filter(Boolean).join(" ");
      const shown = made("span", { className: "alg", textContent: around || "adjusting alone" });
      return made("li", {}, button("", async () => {
        await page.go(page.about(found.state));
        await page.play([before, alg, after].filter(Boolean).join(" "));
      }, shown, made("small", { textContent: Number(cost.toFixed(1)) })));
    }));
  }

  const drawCase = () => draw("train", { case: chosen ? `${set.set}:${chosen.name}` : find("cases-set").value },
    "cases-scramble", ["solved"]);

  // -- Events ---------------------------------------------------------------------------------------------------------

  async function showEvents() {
    events ||= await request("events");
    if (!find("event").options.length) options(find("event"), events.map(({ name, title }) => [name, title]), "");
    const now = events.find(({ name }) => name === find("event").value);
    const own = events.find((each) => each.puzzle === puzzle.name);
    if (own && now.puzzle !== puzzle.name) find("event").value = own.name;
    link();
  }

  function link() {
    const { name, method } = events.find((each) => each.name === find("event").value);
    find("event-sheet").href = `api/sheet?event=${name}`;
    find("event-note").textContent = `Scrambles are ${method}.`;
  }

  const drawEvent = () => draw("event", { puzzle: undefined, event: find("event").value }, "event-scramble", ["solved"]);

  // -- Analyses -------------------------------------------------------------------------------------------------------

  async function analyse() {
    const [scramble, solution, steps] = ["scramble", "solution", "steps"].map((id) => find(`analyse-${id}`).value);
    say("analysing\u2026");
    find("analysis").replaceChildren();
    const [inverse, niss] = ["inverse", "niss"].map((id) => find(`analyse-${id}`).checked);
    const found = await search("analyse", { scramble, solution, steps, inverse, niss });
    say("");
    await page.go(page.about(found.state));
    if (!found.positions.length) return showSteps(find("analysis"), found);
    const most = found.positions.length - 1, lost = found.lost ? `, ${found.lost} lost` : "";
    find("analysis").replaceChildren(made("li", { textContent: `${most} moves written${lost}` }), ...parts(found));
    find("analysis").querySelector("button").setAttribute("aria-current", "step");
  }

  /** Return the moves of a solution, step by step. */
  function parts({ positions, steps }) {
    const left = positions.map((each, i) => position(each, i));
    const rows = steps.map(({ name, alg, length, at_least, optimal }) => {
      if (!alg) return [line(name, "was solved already", "")];
      const needed = optimal !== null ? `, ${at_least} needed` : at_least ? `, at least ${at_least} needed` : "";
      const better = optimal !== null && at_least < length ? ":" : "";
      return [line(name, `${counted(length)}${needed}${better}`, better && optimal),
        moves(left.splice(0, alg.split(" ").length + (left.length === positions.length)))];
    });
    return [...rows.flat(), ...(left.length ? [moves(left)] : [])];
  }

  const moves = (buttons) => made("li", { className: "positions" }, ...buttons);

  function position({ move, at_least, at_most, lost, state }) {
    const left = at_least === at_most ? `${at_least}` : `${at_least}\u2013${at_most}`;
    const element = button(move || "start", async () => {
      for (const other of find("analysis").querySelectorAll("button")) other.removeAttribute("aria-current");
      element.setAttribute("aria-current", "step");
      await page.go(page.about(state));
    }, made("small", { textContent: left }));
    element.classList.toggle("lost", lost === true);
    element.setAttribute("aria-label", `${move || "start"}${lost ? ", lost" : ""}: ${left} left`);
    return element;
  }

  // -- The page -------------------------------------------------------------------------------------------------------

  const practises = (mode) => ({ train: puzzle.goals.length, cases: Object.keys(puzzle.case_sets).length,
    events: !page.isOwn(puzzle.name), analyse: puzzle.analyses })[mode];
  const supported = (mode) => mode === "explore" || Boolean(!cubesolve.offline && practises(mode));

  function address(name, mode) {
    return `#${encodeURIComponent(name)}${mode === "explore" ? "" : `/${mode}`}`;
  }

  /** Show a mode; return its name, or that of another mode if the puzzle does not have it. */
  function enter(wanted) {
    const mode = supported(wanted) ? wanted : "explore";
    asked.abort();
    asked = new AbortController();
    for (const section of document.querySelectorAll("[data-modes]"))
      section.classList.toggle("off", !section.dataset.modes.split(" ").includes(mode));
    find("modes").hidden = MODES.filter(supported).length === 1;
    find("modes").replaceChildren(...MODES.filter(supported).map((each) => {
      const tab = made("a", { href: address(puzzle.name, each), textContent: each });
      if (each === mode) tab.setAttribute("aria-current", "page");
      return tab;
    }));
    if (mode === "cases" && !set) act(list, true);
    if (mode === "events") act(showEvents, true);
    return mode;
  }

  /** Take another puzzle. */
  function change(other) {
    [puzzle, drawn, set, chosen] = [other, null, null, null];
    const goals = puzzle.goals.map(page.titled), methods = Object.values(puzzle.methods);
    options(find("train-step"), [...goals, ["", "everything"]], methods.length ? methods[0][0] : puzzle.goals[0]);
    options(find("train-solved"), [["", "nothing"], ...goals], "");
    options(find("cases-set"), Object.entries(puzzle.case_sets).map(([name]) => [name, name]), "");
    find("methods").replaceChildren(...methods.map((steps) => new Option("", steps.join(","))));
    find("analyse-steps").value = methods.length ? methods[0].join(",") : "";
    for (const id of ["train-scramble", "cases-scramble", "event-scramble"]) find(id).textContent = "";
    for (const id of ["train-solution", "cases-list", "cases-algs", "analysis"]) find(id).replaceChildren();
    find("cases-more").hidden = true;
    find("analyse-niss").checked = false;
    for (const id of ["train-hint", "train-show"]) find(id).disabled = true;
    for (const id of ["train-depth", "analyse-scramble", "analyse-solution"]) find(id).value = "";
  }

  const BUTTONS = { "train-next": train, "train-hint": hint, "train-show": showChain, "cases-next": drawCase,
    "cases-more": () => list(true), "event-next": drawEvent };
  for (const [id, work] of Object.entries(BUTTONS)) find(id).addEventListener("click", () => run(find(id), work));
  const FORMS = { "algs-form": showAlgs, "analyse-form": analyse };
  for (const [id, work] of Object.entries(FORMS))
    find(id).addEventListener("submit", (event) => {
      event.preventDefault();
      run(find(id).querySelector("button"), work);
    });
  find("cases-set").addEventListener("change", () => act(list));
  find("event").addEventListener("change", link);
  /** Draw the next scramble of a mode; return whether it has any. */
  function next(mode) {
    const id = { train: "train-next", cases: "cases-next", events: "event-next" }[mode];
    if (id) find(id).click();
    return Boolean(id);
  }

  return { address, change, enter, next };
};
