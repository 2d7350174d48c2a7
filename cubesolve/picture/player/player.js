// A 3D view of puzzles, and a player of algs. A classic script, because browsers do not load modules from files.
//
//   cubesolve.view(element, scene)   draws a scene, which the user turns by dragging:
//     .set(scene)                    shows another scene
//     .turn(motion, milliseconds)    animates a move; the promise resolves at its end
//     .apply(motion, backwards)      makes a move at once
//     .reset()                       returns to the initial direction of view
//     .grab = (from, drag) => ...    called when a part is dragged, with a place on the canvas and a distance in pixels
//     .leading(motions, from, drag)  returns the motion that moves the part at a place most nearly along a drag
//   cubesolve.player(element, data)  a view with buttons, keys and a list of moves:
//     .go(number)                    goes to the state after a number of moves
//     .play(), .pause()
//
// A scene has parts, which are lists of sides {corners, colour}; planes [x, y, z, distance] between them, or a floor on
// which they stand; and the directions up and front. A motion has an axis, a point `through` which the axis goes,
// degrees, and the numbers of the parts that turn; `also` are motions of other parts at the same time, about axes of the
// same direction, and `out` is how far its parts come out meanwhile.
"use strict";
var cubesolve = (() => {
  // -- Vectors --------------------------------------------------------------------------------------------------------

  const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const times = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => times(a, 1 / Math.hypot(...a));
  const mean = (points) => times(points.reduce(plus), 1 / points.length);
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  /** Return the rotation of points by an angle about an axis through a point. */
  function turning(axis, through, angle) {
    const k = unit(axis), cosine = Math.cos(angle), sine = Math.sin(angle);
    return (point) => {
      const v = minus(point, through);
      const across = times(v, cosine), around = times(cross(k, v), sine), along = times(k, dot(k, v) * (1 - cosine));
      return plus(through, plus(across, plus(around, along)));
    };
  }

  /** Return the rotation of points by a fraction of a motion. */
  function turned(motion, fraction) {
    const turn = turning(motion.axis, motion.through, (motion.degrees * fraction * Math.PI) / 180);
    if (!motion.out) return turn;
    const made = Math.abs(fraction), far = Math.min(1, STEEP * made, STEEP * (1 - made));
    return (point) => plus(turn(point), times(motion.out, far));
  }

  const STEEP = 5; // parts that come out do so in a fifth of a motion

  /** Return a motion, and those of other parts at the same time. */
  const together = (motion) => [motion, ...(motion.also || [])];

  /** Return about half of the width of a convex polygon. */
  function breadth(corners) {
    const around = corners.map((corner, i) => [minus(corner, corners[0]), minus(corners[(i + 1) % corners.length], corner)]);
    const area = Math.hypot(...around.map(([from, edge]) => cross(from, edge)).reduce(plus)) / 2;
    return (2 * area) / around.reduce((sum, [, edge]) => sum + Math.hypot(...edge), 0);
  }

  /** Return the outward normal of a side. */
  const facing = (corners) => unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[1])));

  /** Return whether a convex polygon on the canvas, in either direction, contains a point. */
  function contains(corners, [x, y]) {
    const turns = corners.map(([a, b], i) => {
      const [c, d] = corners[(i + 1) % corners.length];
      return (c - a) * (y - b) - (d - b) * (x - a);
    });
    return turns.every((turn) => turn >= 0) || turns.every((turn) => turn <= 0);
  }

  /** Return a convex polygon with its edges moved inwards. */
  function inset(corners, margin) {
    return corners.map((corner, i) => {
      const before = unit(minus(corners.at(i - 1), corner));
      const after = unit(minus(corners[(i + 1) % corners.length], corner));
      const inwards = unit(plus(before, after));
      return plus(corner, times(inwards, margin / Math.hypot(...cross(before, inwards))));
    });
  }

  /** Return a convex polygon with rounded corners; the rounding begins at a distance from each corner. */
  function rounded(corners, distance) {
    return corners.flatMap((corner, i) => {
      const [first, last] = [corners.at(i - 1), corners[(i + 1) % corners.length]].map((other) => {
        const edge = minus(other, corner), length = Math.hypot(...edge);
        return plus(corner, times(edge, Math.min(distance / length, 0.4)));
      });
      return [0, 0.25, 0.5, 0.75, 1].map((t) =>
        plus(times(first, (1 - t) ** 2), plus(times(corner, 2 * t * (1 - t)), times(last, t ** 2))));
    });
  }

  // -- The view -------------------------------------------------------------------------------------------------------

  const YAW = -0.68, PITCH = 0.5; // radians: from the right, and from above
  const TRAY_YAW = -0.4, TRAY_PITCH = 0.95, LOWEST = 0.15;
  const AWAY = 5; // the distance of the eye, in radii
  const FAR = 12; // pixels of a drag before a part turns
  const LIKE = 0.6, TIE = 0.15; // the least cosine between a drag and the initial motion of a part, and between two of them
  const ACROSS = 0.2, LITTLE = 1e-6; // the cosine between two directions that differ; no motion
  const NOTHING = 1e-4; // a length
  const MARGIN = 0.13, ROUND = 0.3; // of stickers, relative to half of the width of the smallest
  const MOST_PIXELS = 2; // per CSS pixel; a finer resolution is invisible

  class View {
    constructor(element, scene) {
      this.canvas = document.createElement("canvas");
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", scene.title || "");
      element.append(this.canvas);
      this.set(scene);
      this.reset();
      new ResizeObserver(() => this._resize()).observe(this.canvas);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
      this._listen();
    }

    set(scene) {
      const corners = [...scene.parts, scene.floor].flatMap((part) => part.flatMap((side) => side.corners));
      this.planes = scene.planes;
      this.radius = Math.max(...corners.map((corner) => Math.hypot(...corner)));
      this.breadth = Math.min(...scene.parts.flat().filter((side) => side.colour).map((side) => breadth(side.corners)));
      this.parts = scene.parts.map((sides, number) => this._part(sides, number));
      this.floor = scene.floor.length ? this._part(scene.floor) : null;
      this.up = unit(scene.up);
      const front = minus(scene.front, times(this.up, dot(scene.front, this.up)));
      this.front = unit(front);
      this.right = cross(this.up, this.front);
      this.motion = null;
      this.draw();
    }

    _part(sides, number) {
      const made = sides.map(({ corners, colour }) => ({
        corners,
        colour,
        sticker: colour && rounded(inset(corners, MARGIN * this.breadth), ROUND * this.breadth),
      }));
      return this._placed({ number, sides: made, middle: mean(sides.flatMap((side) => side.corners)) });
    }

    /** Find on which sides of the planes a part lies. */
    _placed(part) {
      const corners = part.sides.flatMap((side) => side.corners);
      part.straddled = this.planes.map(([x, y, z, distance]) => {
        const heights = corners.map((corner) => dot([x, y, z], corner) - distance);
        return Math.min(...heights) < -NOTHING && Math.max(...heights) > NOTHING;
      });
      return part;
    }

    reset() {
      this.yaw = this.floor ? TRAY_YAW : YAW;
      this.pitch = this.floor ? TRAY_PITCH : PITCH;
      this.draw();
    }

    look(right, down) {
      this.yaw -= right;
      this.pitch = clamp(this.pitch + down, this.floor ? LOWEST : -1.5, 1.5);
      this.draw();
    }

    apply(motion, backwards = false) {
      for (const each of together(motion)) {
        const move = turned(each, backwards ? -1 : 1);
        for (const number of each.parts) {
          const part = this.parts[number];
          part.middle = move(part.middle);
          for (const side of part.sides) {
            side.corners = side.corners.map(move);
            if (side.sticker) side.sticker = side.sticker.map(move);
          }
          this._placed(part);
        }
      }
      this.draw();
    }

    /** Animate a move; the next move ends a running animation. */
    turn(motion, milliseconds, backwards = false) {
      this.finish();
      if (milliseconds <= 0) {
        this.apply(motion, backwards);
        return Promise.resolve();
      }
      return new Promise((made) => {
        const began = performance.now();
        this._begin(motion);
        this.finish = () => {
          cancelAnimationFrame(this.frame);
          delete this.finish;
          this.motion = null;
          this.apply(motion, backwards);
          made();
        };
        const step = (now) => {
          const time = clamp((now - began) / milliseconds, 0, 1);
          if (time === 1) return this.finish();
          this.motion.fraction = (backwards ? -1 : 1) * time * time * (3 - 2 * time);
          this.draw();
          this.frame = requestAnimationFrame(step);
        };
        this.frame = requestAnimationFrame(step);
      });
    }

    finish() {} // no animation is running

    _begin(motion, fraction = 0) {
      const turning = together(motion).flatMap((each) => each.parts.map((number) => [number, each]));
      this.motion = { axis: motion.axis, turning: new Map(turning), fraction };
    }

    // -- Drawing ------------------------------------------------------------------------------------------------------

    _resize() {
      const scale = Math.min(devicePixelRatio || 1, MOST_PIXELS);
      this.canvas.width = Math.round(this.canvas.clientWidth * scale);
      this.canvas.height = Math.round(this.canvas.clientHeight * scale);
      this.draw();
    }

    draw() {
      if (this.drawn) return;
      this.drawn = requestAnimationFrame(() => {
        this.drawn = 0;
        this._draw();
      });
    }

    /** Return the position of the eye, and the projection of points to the canvas. */
    _seen() {
      const { width, height } = this.canvas;
      const away = AWAY * this.radius;
      const sideways = plus(times(this.right, -Math.sin(this.yaw)), times(this.front, Math.cos(this.yaw)));
      const back = plus(times(sideways, Math.cos(this.pitch)), times(this.up, Math.sin(this.pitch)));
      const across = cross(this.up, sideways), upright = cross(back, across);
      const eye = times(back, away);
      const size = ((Math.min(width, height) / 2) * Math.sqrt(AWAY * AWAY - 1)) * (this.floor ? 1.03 : 0.98);
      return {
        eye, back, upright,
        place: (point) => {
          const near = size / (away - dot(point, back));
          return [width / 2 + dot(point, across) * near, height / 2 - dot(point, upright) * near];
        },
        ray: ([x, y]) => plus(times(back, -size), plus(times(across, x - width / 2), times(upright, height / 2 - y))),
      };
    }

    _draw() {
      const { width, height } = this.canvas, pen = this.canvas.getContext("2d");
      pen.clearRect(0, 0, width, height);
      const plastic = getComputedStyle(this.canvas).getPropertyValue("--plastic") || "#16181c";
      const seen = { ...this._seen(), pen, plastic };
      if (this.floor) this._drawPart(seen, this.floor, null);
      for (const part of this._ordered(seen.eye)) this._drawPart(seen, part, this._move(part));
    }

    /** Return the rotation of a part from where it was before the motion; null if it does not move. */
    _move(part, direction = 1) {
      const motion = this.motion && this.motion.turning.get(part.number);
      return motion ? turned(motion, direction * this.motion.fraction) : null;
    }

    /** Return the parts from back to front. */
    _ordered(eye) {
      const axis = this.motion && this.motion.axis;
      if (this.floor) { // rows across the roll, and cubes in order within a row
        const first = axis || this.front, second = cross(this.up, first);
        const far = (direction) => (part) => {
          const move = this._move(part);
          return Math.round(1e4 * Math.abs(dot(minus(eye, move ? move(part.middle) : part.middle), direction)));
        };
        const row = far(first), place = far(second);
        return [...this.parts].sort((a, b) => row(b) - row(a) || place(b) - place(a));
      }
      const along = (plane) => axis && Math.hypot(...cross(plane, axis)) < 1e-9;
      const numbers = [...this.planes.keys()], across = numbers.filter((number) => along(this.planes[number]));
      // The planes across the axis separate turning parts from others; between them, all parts turn or none does, and the
      // other planes with them. Only the dials of a Clock turn one by one, between planes that stay. A plane through a
      // part, such as that through a corner of a Square-1, waits until the parts are on one side of another.
      const motion = ({ number }) => this.motion && this.motion.turning.get(number);
      const isOne = (parts) => parts.every((part) => motion(part) === motion(parts[0]));
      const sorted = (parts, left) => {
        const number = parts.length < 2 ? undefined : left.find((each) => !parts.some((part) => part.straddled[each]));
        if (number === undefined) return parts;
        const [x, y, z, distance] = this.planes[number], height = (point) => dot([x, y, z], point) - distance;
        const back = across.includes(number) || !isOne(parts) ? null : this._move(parts[0], -1);
        const above = parts.filter((part) => height(part.middle) > 0), below = parts.filter((part) => !above.includes(part));
        const [far, near] = height(back ? back(eye) : eye) > 0 ? [below, above] : [above, below];
        const others = left.filter((each) => each !== number);
        return [...sorted(far, others), ...sorted(near, others)];
      };
      return sorted(this.parts, [...across, ...numbers.filter((number) => !across.includes(number))]);
    }

    _drawPart(seen, part, move) {
      for (const side of part.sides) {
        const corners = move ? side.corners.map(move) : side.corners;
        const normal = facing(corners);
        if (dot(normal, minus(seen.eye, corners[0])) <= 0) continue;
        const isFloor = part === this.floor;
        const light = 0.78 + 0.22 * clamp(dot(normal, unit(plus(seen.back, times(seen.upright, 0.7)))), 0, 1);
        this._fill(seen, corners, isFloor ? shaded(side.colour, light) : seen.plastic, true);
        if (side.sticker && !isFloor)
          this._fill(seen, move ? side.sticker.map(move) : side.sticker, shaded(side.colour, light), false);
      }
    }

    /** Fill a polygon; drawing its edge, too, closes the gap between adjacent polygons. */
    _fill({ pen, place }, corners, colour, withEdge) {
      pen.beginPath();
      for (const corner of corners) pen.lineTo(...place(corner));
      pen.closePath();
      pen.fillStyle = pen.strokeStyle = colour;
      pen.lineJoin = "round";
      pen.fill();
      if (withEdge) pen.stroke();
    }

    // -- Turning with the mouse ---------------------------------------------------------------------------------------

    /** Return the part, the point on it, and the normal of its side at a place on the canvas, in pixels. */
    _at(place) {
      const seen = this._seen();
      for (const part of this._ordered(seen.eye).reverse())
        for (const { corners } of part.sides) {
          const normal = facing(corners), height = dot(normal, minus(corners[0], seen.eye));
          if (height >= 0 || !contains(corners.map(seen.place), place)) continue;
          const ray = seen.ray(place);
          return { part, normal, point: plus(seen.eye, times(ray, height / dot(normal, ray))) };
        }
      return null;
    }

    /**
     * Return the motion that moves the part at a place on the canvas most nearly along a drag; null if there is none, or if
     * the drag is between two. Directions are compared within the plane of the dragged side, in which the finger moves,
     * and those of rolling cubes within the floor. Rotations within that plane come last. Ties go to the smallest angle,
     * then to the fewest parts.
     */
    leading(motions, from, drag) {
      const held = this._at(from);
      if (!held) return null;
      const { eye, ray } = this._seen(), { part, point } = held, normal = this.floor ? this.up : held.normal;
      const within = (vector) => minus(vector, times(normal, dot(normal, vector)));
      const sight = ray(from.map((at, axis) => at + drag[axis] / Math.hypot(...drag)));
      const along = unit(minus(plus(eye, times(sight, dot(normal, minus(point, eye)) / dot(normal, sight))), point));
      const begin = (motion) => within(this.floor ? minus(turned(motion, 1)(part.middle), part.middle)
        : times(cross(unit(motion.axis), minus(point, motion.through)), Math.sign(motion.degrees)));
      const found = motions.filter(({ parts }) => parts.includes(part.number)).map((motion) => {
        const way = begin(motion), far = Math.hypot(...way), near = far > LITTLE ? dot(way, along) / far : 0;
        const isFlat = Math.hypot(...cross(unit(motion.axis), normal)) < 1e-6;
        const order = [isFlat, -Math.round(near * 1e4), Math.abs(motion.degrees), motion.parts.length];
        return { motion, near, way: times(way, 1 / far), order };
      }).filter(({ near }) => near >= LIKE);
      const [best] = found.sort((a, b) => a.order.map((value, i) => value - b.order[i]).find(Boolean) || 0);
      const isBetween = ({ near, way }) => best.near - near < TIE && dot(best.way, way) < ACROSS;
      return best && !found.some((other) => !other.order[0] && isBetween(other)) ? best.motion : null;
    }

    // -- Dragging -----------------------------------------------------------------------------------------------------

    /** Handle drags: of parts, if `grab` is set, or else of the whole view. */
    _listen() {
      const { canvas } = this;
      const held = new Map();
      let grabbed = null;
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        held.set(event.pointerId, [event.clientX, event.clientY]);
        const scale = canvas.width / canvas.clientWidth, from = [event.offsetX * scale, event.offsetY * scale];
        grabbed = this.grab && held.size === 1 && this._at(from) && from;
      });
      canvas.addEventListener("pointermove", (event) => {
        const from = held.get(event.pointerId);
        if (!from || held.size > 1) return;
        if (grabbed) {
          const drag = [event.clientX - from[0], event.clientY - from[1]];
          if (Math.hypot(...drag) < FAR) return;
          held.delete(event.pointerId);
          this.grab(grabbed, drag);
          return;
        }
        const turn = 4 / Math.min(canvas.clientWidth, canvas.clientHeight);
        this.look((event.clientX - from[0]) * turn, (event.clientY - from[1]) * turn);
        held.set(event.pointerId, [event.clientX, event.clientY]);
      });
      for (const name of ["pointerup", "pointercancel"])
        canvas.addEventListener(name, (event) => held.delete(event.pointerId));
    }
  }

  /** Return a colour, given as #rrggbb, with a brightness. */
  function shaded(colour, light) {
    const channels = [1, 3, 5].map((at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * light));
    return `rgb(${channels})`;
  }

  // -- The player -----------------------------------------------------------------------------------------------------

  const QUARTER = 450, PAUSE = 250, STILL = 900; // milliseconds: a quarter turn, a pause, a move without animation
  const SPEEDS = [0.25, 0.5, 1, 2, 4];
  const LOOK = 0.15; // radians per key

  const ICONS = {
    first: "M5 4h3v16H5zM20 4v16L9 12z",
    back: "M17 4v16L6 12z",
    play: "M6 3v18l14-9z",
    pause: "M5 4h5v16H5zM14 4h5v16h-5z",
    forward: "M7 4v16l11-8z",
    last: "M16 4h3v16h-3zM4 4v16l11-8z",
    view: "M12 4a8 8 0 1 1-7.7 5.9l2.4.7A5.5 5.5 0 1 0 12 6.5V10L6.500 5.200 12 .5z",
  };

  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  }

  /** Shows a picture of each state, where a `Player` expects a `View`. */
  class Flat {
    constructor(element, states) {
      this.states = states;
      this.number = 0;
      this.frame = make("div", { class: "flat" });
      element.append(this.frame);
      this._show();
    }

    _show() {
      const { picture, text } = this.states[this.number];
      const source = `data:image/svg+xml,${encodeURIComponent(picture)}`;
      this.frame.replaceChildren(picture ? make("img", { src: source, alt: text }) : text);
    }

    apply(motion, backwards = false) {
      this.number += backwards ? -1 : 1;
      this._show();
    }

    turn(motion, milliseconds, backwards) {
      this.apply(motion, backwards);
      return new Promise((done) => setTimeout(done, milliseconds));
    }

    finish() {}

    look() {}
  }

  class Player {
    constructor(element, data) {
      this.data = data;
      this.steps = data.steps;
      this.number = 0; // the number of moves made
      this.playing = false;
      this.speed = 1;
      this.still = matchMedia("(prefers-reduced-motion: reduce)");
      const stage = make("div", { class: "stage" });
      this.status = make("p", { class: "status", role: "status", "aria-live": "polite" });
      element.classList.add("player");
      element.tabIndex = -1; // so that it receives keys after a click
      this.element = element;
      this.view = data.scene ? new View(stage, { ...data.scene, title: data.title }) : new Flat(stage, data.states);
      element.append(stage, this.status, this._buttons(), this._alg());
      document.addEventListener("keydown", (event) => this._key(event));
      this._show();
    }

    // -- Actions ------------------------------------------------------------------------------------------------------

    go(number) {
      this.pause();
      this._go(number);
    }

    /** Go to a state; a single step is animated. */
    _go(number) {
      this.view.finish();
      const to = clamp(number, 0, this.steps.length), by = to - this.number;
      let made = Promise.resolve();
      if (Math.abs(by) === 1) {
        made = this.view.turn(this.steps[Math.min(to, this.number)], this._duration(to), by < 0);
        this.number = to;
      }
      while (this.number < to) this.view.apply(this.steps[this.number++]);
      while (this.number > to) this.view.apply(this.steps[--this.number], true);
      this._show();
      return made;
    }

    _duration(to) {
      const degrees = together(this.steps[Math.min(to, this.number)]).map((motion) => Math.abs(motion.degrees));
      return this.still.matches ? 0 : (QUARTER * (0.5 + Math.max(...degrees) / 180)) / this.speed;
    }

    async play() {
      if (this.playing) return;
      if (this.number === this.steps.length) this._go(0);
      this.playing = true;
      this._show();
      const now = (this.run = {}); // a later call of play() ends this loop
      const current = () => this.playing && this.run === now;
      while (current() && this.number < this.steps.length) {
        await this._go(this.number + 1);
        const wait = (this.still.matches ? STILL : PAUSE) / this.speed;
        if (current() && this.number < this.steps.length) await new Promise((done) => setTimeout(done, wait));
      }
      if (current()) this.pause();
    }

    pause() {
      this.playing = false;
      this._show();
    }

    // -- Display ------------------------------------------------------------------------------------------------------

    _buttons() {
      const button = (name, label, act) => {
        const made = make("button", { type: "button", "aria-label": label, title: label }, icon(name));
        made.addEventListener("click", act);
        return made;
      };
      const speed = make("select", { "aria-label": "Speed" });
      for (const each of SPEEDS) speed.append(make("option", { value: each }, `${each}\u00d7`));
      speed.value = 1;
      speed.addEventListener("change", () => (this.speed = Number(speed.value)));
      this.playButton = button("play", "Play", () => (this.playing ? this.pause() : this.play()));
      this.before = [
        button("first", "To the start", () => this.go(0)),
        button("back", "One move back", () => this.go(this.number - 1)),
      ];
      this.behind = [
        button("forward", "One move forward", () => this.go(this.number + 1)),
        button("last", "To the end", () => this.go(this.steps.length)),
      ];
      if (this.data.scene) this.view.canvas.after(button("view", "Reset the view", () => this.view.reset()));
      const bar = make("div", { class: "bar", role: "toolbar", "aria-label": "Player" });
      bar.append(...this.before, this.playButton, ...this.behind, speed);
      return bar;
    }

    _alg() {
      const list = make("ol", { class: "alg", "aria-label": "Moves" });
      this.moves = ["start", ...this.steps.map((step) => step.move)].map((move, number) => {
        const spoken = number ? `Move ${number}: ${move}` : "Start";
        const button = make("button", { type: "button", "aria-label": spoken }, move);
        button.addEventListener("click", () => this.go(number));
        list.append(make("li", {}, button));
        return button;
      });
      return list;
    }

    _show() {
      const { number, steps, data } = this;
      const status = [number ? `Move ${number} of ${steps.length}: ${steps[number - 1].move}` : "Start"];
      const left = data.left[number];
      if (left !== undefined) status.push(`${left} ${left === 1 ? data.unit.replace(/s$/, "") : data.unit} to go`);
      const text = status.join(". ");
      if (this.status.textContent !== text) this.status.textContent = text;
      const name = this.playing ? "pause" : "play";
      if (this.playButton.dataset.icon !== name) {
        this.playButton.dataset.icon = name;
        this.playButton.replaceChildren(icon(name));
        this.playButton.title = this.playing ? "Pause" : "Play";
        this.playButton.setAttribute("aria-label", this.playButton.title);
      }
      for (const button of this.before) button.disabled = number === 0;
      for (const button of this.behind) button.disabled = number === steps.length;
      this.playButton.disabled = steps.length === 0;
      if (this.marked !== number) {
        this.moves[this.marked ?? 0].removeAttribute("aria-current");
        this.moves[number].setAttribute("aria-current", "step");
        const list = this.moves[0].closest("ol"), item = this.moves[number].parentElement;
        list.scrollTop = item.offsetTop - list.offsetTop - (list.clientHeight - item.clientHeight) / 2;
        this.marked = number;
      }
    }

    _key(event) {
      const { key, target } = event;
      const isAlone = document.querySelectorAll(".player").length === 1;
      if (!isAlone && !this.element.contains(target)) return;
      if (event.ctrlKey || event.altKey || event.metaKey || target.closest("select, input, textarea")) return;
      if (key === " " && target.closest("button")) return; // the key presses the button
      const look = { ArrowLeft: [-LOOK, 0], ArrowRight: [LOOK, 0], ArrowUp: [0, -LOOK], ArrowDown: [0, LOOK] };
      const acts = {
        " ": () => (this.playing ? this.pause() : this.play()),
        ArrowLeft: () => this.go(this.number - 1),
        ArrowRight: () => this.go(this.number + 1),
        Home: () => this.go(0),
        End: () => this.go(this.steps.length),
      };
      const act = event.shiftKey && look[key] ? () => this.view.look(...look[key]) : acts[key];
      if (!act) return;
      event.preventDefault();
      act();
    }
  }

  return {
    view: (element, scene) => new View(element, scene),
    player: (element, data) => new Player(element, data),
  };
})();
