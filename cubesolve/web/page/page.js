// The page of `cubesolve serve`: sends requests to the server, and shows the answers. Without a server, as a part of the
// site, the requests are answered by offline.js.
"use strict";
(() => {
  const FAST = 180, SLOW = 420, PAUSE = 200, STILL = 700; // milliseconds: a move, a played move, the pause after it, and
  // a played move without animation
  const NAMES = { "#ffffff": "white", "#c81e2d": "red", "#009b4b": "green", "#ffd500": "yellow", "#ff7800": "orange",
    "#005ac8": "blue" };
  const KEPT = "cubesolve file "; // before the names of files that are kept for reloading
  const DIGEST = /^[0-9a-f]{16}-/; // before the names of files that a server has
  const LONG = 200; // moves that can be undone
  const MANY = 100; // moves of two parts: no buttons for each
  const TWO_PARTS = [
    { form: /^(\D+)(\d[+-])$/, labels: ["Pins", "turn by"], usual: ["ALL", "1+"], drags: ["1+", "1-"],
      note: "Drag a dial beside one of the pins to turn it by an hour, or the background to look around." },
    { form: /^\((-?\d),(-?\d)\)$/, labels: ["Upper layer", "lower layer"], usual: ["1", "0"] },
  ];
  const INSIDE = 0.94; // the filled fraction of a cell's width
  const MARGIN = 0.1; // around a small drawing, in cells

  const UNITS = { qtm: "quarter turns", twist: "twists" }; // of metrics whose solutions have moves that count otherwise
  const COUNTED = { twist: /^\/$/ }; // the moves that count in a metric, if not all
  const METRICS = { htm: "every turn counts one", qtm: "quarter turns count one", twist: "twists count one",
    wca: "twists and turns count one" };

  const SOON = 5; // seconds for a scramble that is searched for
  const WIDEST = 12; // discs in a row
  const CIRCLE = Array.from({ length: 32 }, (_, i) => [0, 1].map((quarter) => Math.cos((Math.PI * (i - 8 * quarter)) / 16) / 2));

  const find = (id) => document.getElementById(id);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const NOTE = find("stage-note").textContent;

  let puzzle = null; // the server's description of the puzzle
  let now = null; // the state: text, and the cells of its picture, if any
  let home = ""; // the solved state, as text
  let goal = ""; // the goal of rolling cubes
  let metric = "", towards = "", only = ""; // what distances count: moves of a metric, to a named goal, of some alone
  let past = []; // the previous states, as text
  let painted = null; // the painted symbols of facelets that are not a valid state
  let colours = new Map(); // the colours of symbols
  let paint = ""; // the symbol to paint with
  let near = []; // the moves that begin an optimal solution
  let depth = null; // null while it is unknown
  let best = null; // the shortest solution that a search has found, and its bounds
  let first = Promise.resolve(); // of the first solution of the search about the state
  let view = null;
  let pending = new AbortController(); // of the requests about the current state
  let waiting = 0; // requests of modes, during which nothing is searched about the state
  let dragged = () => []; // the moves of drags, of a puzzle whose moves turn many dials
  let playing = null; // a token of the solution that is playing
  let turns = Promise.resolve(); // the queue of moves
  let choosing = null; // a token of the puzzle that was chosen last
  let mode = "explore";

  // -- Requests -------------------------------------------------------------------------------------------------------

  async function request(path, options) {
    if (cubesolve.offline) return cubesolve.offline.answer(path, options && JSON.parse(options.body));
    let answer, content;
    try {
      answer = await fetch(`api/${path}`, options);
      content = await answer.json();
    } catch (error) {
      unanswered(error);
    }
    if (!answer.ok) throw failed(content, answer.status);
    return content;
  }

  function unanswered(error) {
    throw error.name === "AbortError" ? error : Object.assign(new Error("the server does not answer"), { status: 0 });
  }

  const failed = (content, status) => Object.assign(new Error(content.error), content, { status });

  function posted(fields, signal) {
    const headers = { "content-type": "application/json" };
    return { method: "POST", headers, body: JSON.stringify(fields), signal };
  }

  /** Request an answer about the puzzle, which nobody waits for after another one is chosen. */
  async function post(endpoint, fields, signal) {
    const asked = puzzle, found = await request(endpoint, posted(fields, signal));
    if (puzzle !== asked) throw Object.assign(new Error("another puzzle is shown"), { name: "AbortError" });
    return found;
  }

  /** Request an answer of several lines, and show each; an error in a line is thrown. */
  async function follow(endpoint, fields, signal, hear) {
    if (cubesolve.offline) return cubesolve.offline.follow(fields, signal, hear);
    const answer = await fetch(`api/${endpoint}`, posted(fields, signal)).catch(unanswered);
    if (!answer.ok) throw failed(await answer.json(), answer.status);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read().catch(unanswered);
      if (done) return;
      const lines = (text + value).split("\n");
      text = lines.pop();
      for (const content of lines.map((line) => JSON.parse(line))) {
        if (content.error) throw failed(content, answer.status);
        hear(content);
      }
    }
  }

  /** Return the field of a request that has the metric, unless it is the usual one. */
  const counting = () => (metric === puzzle.metrics[0] ? {} : { metric });

  /** Return the fields of a request about a state. */
  function about(state, more) {
    const where = puzzle.needs_start ? { start: state, state: goal } : { state, format: puzzle.format };
    return { puzzle: puzzle.name, ...where, ...counting(), ...more };
  }

  /** Return the fields of a request about the distance of the state. */
  const measured = () => about(now.state, { ...(towards && { goal: towards }), ...(only && { moves: only }) });

  // -- Messages -------------------------------------------------------------------------------------------------------

  function say(words, wrong = false) {
    find("message").textContent = words;
    find("message").classList.toggle("wrong", wrong);
  }

  /** Show an error, capitalised unless it begins with the name of a file. */
  function complain(error) {
    if (error.name === "AbortError") return;
    const words = error.message;
    say(error.file ? words : words[0].toUpperCase() + words.slice(1), true);
  }

  /** Replace symbols by names of colours in an error about facelets. */
  function inColours(error) {
    const named = (words, [symbol, { name }]) => words.replace(new RegExp(`'?\\b${symbol}\\b'?`, "g"), name);
    return Object.assign(error, { message: [...colours].reduce(named, error.message) });
  }

  /** Show that the address has an unknown puzzle. */
  function complainOfName(name) {
    complain(new Error(`unknown puzzle \u201c${name}\u201d; the ${puzzle.title} is shown instead`));
  }

  function showDistance(number, words) {
    const strong = document.createElement("strong");
    strong.textContent = number;
    find("distance").replaceChildren(...(number === "" ? [] : [strong, " "]), words);
  }

  const unit = () => UNITS[metric] || puzzle.unit;
  const counted = (number) => `${number === 1 ? unit().replace(/s$/, "") : unit()} to go`;

  /** Show a solution and the bound of its length; more of both may come. */
  function showBest(found, isOver) {
    const number = found[puzzle.unit], wasOpen = Boolean(best && (best.wasOpen || !best.proved));
    if (found.proved) {
      if (number) showDistance(number, counted(number) + (wasOpen ? ", proved shortest" : ""));
      else showDistance("0", "solved");
      depth = number;
      near = number ? [beginning(found.solution)] : [];
      mark();
    } else {
      showDistance(number, `${counted(number)} or fewer, at least ${found.at_least}${isOver ? "" : "\u2026"}`);
    }
    best = { ...found, wasOpen };
  }

  /** Return the move of a button that begins a solution. */
  const beginning = (solution) => Object.keys(puzzle.buttons).filter((move) => solution.startsWith(move))
    .sort((one, other) => other.length - one.length)[0];

  /** Request the distance of the state, and the moves that begin an optimal solution. */
  async function settle() {
    keep();
    pending.abort();
    if (waiting) return; // the mode calls it again
    const { signal } = (pending = new AbortController());
    near = [];
    depth = best = null;
    mark();
    showDistance("", "looking\u2026");
    await (puzzle.searches ? improve(signal) : look(signal)).catch((error) => {
      if (signal.aborted || error.name === "AbortError") return;
      if (best) showBest(best, true);
      else showDistance("?", error.at_least ? `at least ${error.at_least} ${counted(error.at_least)}` : "unknown");
      if (best) say(error.message[0].toUpperCase() + error.message.slice(1));
      else complain(error);
    });
  }

  /** Look up the distance of the state. */
  async function look(signal) {
    const moves = post("moves", measured(), signal);
    moves.catch(() => {});
    depth = (await post("depth", measured(), signal)).depth;
    if (depth) showDistance(depth, counted(depth));
    else showDistance("0", "solved");
    near = (await moves).moves;
    mark();
  }

  /** Search for better and better solutions of the state. */
  async function improve(signal) {
    let heard, ended;
    first = new Promise((done, fail) => ([heard, ended] = [done, fail]));
    first.catch(() => {});
    signal.addEventListener("abort", () => ended(signal.reason));
    try {
      await follow("improve", measured(), signal, (found) => {
        if (signal.aborted) return;
        if (found.solution === undefined) return showDistance("", `at least ${found.at_least} ${counted(found.at_least)}\u2026`);
        showBest(found, false);
        heard(found);
      });
    } catch (error) {
      ended(error);
      throw error;
    }
  }

  /** Return a solution: the shortest one that a search has found, or else its first. */
  const solution = async () => best || (puzzle.searches ? first : post("solve", measured()));

  /** Mark the moves that begin an optimal solution, and enable the buttons that apply. */
  function mark() {
    for (const button of find("moves").children) {
      const alike = towards || only ? button.value : puzzle.buttons[button.value]; // a goal tells orientations apart
      const leads = near.includes(button.value) || near.includes(alike);
      button.classList.toggle("near", leads);
      button.setAttribute("aria-label", leads ? `${button.value}, decreases the distance` : button.value);
      button.disabled = Boolean(painted);
    }
    find("moves-note").textContent = near.length ? "Moves with an arrow decrease the distance." : "";
    find("solve").textContent = playing ? "Pause" : "Solve";
    find("undo").disabled = !past.length && !painted;
    for (const id of ["hint", "solve"]) find(id).disabled = Boolean(painted);
  }

  // -- Display --------------------------------------------------------------------------------------------------------

  function show() {
    find("state").textContent = now.state;
    find("picture").setAttribute("aria-label", now.state);
    if (now.cells || puzzle.format === "pieces") showCells(find("picture"), now.cells || discs(), 3.6);
    else find("picture").textContent = now.state;
    if (puzzle.facelets) showNet([]);
    else if (puzzle.needs_start) showTray();
    else if (now.cells) showCells(find("net"), now.cells, 2.6);
    mark();
  }

  function showScene(scene) {
    find("stage").hidden = find("stage-note").hidden = !scene;
    find("picture").hidden = Boolean(scene);
    find("painting").hidden = !(scene && now.cells) || puzzle.needs_start;
    if (!scene) view = null;
    else if (view) {
      view.finish(); // the animation that is still running
      view.set(scene);
    } else {
      find("stage").replaceChildren();
      view = cubesolve.view(find("stage"), { ...scene, title: puzzle.title });
      view.grab = drag;
    }
  }

  const symbols = () => painted || now.cells.map((cell) => cell.text);

  const span = (values) => [Math.min(...values), Math.max(...values)];
  const bounds = (points) => [0, 1].map((axis) => span(points.map((point) => point[axis])));

  /** Return cells as a small drawing, and its width in cells; lines are as wide at any size. */
  function sketch(cells) {
    const made = (name, given, ...children) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(given)) element.setAttribute(key, value);
      element.append(...children);
      return element;
    };
    const [[left, right], [top, bottom]] = bounds(cells.flatMap(({ outline }) => outline));
    const polygons = cells.map(({ outline, colour }) => made("polygon", { points: outline.join(" "), fill: colour }));
    const marks = cells.filter(({ mark }) => mark).map(({ outline, colour, mark }) => {
      const [x, y] = bounds(outline).map(([low, high]) => (low + high) / 2);
      return made("text", { x, y, fill: isDark(colour) ? "#fff" : "#000" }, mark);
    });
    const viewBox = [left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN].join(" ");
    return [made("svg", { viewBox }, ...polygons, ...marks), right - left];
  }

  /** Place cells at their outlines, and clip them to these. */
  function lay(element, cells, unit) {
    const share = (at, [low, high]) => `${(100 * (at - low)) / (high - low)}%`;
    const all = bounds(cells.flatMap(({ outline }) => outline)), [wide, high] = all.map(([low, end]) => end - low);
    element.style.width = `min(100%, ${unit * wide}rem, ${(60 * wide) / high}vh)`;
    element.style.aspectRatio = `${wide} / ${high}`;
    [...element.children].forEach(({ style }, i) => {
      const whole = cells[i].outline;
      const middle = [0, 1].map((axis) => whole.reduce((sum, point) => sum + point[axis], 0) / whole.length);
      const outline = whole.map((point) => point.map((at, axis) => middle[axis] + INSIDE * (at - middle[axis])));
      const own = bounds(outline);
      const isBox = outline.length === 4 && outline.every((point) => point.every((at, axis) => own[axis].includes(at)));
      style.left = share(own[0][0], all[0]);
      style.top = share(own[1][0], all[1]);
      style.width = `${(100 * (own[0][1] - own[0][0])) / wide}%`;
      style.height = `${(100 * (own[1][1] - own[1][0])) / high}%`;
      const corners = outline.map((point) => point.map((at, axis) => share(at, own[axis])).join(" "));
      style.clipPath = isBox ? "" : `polygon(${corners})`;
    });
  }

  /** Return discs for the pieces of a state without a picture: rows for each orbit, and a hue for each piece. */
  function discs() {
    const [words, homes] = [now.state, home].map((text) => text.split(";").map((orbit) => orbit.trim().split(/\s+/)));
    let row = -1;
    return words.flatMap((orbit, i) => {
      const pieces = [...new Set(homes[i].map(nameOf))];
      return orbit.map((word, j) => {
        if (j % WIDEST === 0) row++;
        const outline = CIRCLE.map(([x, y]) => [(j % WIDEST) + x, row + y]);
        return { outline, mark: word, colour: hue(pieces.indexOf(nameOf(word)) / pieces.length) };
      });
    });
  }

  /** Return the name of a piece in any orientation. */
  const nameOf = (word) => (/\d/.test(word) ? word.split("+")[0] : [...word].sort().join(""));

  /** Return a colour, by a fraction of the circle of hues. */
  function hue(turn) {
    const channel = (phase) => Math.round(170 + 75 * Math.cos(2 * Math.PI * (turn - phase / 3)));
    return `#${[0, 1, 2].map((phase) => channel(phase).toString(16)).join("")}`;
  }

  /** Show a picture, without buttons. */
  function showCells(element, cells, unit) {
    element.replaceChildren(...cells.map(({ colour, mark }) => {
      const cell = document.createElement("span");
      cell.textContent = mark;
      cell.style.background = colour;
      cell.classList.toggle("dark", isDark(colour));
      return cell;
    }));
    lay(element, cells, unit);
  }

  function showNet(wrong) {
    const net = find("net"), shown = symbols();
    if (net.children.length !== puzzle.facelets.length) {
      net.replaceChildren(...puzzle.facelets.map((name, i) => {
        const button = document.createElement("button");
        button.value = name;
        button.tabIndex = i ? -1 : 0;
        button.addEventListener("click", () => paintFacelet(i));
        return button;
      }));
      lay(net, now.cells, 2.6);
    }
    [...net.children].forEach((button, i) => {
      const { colour, name } = colours.get(shown[i]);
      button.style.background = colour;
      const isWrong = wrong.includes(button.value);
      button.setAttribute("aria-invalid", isWrong);
      button.setAttribute("aria-label", `${button.value}, ${name}${isWrong ? ", wrong" : ""}`);
    });
  }

  function showPalette() {
    const made = [...colours].map(([symbol, { colour, name }], i) => {
      const button = document.createElement("button");
      button.value = symbol;
      button.title = `${name} (${i + 1})`;
      button.setAttribute("role", "radio");
      button.setAttribute("aria-label", name);
      button.style.background = colour;
      button.addEventListener("click", () => choosePaint(symbol));
      return button;
    });
    find("palette").replaceChildren(...made);
    choosePaint(made[0].value);
  }

  function choosePaint(symbol) {
    paint = symbol;
    for (const button of find("palette").children) {
      button.setAttribute("aria-checked", button.value === symbol);
      button.tabIndex = button.value === symbol ? 0 : -1;
    }
  }

  function showTray() {
    const tray = find("tray"), gap = now.cells.find((cell) => cell.text === ".");
    const focused = [...tray.children].indexOf(document.activeElement);
    const ways = { "1,0": "R", "-1,0": "L", "0,1": "D", "0,-1": "U" };
    const words = { R: "right", L: "left", D: "down", U: "up" };
    tray.replaceChildren(...now.cells.map((cell) => {
      const button = document.createElement("button");
      const roll = ways[`${gap.column - cell.column},${gap.row - cell.row}`];
      const where = `column ${cell.column + 1}, row ${cell.row + 1}`;
      button.textContent = cell.mark;
      button.style.background = cell.colour;
      button.classList.toggle("gap", cell === gap);
      button.classList.toggle("dark", isDark(cell.colour));
      button.disabled = !roll;
      button.setAttribute("aria-label", cell === gap ? `vacancy, ${where}`
        : `${cell.text}, ${where}${roll ? `: roll it ${words[roll]}` : ""}`);
      if (roll) button.addEventListener("click", () => turn(roll));
      return button;
    }));
    lay(tray, now.cells, 3.6);
    if (focused >= 0) {
      const next = tray.children[focused];
      (next.disabled ? [...tray.children].find((button) => !button.disabled) : next).focus();
    }
  }

  function isDark(colour) {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    return 299 * red + 587 * green + 114 * blue < 128000;
  }

  function showSolution(moves, number) {
    const list = find("solution");
    list.hidden = !moves.length;
    if (list.children.length !== moves.length || number < 0) {
      list.replaceChildren(...moves.map((move) => Object.assign(document.createElement("li"), { textContent: move })));
    }
    [...list.children].forEach((item, i) => {
      if (i === number) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    if (list.children[number]) list.scrollTop = list.children[number].offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  // -- Actions --------------------------------------------------------------------------------------------------------

  /** Make a step of an answer the current state. */
  function take(step, remember = true) {
    if (remember && now) past = [...past, now.state].slice(-LONG);
    now = step;
    painted = null;
    show();
  }

  /** Run the action of a button: stop playing, and show errors. Until a puzzle is shown, only some can begin. */
  async function act(work, isEarly = false) {
    if (!now && !isEarly) return;
    stop();
    say("");
    try {
      await work();
    } catch (error) {
      complain(error);
      if (error.name !== "AbortError") find("message").scrollIntoView({ block: "nearest" }); // on a narrow screen
    }
  }

  function turn(move) {
    stop();
    turns = turns.then(() => act(async () => {
      if (painted) return;
      const { scene, steps } = await post("play", about(now.state, { alg: move })).catch(withoutPlace);
      showSolution([], -1);
      showScene(scene);
      if (view) view.turn(steps[1].motion, still.matches ? 0 : FAST);
      take(steps[1]);
      settle();
    }));
  }

  /** Throw an error about a move that was not written, so that it has no place in a text. */
  function withoutPlace(error) {
    throw Object.assign(error, { message: error.message.replace(" (character 1)", "") });
  }

  /** Make the move that turns a part in the direction of a drag. */
  function drag(from, along) {
    stop();
    turns = turns.then(() => act(async () => {
      if (painted) return;
      const { scene, motions } = await post("motions", about(now.state));
      showScene(scene);
      for (const alg of motions.length ? [] : dragged()) { // the Clock, whose moves turn many dials
        const { motion } = (await post("play", about(now.state, { alg }))).steps[1];
        motions.push(motion, ...motion.also);
      }
      if (!motions.length) { // drags look around
        view.grab = null;
        find("stage-note").hidden = true;
        return;
      }
      const motion = view.leading(motions, from, along);
      if (motion) turn(motion.move);
    }));
  }

  async function go(fields, remember = true) {
    const { scene, steps } = await post("play", fields);
    showSolution([], -1);
    take(steps[0], remember);
    showScene(scene);
    settle();
  }

  /** End the search about the current state, for which another request may be waiting. */
  function rest() {
    pending.abort();
    if (best) showBest(best, true);
    else if (depth === null) showDistance("", "looking\u2026");
  }

  /** Return the answer to a request of a mode, for which the search about the current state rests. */
  async function besides(ask) {
    waiting++;
    rest();
    try {
      return await ask();
    } finally {
      waiting--;
    }
  }

  async function solve() {
    const found = await solution();
    rest();
    await play(found.solution, (left) => showDistance(left, left ? counted(left) : "solved"), found);
  }

  /** Play an alg; after each move, show how many are left to be played. */
  async function play(alg, showLeft = () => showDistance("", "playing\u2026"), found = {}) {
    pending.abort();
    const { steps, scene } = await post("play", about(now.state, { alg }));
    const moves = steps.slice(1).map((step) => step.move), mine = (playing = {});
    near = [];
    mark();
    const bound = found.proved === false ? `${found[puzzle.unit]} ${unit()}; at least ${found.at_least} are needed` : "";
    say(found.solution === "" ? "The puzzle is solved" : bound);
    showScene(scene);
    for (let number = 0; number < moves.length && playing === mine; number++) {
      showSolution(moves, number);
      const step = steps[number + 1], wait = still.matches ? STILL : PAUSE;
      if (view) await view.turn(step.motion, still.matches ? 0 : SLOW);
      if (playing !== mine) break;
      take(step);
      showLeft(moves.slice(number + 1).filter(isCounted).length);
      await new Promise((done) => setTimeout(done, view ? wait : STILL));
    }
    if (playing === mine) stop();
    if (pending.signal.aborted) await settle(); // unless another action has done so since
  }

  /** Stop playing a solution; the running move is not made. */
  function stop() {
    if (!playing) return;
    playing = null;
    if (view) view.finish();
    mark();
    reload();
  }

  /** Draw the state again, because the animation of a move may have been left. */
  async function reload() {
    const state = now.state;
    const { scene } = await post("play", about(state)).catch(() => ({}));
    if (scene && now.state === state && !playing) showScene(scene);
  }

  const isCounted = (move) => puzzle.moves.includes(move) && (COUNTED[metric]?.test(move) ?? true);

  async function hint() {
    const found = near.length || depth === 0 ? null : await solution();
    const move = near[0] || (found && beginning(found.solution));
    if (!move) return say("The puzzle is solved");
    const button = [...find("moves").children].find(({ value }) => value === move);
    say(found?.proved === false ? `${move} begins the shortest solution known` : `${move} decreases the distance`);
    if (found?.proved === false) return button.focus();
    near = [...new Set([...near, button.value])];
    mark();
    button.focus();
  }

  async function paintFacelet(index) {
    if (!now) return;
    const shown = [...symbols()];
    shown[index] = paint;
    stop();
    try {
      const { scene, steps } = await post("play", { puzzle: puzzle.name, state: shown.join("") });
      say("");
      showSolution([], -1);
      take(steps[0]);
      showScene(scene);
      settle();
    } catch (error) {
      if (error.status !== 422) return complain(error);
      pending.abort();
      painted = shown;
      near = [];
      mark();
      showNet(error.facelets || []);
      showDistance("", "not a valid state yet");
      complain(inColours(error));
    }
  }

  function undo() {
    if (painted) {
      painted = null;
      show();
      return settle();
    }
    return past.length ? go(about(past.pop()), false) : null;
  }

  /** Return a scramble to a random state; null if it is not found in a moment. */
  async function scrambled(fields) {
    try {
      return (await post("scramble", { ...fields, ...(puzzle.searches && { timeout: SOON }) })).scramble;
    } catch (error) {
      if (puzzle.searches) return null;
      throw error;
    }
  }

  /** Run work while no search is running; search again after an error. */
  async function resting(work) {
    rest();
    try {
      await work();
    } catch (error) {
      settle();
      throw error;
    }
  }

  async function random() {
    showDistance("", "drawing\u2026");
    const wanted = find("depth-label").hidden ? "" : find("depth").value;
    const fields = { puzzle: puzzle.name, ...counting(), ...(only && { moves: only }), ...(wanted ? { depth: Number(wanted) } : {}) };
    const scramble = puzzle.needs_start ? null : await scrambled(fields);
    if (scramble === null) return go(about((await post("random", fields)).state));
    await go({ puzzle: puzzle.name, state: scramble, format: "alg" });
    find("random-scramble").textContent = scramble;
  }

  function type() {
    const text = find("text").value, format = find("format").value;
    return go(puzzle.needs_start ? about(text) : { puzzle: puzzle.name, state: text, format });
  }

  async function setGoal() {
    const wanted = find("goal").value.trim() || puzzle.solved;
    const { steps } = await post("play", { ...about(now.state), state: wanted });
    goal = wanted;
    take(steps[0], false);
    settle();
  }

  /** Return the name of a goal, and the name with what it is. */
  const titled = (name) => [name, puzzle.goal_titles[name] ? `${name}: ${puzzle.goal_titles[name]}` : name];

  /** Take a puzzle; `place` may have a state and a goal. */
  async function choose(name, wanted = mode, place = {}) {
    stop();
    pending.abort();
    const mine = (choosing = {}), found = await request(`puzzles/${encodeURIComponent(name)}`);
    if (choosing !== mine) return;
    pending.abort();
    puzzle = found;
    find("puzzle").value = name;
    [now, past, painted, goal] = [null, [], null, puzzle.solved];
    options(find("metric"), puzzle.metrics.map((each) => [each, METRICS[each] || each]), "");
    options(find("towards"), [["", "solved"], ...puzzle.goals.map(titled)], "");
    if (puzzle.has_other_goals) find("towards").append(Object.assign(new Option("other goals: with a server"), { disabled: true }));
    find("metric-label").hidden = puzzle.metrics.length === 1;
    find("towards-label").hidden = !puzzle.goals.length;
    find("only-label").hidden = puzzle.needs_start || Boolean(cubesolve.offline);
    count({}); // the solved state is shown whatever the address asks for
    view = null;
    modes.change(puzzle);
    enter(wanted);
    find("title").textContent = puzzle.title;
    find("net-title").textContent = puzzle.facelets ? "Paint" : "Net";
    find("picture").removeAttribute("style");
    find("net").replaceChildren();
    find("palette").hidden = !puzzle.facelets;
    find("rolling").hidden = !puzzle.needs_start;
    find("goal").value = goal;
    find("text").value = find("random-scramble").textContent = "";
    find("text-label").textContent = puzzle.needs_start ? "A tray" : "Moves or a state";
    find("format-label").hidden = puzzle.needs_start;
    options(find("format"), Object.keys(puzzle.formats).map((form) => [form, form]), "alg");
    const depths = puzzle.searches ? [] : Array.from({ length: puzzle.gods_number + 1 }, (_, i) => [i, i]);
    options(find("depth"), [["", "any"], ...depths], "");
    showDepths();
    showMoves(Object.keys(puzzle.buttons));
    const { scene, steps } = await post("play", about(puzzle.solved));
    if (puzzle.facelets) {
      colours = new Map(steps[0].cells.map(({ text, colour }) => [text, { colour, name: NAMES[colour] || text }]));
      showPalette();
    }
    home = steps[0].state;
    take(steps[0]);
    showSolution([], -1);
    showScene(scene);
    count(place);
    if (place.state === undefined && place.goal === undefined) return settle();
    await visit(place).catch((error) => {
      settle();
      throw error;
    });
  }

  /** Show a button for each move; of many with two parts only those that decrease the distance, as the parts are chosen. */
  function showMoves(moves) {
    const wheels = TWO_PARTS.find(({ form }) => moves.filter((move) => form.test(move)).length > MANY);
    find("moves").style.setProperty("--letters", Math.max(...moves.map((move) => move.length)));
    find("moves").replaceChildren(...moves.map((move) => {
      const button = Object.assign(document.createElement("button"), { value: move, textContent: move });
      button.classList.toggle("wheel", Boolean(wheels?.form.test(move)));
      button.addEventListener("click", () => turn(move));
      return button;
    }));
    find("wheels").hidden = !wheels;
    find("stage-note").textContent = wheels?.note || NOTE;
    dragged = () => [];
    if (!wheels) return;
    const parts = moves.map((move) => wheels.form.exec(move)).filter(Boolean);
    ["first", "second"].forEach((id, i) => {
      find(`${id}-label`).firstChild.textContent = `${wheels.labels[i]} `;
      options(find(id), [...new Set(parts.map((part) => part[i + 1]))].map((part) => [part, part]), wheels.usual[i]);
    });
    find("wheel").onclick = () => {
      const [first, second] = ["first", "second"].map((id) => find(id).value);
      const found = parts.find((part) => part[1] === first && part[2] === second);
      if (found) turn(found[0]);
    };
    const { drags = [] } = wheels;
    dragged = () => parts.filter(([, pins, by]) => pins === find("first").value && drags.includes(by)).map(([move]) => move);
  }

  /** Show the choice of a depth, which is the distance from the solved state, where it is known. */
  function showDepths() {
    find("depth-label").hidden = find("depth").length === 1 || Boolean(towards);
  }

  /** Take what distances count, as an address says. */
  function count(place) {
    find("metric").value = metric = puzzle.metrics.includes(place.metric) ? place.metric : puzzle.metrics[0];
    find("towards").value = towards = puzzle.goals.includes(place.towards) ? place.towards : "";
    find("only").value = only = find("only-label").hidden ? "" : place.moves ?? "";
    showDepths();
    const asked = [["metric", place.metric, metric], ["goal", place.towards, towards], ["moves", place.moves, only]];
    const missing = asked.find(([, wanted, found]) => wanted && wanted !== found);
    if (missing) complain(new Error(`unknown ${missing[0]} \u201c${missing[1]}\u201d${cubesolve.offline ? " without a server" : ""}`));
  }

  /** Take the state and the goal of an address, and what distances count. */
  function visit(place) {
    const before = goal, { state = home, goal: wanted = puzzle.solved } = place;
    count(place);
    goal = wanted;
    return go(about(state)).catch((error) => {
      goal = before;
      throw error;
    }).finally(() => (find("goal").value = goal));
  }

  /** Show a mode of the puzzle, and both in the address. */
  function enter(wanted) {
    mode = modes.enter(wanted);
    const shown = named();
    if (shown.name !== puzzle.name || shown.wanted !== mode) location.hash = modes.address(puzzle.name, mode);
    keep();
  }

  /** Keep the state and the goal in the address, for reloading and sharing. */
  function keep() {
    const place = new URLSearchParams();
    if (now && now.state !== home) place.set("state", now.state);
    if (now && goal !== puzzle.solved) place.set("goal", goal);
    if (metric !== puzzle.metrics[0]) place.set("metric", metric);
    if (towards) place.set("towards", towards);
    if (only) place.set("moves", only);
    const query = String(place) && `?${place}`;
    try {
      history.replaceState(null, "", modes.address(puzzle.name, mode) + query);
    } catch {
      // Some browsers allow a hundred changes in half a minute; the next one is kept.
    }
  }

  /** Return the puzzle, the mode, the state and the goal in the address; an empty name if it is malformed. */
  function named() {
    try {
      const [where, query = ""] = location.hash.slice(1).split("?");
      const [name, wanted = "explore"] = where.split("/").map(decodeURIComponent);
      return { name, wanted, place: Object.fromEntries(new URLSearchParams(query)) };
    } catch {
      return { name: "", wanted: "explore", place: {} };
    }
  }

  /** Return whether there is a puzzle of a name, also one from a file that this window has opened. */
  async function isThere(name) {
    if (!name || isListed(name)) return isListed(name);
    if (cubesolve.offline) return false; // files need a server
    const kept = JSON.parse(sessionStorage.getItem(KEPT + name));
    if (kept) listFile(await sent(kept));
    else if (DIGEST.test(name)) // of a file that a server may have, opened in another window
      await request(`puzzles/${encodeURIComponent(name)}`).then(listFile).catch(() => {});
    return isListed(name);
  }

  const isListed = (name) => [...find("puzzle").options].some(({ value }) => value === name);

  function options(select, pairs, chosen) {
    select.replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
    if (pairs.some(([value]) => String(value) === chosen)) select.value = chosen;
  }

  /** Send the text of a file; return the description of the puzzle. */
  async function sent(given) {
    const cancelling = new AbortController();
    say(`reading ${given.name}\u2026`);
    find("cancel").hidden = false;
    find("cancel").onclick = () => cancelling.abort();
    try {
      return await request("puzzles", posted(given, cancelling.signal));
    } finally {
      find("cancel").hidden = true;
      say("");
    }
  }

  async function addFile(file) {
    const given = { name: file.name, text: await file.text() }, made = await sent(given);
    listFile(made);
    try {
      sessionStorage.setItem(KEPT + made.name, JSON.stringify(given)); // for reloading
    } catch {
      // There is no room for it.
    }
    await choose(made.name);
  }

  /** List a puzzle from a file, whose name has a digest. */
  function listFile({ name, title }) {
    if (!isListed(name)) find("puzzle").append(new Option(`${title} (${name.replace(DIGEST, "")})`, name));
  }

  // -- Keys -----------------------------------------------------------------------------------------------------------

  /** Handle a key: a letter makes a move, with Shift its inverse; arrows roll. */
  function key(event) {
    const { target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, textarea")) return;
    const arrows = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
    const rolled = puzzle && puzzle.needs_start && arrows[event.key];
    const letter = event.key.length === 1 ? event.key.toUpperCase() : "";
    const wanted = rolled || (event.shiftKey ? `${letter}'` : letter);
    if (target.closest("#palette") || target.closest("#net") ? rolled : false) return;
    const draws = event.key === " " && !target.closest("button, a") && modes.next(mode);
    if (event.key === "Backspace") act(undo);
    else if (puzzle && letter + (rolled || "") && Object.hasOwn(puzzle.buttons, wanted)) turn(wanted);
    else if (!draws) return;
    event.preventDefault();
  }

  /** Move the focus among facelets or colours by an arrow key; return the new element. */
  function rove(event, element, place) {
    const buttons = [...element.children], from = buttons.indexOf(event.target);
    const [right, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] || [0, 0];
    if (from < 0 || (!right && !down)) return null;
    event.preventDefault();
    const [x, y] = place(from);
    const ahead = buttons.map((button, i) => [button, (place(i)[0] - x) * right + (place(i)[1] - y) * down,
      Math.abs((place(i)[0] - x) * down) + Math.abs((place(i)[1] - y) * right)]);
    const next = ahead.filter(([, far]) => far > 0).sort((a, b) => a[1] + 9 * a[2] - b[1] - 9 * b[2])[0];
    if (!next) return null;
    for (const button of buttons) button.tabIndex = button === next[0] ? 0 : -1;
    next[0].focus();
    return next[0];
  }

  find("net").addEventListener("keydown", (event) => {
    const symbol = [...colours.keys()][Number(event.key) - 1];
    if (symbol) choosePaint(symbol);
    rove(event, find("net"), (i) => [now.cells[i].column, now.cells[i].row]);
  });
  find("palette").addEventListener("keydown", (event) => {
    const next = rove(event, find("palette"), (i) => [i, 0]);
    if (next) choosePaint(next.value);
  });
  document.addEventListener("keydown", key);

  const modes = cubesolve.modes({ find, request, post, act, say, options, about, go, play, choose, besides, settle,
    sketch,
    titled, isOwn: (name) => DIGEST.test(name) });

  // -- Start ----------------------------------------------------------------------------------------------------------

  find("hint").addEventListener("click", () => act(hint));
  find("solve").addEventListener("click", () => (playing ? act(settle) : act(solve)));
  find("undo").addEventListener("click", () => act(undo));
  find("reset").addEventListener("click", () => act(() => go(about(puzzle.solved))));
  find("random").addEventListener("click", () => act(() => resting(random)));
  for (const id of ["metric", "towards", "only"])
    find(id).addEventListener("change", () => act(() => {
      [metric, towards, only] = ["metric", "towards", "only"].map((each) => find(each).value.trim());
      showDepths();
      return settle();
    }));
  find("puzzle").addEventListener("change", (event) => act(() => choose(event.target.value), true));
  window.addEventListener("hashchange", () => {
    const { name, wanted, place } = named();
    if (!puzzle) return;
    if (name === puzzle.name) {
      if (wanted !== mode) enter(wanted);
      const isOther = (place.state ?? home) !== now?.state || (place.goal ?? puzzle.solved) !== goal
        || (place.metric ?? puzzle.metrics[0]) !== metric
        || (place.towards ?? "") !== towards || (place.moves ?? "") !== only;
      if (Object.keys(place).length && isOther) act(() => visit(place));
      return;
    }
    act(async () => ((await isThere(name)) ? choose(name, wanted, place) : complainOfName(name)), true);
  });
  if (cubesolve.offline) find("file").parentElement.hidden = true;
  else {
    find("file").addEventListener("change", (event) => event.target.files[0] && act(() => addFile(event.target.files[0]), true));
    document.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
    document.addEventListener("drop", (event) => {
      const [file] = event.dataTransfer.files;
      if (!file) return;
      event.preventDefault();
      act(() => addFile(file), true);
    });
  }
  for (const [form, work] of [["text-form", type], ["goal-form", () => resting(setGoal)]])
    find(form).addEventListener("submit", (event) => {
      event.preventDefault();
      act(work);
    });

  act(async () => {
    const listed = await request("puzzles"), { name, wanted, place } = named();
    options(find("puzzle"), listed.map((each) => [each.name, each.title[0].toUpperCase() + each.title.slice(1)]), name);
    const isKnown = await isThere(name);
    await choose(isKnown ? name : find("puzzle").value, wanted, isKnown ? place : {});
    if (name && !isKnown) complainOfName(name);
  }, true);
})();
