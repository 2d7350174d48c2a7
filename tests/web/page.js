// What tests of the page do in it: each function is called by name, with arguments of the driver.
"use strict";

/** Return what the page shows. */
const seen = () => {
  const text = (id) => document.getElementById(id).innerText.trim();
  const near = [...document.querySelectorAll("#moves button.near")].map((button) => button.value);
  const [distance, message, state, title] = ["distance", "message", "state", "title"].map(text);
  return { distance, message, state, title, near, solve: text("solve") };
};

/** Wait until the page shows what is expected, or for some seconds; return what it shows then. */
const shows = (expected, seconds, done) => {
  const isAsExpected = ([name, value]) => JSON.stringify(value) === JSON.stringify(expected[name] ?? value);
  const finish = (now) => {
    change.disconnect();
    clearTimeout(end);
    done(now);
  };
  const look = () => {
    const now = seen();
    if (Object.entries(now).every(isAsExpected)) finish(now);
  };
  const end = setTimeout(() => finish(seen()), 1000 * seconds);
  const change = new MutationObserver(look);
  change.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  look();
};

/** Record the texts of an element, and press a button at the first one that contains another text. */
const record = (id, at, press) => {
  const texts = (window.messages = []), element = document.getElementById(id);
  new MutationObserver(() => {
    texts.push(element.textContent);
    if (!at || !element.textContent.includes(at)) return;
    at = null;
    document.getElementById(press).click();
  }).observe(element, { childList: true });
};

/** Paint facelets by clicks on a symbol and on the facelet, and wait for each colour. */
const paint = async (places, done) => {
  for (const [symbol, facelet] of places.map((pair) => pair.map((place) => document.querySelector(place)))) {
    const before = facelet.getAttribute("aria-label");
    symbol.click();
    facelet.click();
    while (facelet.getAttribute("aria-label") === before) await new Promise((then) => setTimeout(then, 10));
  }
  done();
};

/** Return an element for an action: it must be enabled, in sight and covered by no other one. */
const reach = (given) => {
  const element = typeof given === "string" ? document.querySelector(given) : given;
  element.scrollIntoView({ block: "nearest" });
  const { left, top, width, height } = element.getBoundingClientRect();
  if (element.disabled || !element.contains(document.elementFromPoint(left + width / 2, top + height / 2))) {
    throw new Error(`${element.outerHTML} cannot be clicked`);
  }
  element.focus();
  return element;
};

/** Return whether an element is within the window. */
const isInSight = (selector) => {
  const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};

/** Return the left and the right side of each element. */
const sides = (selector) => [...document.querySelectorAll(selector)].map((element) => {
  const { left, right } = element.getBoundingClientRect();
  return [left, right];
});

/** Record which elements get the focus, beginning with that before all. */
const recordFocus = () => {
  const reached = (window.reached = []);
  addEventListener("focusin", ({ target }) => reached.push(target.id || target.value));
  document.activeElement.blur();
};

const click = (given) => reach(given).click();

/** Replace the text of a field. */
const write = (given, text) => {
  reach(given).select();
  document.execCommand("insertText", false, text);
};

/** Choose an option. */
const choose = (given, value) => {
  const element = reach(given);
  if (![...element.options].some((option) => option.value === value)) throw new Error(`${value} is no option`);
  element.value = value;
  for (const kind of ["input", "change"]) element.dispatchEvent(new Event(kind, { bubbles: true }));
};

/** Send the text of a puzzle file to the server. */
const upload = (text, done) => {
  const headers = { "content-type": "application/json" };
  fetch("api/puzzles", { method: "POST", headers, body: JSON.stringify({ name: "other.gap", text }) }).then(() => done());
};

/** Let scrambles be waited for as long as it takes: the page waits for 5 s, and then draws a state without a scramble. */
const wait = (seconds) => {
  const usual = fetch, waiting = (body) => body && body.replace(/"timeout":\d+/, `"timeout":${seconds}`);
  window.fetch = (path, options) => usual(path, options && { ...options, body: waiting(options.body) });
};

// -- The page without a server ----------------------------------------------------------------------------------------

/** Answer requests, each a path and fields; an error is its status. */
const ask = (asked, done) => {
  const answer = ([path, fields]) => cubesolve.offline.answer(path, fields).catch((error) => ({ error: error.status }));
  Promise.all(asked.map(answer)).then((answers) => done(JSON.stringify(answers)));
};

/** Read facelets; return each state, or the error and the wrong facelets. */
const read = (embedded, names, texts) => texts.map((text) => {
  try {
    return [cubesolve.facelets(embedded, names)([...text]).join(""), []];
  } catch (error) {
    return [error.message, error.facelets];
  }
});

/** Choose puzzles at once, of which the first one comes last, and press their buttons meanwhile. */
const hurry = (names, done) => {
  const select = document.getElementById("puzzle"), answer = cubesolve.offline.answer;
  cubesolve.offline.answer = async (path, ...about) => {
    const found = await answer(path, ...about);
    await new Promise((then) => setTimeout(then, path.endsWith(names[0]) ? 200 : 20));
    return found;
  };
  for (select.value of names) select.dispatchEvent(new Event("change"));
  const clicks = setInterval(() => document.querySelector("#moves button").click(), 5);
  setTimeout(() => done(clearInterval(clicks)), 400);
};

/** Replace the next worker by one that never answers, and record that it is ended. */
const occupy = () => {
  const Usual = Worker, busy = URL.createObjectURL(new Blob(["onmessage = () => {};"]));
  window.Worker = function (text) {
    window.Worker = Usual;
    const made = new Usual(busy);
    made.terminate = () => (window.hasEnded = !Usual.prototype.terminate.call(made));
    return made;
  };
};
