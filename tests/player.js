// What tests of the player do in its page: each function is called by name, with arguments of the driver.
"use strict";

/** Return the stickers, and the picture in few pixels. */
const seen = () => {
  const { view } = player, small = document.createElement("canvas"), pen = small.getContext("2d");
  const stickers = view.parts.flatMap((part) => part.sides.filter((side) => side.colour));
  view._resize(); // which a browser that is busy may not have done yet
  view._draw();
  small.width = small.height = 48;
  pen.drawImage(view.canvas, 0, 0, 48, 48);
  return [stickers, [...pen.getImageData(0, 0, 48, 48).data]];
};

/** Add a second player, which plays the same. */
const second = () => {
  document.body.append(document.createElement("section"));
  window.second = cubesolve.player(document.body.lastElementChild, player.data);
};

/**
 * Return the number of rays from an eye anywhere that meet parts, and of those on which the part that is drawn last is
 * not the nearest one, while parts turn.
 */
const hiding = () => {
  const view = player.view;
  const minus = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  const cross = (a, b) => [0, 1, 2].map((i) => a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]);
  let seed = 7, rays = 0, wrong = 0;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let trial = 0; trial < 30; trial++) {
    const number = Math.floor(random() * player.steps.length);
    player.go(number);
    view.finish();
    view._begin(player.steps[number], random());
    const yaw = 6.28 * random(), pitch = view.floor ? 0.2 + 1.3 * random() : 3 * random() - 1.5;
    const [a, b, c] = [Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch)];
    const eye = [0, 1, 2].map((i) => 5 * view.radius * (a * view.right[i] + b * view.up[i] + c * view.front[i]));
    const parts = view._ordered(eye).map((part) => {
      const move = view._move(part);
      return part.sides.map((side) => (move ? side.corners.map(move) : side.corners));
    });
    for (let r = 0; r < 40; r++) {
      const ray = minus([0, 1, 2].map(() => (1.6 * random() - 0.8) * view.radius), eye), hits = [];
      for (const [i, sides] of parts.entries()) for (const corners of sides) {
        const normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[1]));
        const far = dot(normal, minus(corners[0], eye)) / dot(normal, ray), point = eye.map((x, j) => x + far * ray[j]);
        const inside = corners.every((corner, j) => dot(normal, cross(
          minus(corners[(j + 1) % corners.length], corner), minus(point, corner))) > 1e-4 * dot(normal, normal));
        if (inside && dot(normal, ray) < 0) hits.push([far, i]);
      }
      if (!hits.length) continue;
      const [nearest, next] = hits.sort((x, y) => x[0] - y[0]), last = Math.max(...hits.map((hit) => hit[1]));
      rays += 1;
      wrong += last !== nearest[1] && next[0] - nearest[0] > 1e-5;
    }
  }
  view.motion = null;
  return [rays, wrong];
};

/** Drag stickers along what a move does to them, along their edges, and between two edges, in some views. */
const dragging = (scene, motions) => {
  const element = document.createElement("div");
  document.body.append(element);
  const view = cubesolve.view(element, scene);
  Object.assign(view.canvas, { width: 400, height: 400 });
  const sum = (one, other, times = 1) => one.map((value, i) => value + times * other[i]);
  const dot = (one, other) => one.reduce((total, value, i) => total + value * other[i], 0);
  const total = (points) => points.reduce((all, point) => sum(all, point), [0, 0, 0]);
  const mean = (points) => total(points).map((value) => value / points.length);
  const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
  const cosine = (one, other) => dot(one, other) / Math.hypot(...one) / Math.hypot(...other);
  const tally = { tried: 0, wrong: 0, across: 0 };
  for (const [right, down] of [[0, 0], [0.5, -0.3], [-1.3, 0.2], [2, 0.6]]) {
    view.look(right, down);
    const { place } = view._seen();
    for (const part of view.parts) for (const { corners, colour } of part.sides) {
      const point = mean(corners), seen = view._at(place(point));
      if (!colour || !seen || Math.hypot(...sum(seen.point, point, -1)) > 1e-6) continue;
      const { normal } = seen, own = motions.filter(({ parts }) => parts.includes(part.number));
      /** The initial direction of a part that a motion turns, within the plane of its side. */
      const begin = ({ axis, through, degrees }) => {
        const velocity = cross(axis, sum(point, through, -1)).map((value) => value * Math.sign(degrees));
        return sum(velocity, normal, -dot(velocity, normal));
      };
      const isFlat = ({ axis }) => Math.abs(cosine(axis, normal)) > 1 - 1e-9;
      const ways = own.filter((motion) => !isFlat(motion)).map(begin).filter((way) => Math.hypot(...way) > 1e-3);
      const lead = (way) => {
        const [[x, y], [a, b]] = [place(point), place(sum(point, way, 1e-4))];
        return view.leading(motions, [x, y], [9e4 * (a - x), 9e4 * (b - y)]);
      };
      for (const way of ways) {
        const found = lead(way);
        tally.tried += 1;
        tally.wrong += !found || !(cosine(begin(found), way) > 0.99);
      }
      const edges = corners.map((corner, i) => sum(corners[(i + 1) % corners.length], corner, -1));
      for (const edge of corners.length === 4 ? edges : []) {
        const best = Math.max(...ways.map((way) => cosine(way, edge))), found = lead(edge);
        tally.wrong += best > 0.9 && !(found && cosine(begin(found), edge) > best - 0.01);
      }
      const between = sum(edges[0], edges[1]);
      if (corners.length === 4 && edges.slice(0, 2).every((edge) => ways.some((way) => cosine(way, edge) > 0.99)))
        tally.across += Boolean(lead(between));
    }
  }
  tally.beside = view.leading(motions, [1, 1], [9, 0]);
  return tally;
};

/** Return the move of each motion, and those of drags of its cube to the vacancy and away from it. */
const rolling = (motions) => {
  const { view } = player, { place } = view._seen();
  return motions.map((motion) => {
    const { middle } = view.parts[motion.parts[0]];
    const after = middle.map((value, i) => 2 * motion.through[i] - value);
    const [[x, y], [a, b]] = [place(middle), place([after[0], middle[1], after[2]])];
    const leads = (right, down) => view.leading(motions, [x, y], [right, down])?.move;
    return [motion.move, leads(a - x, b - y), leads(x - a, y - b)];
  });
};
