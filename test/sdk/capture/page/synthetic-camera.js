/**
 * A camera for tests that sees a computed person: the face of a photograph as a textured body of 468 points and the hair around it, which
 * turns, nods, blinks and smiles when it is told to, with the drift of a body, the light of a room and the noise of a sensor. It is drawn by
 * plain arithmetic into a canvas, whose stream stands in for getUserMedia.
 */

const width = 640;
const height = 480;

/** Upper and lower lid of each eye, from the outer corner inwards, and the ring of skin above. */
const lids = [
  {
    upper: [246, 161, 160, 159, 158, 157, 173],
    lower: [7, 163, 144, 145, 153, 154, 155],
    above: [247, 30, 29, 27, 28, 56, 190],
  },
  {
    upper: [466, 388, 387, 386, 385, 384, 398],
    lower: [249, 390, 373, 374, 380, 381, 382],
    above: [467, 260, 259, 257, 258, 286, 414],
  },
];
const oval = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
  172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
];

/** Each movement: how long it takes, ms, and what it does at a share of that. */
const movements = {
  blink: {
    ms: 300,
    pose: (share) => ({ closed: share < 0.33 ? share / 0.33 : Math.max(0, 1 - (share - 0.45) / 0.55) }),
  },
  turn_left: { ms: 1400, pose: (share) => ({ yaw: 27 * Math.sin(Math.PI * share) }) },
  turn_right: { ms: 1400, pose: (share) => ({ yaw: -27 * Math.sin(Math.PI * share) }) },
  nod: { ms: 1200, pose: (share) => ({ pitch: 19 * Math.sin(Math.PI * share) }) },
  smile: { ms: 1600, pose: (share) => ({ smile: Math.min(1, 1.6 * Math.sin(Math.PI * share)) }) },
};

function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Nobody holds still: slow waves of several lengths. */
function waveOf(random, size) {
  const parts = [1900, 3300, 730].map((period, index) => [
    random() * 2 * Math.PI,
    period * (0.8 + 0.4 * random()),
    index === 2 ? 0.25 : 1,
  ]);
  return (at) =>
    (size *
      parts.reduce((sum, [phase, period, share]) => sum + share * Math.sin(phase + (2 * Math.PI * at) / period), 0)) /
    2;
}

/**
 * `photo` is an ImageData, `mesh` its 468 points with depth in pixels towards the back, `triangles` their indices. Options: `flat` takes all
 * depth away, `noise` is in levels of 255, `pace` stretches movements, `screen` shows the face on a display held to the camera.
 */
export function createSyntheticFace(
  photo,
  mesh,
  triangles,
  { seed = 1, noise = 2.2, pace = 1, screen = false, flat = false } = {},
) {
  const random = randomFrom(seed);
  const eyes = Math.hypot(mesh[263][0] - mesh[33][0], mesh[263][1] - mesh[33][1]);
  const middle = [0, 1, 2].map((axis) => (mesh[33][axis] + mesh[263][axis]) / 2);
  // In widths of the eyes; depth so that the nose stands out by 0.48, as that of a head does.
  const deep = 0.48 / ((middle[2] - mesh[1][2]) / eyes);
  const body = mesh.map(([x, y, z]) => [
    (x - middle[0]) / eyes,
    (y - middle[1]) / eyes,
    (-(z - middle[2]) / eyes) * deep,
  ]);
  const texture = mesh.map(([x, y]) => [x, y]);
  const faces = [...triangles];
  addHair(body, texture, faces);
  const drift = Object.fromEntries(
    [
      ['yaw', 1.6],
      ['pitch', 1.1],
      ['roll', 1],
      ['x', 0.05],
      ['y', 0.03],
      ['nearer', 0.06],
    ].map(([name, size]) => [name, waveOf(random, size)]),
  );
  const light = waveOf(random, 0.008);
  const room = paintRoom(random);
  const grain = Float32Array.from(
    { length: 1 << 16 },
    () => (random() + random() + random() + random() - 2) * 1.73 * noise,
  );
  const depth = new Float32Array(width * height);
  let doing = null;

  function addHair(points, places, list) {
    const centre = [0, 0.45, 0];
    let ring = oval;
    for (const [grow, back] of [
      [1.22, 0.35],
      [1.5, 0.9],
    ]) {
      const next = oval.map((index) => {
        const [x, y, z] = points[index];
        points.push([centre[0] + (x - centre[0]) * grow, centre[1] + (y - centre[1]) * grow, z - back]);
        const [u, v] = places[index];
        const [cu, cv] = [middle[0], middle[1] + 0.45 * eyes];
        places.push([cu + (u - cu) * grow, cv + (v - cv) * grow]);
        return points.length - 1;
      });
      for (let index = 0; index < ring.length; index += 1) {
        const after = (index + 1) % ring.length;
        list.push(ring[index], ring[after], next[index], ring[after], next[after], next[index]);
      }
      ring = next;
    }
  }

  function poseAt(at) {
    const pose = { yaw: 0, pitch: 0, roll: 0, x: 0, y: 0, nearer: 0, closed: 0, smile: 0 };
    for (const [name, wave] of Object.entries(drift)) pose[name] += wave(at);
    if (doing !== null) {
      const share = (at - doing.from) / (movements[doing.type].ms * pace);
      if (share >= 1) doing = null;
      else if (share > 0)
        for (const [name, value] of Object.entries(movements[doing.type].pose(share))) pose[name] += value;
    }
    return pose;
  }

  function express({ closed, smile }) {
    // A photograph can be turned and nodded with, and keeps its face.
    if (flat) return body.map(([x, y]) => [x, y, 0]);
    const points = body.map((point) => [...point]);
    for (const { upper, lower, above } of lids) {
      for (const [index, place] of upper.entries()) {
        const target = body[lower[index]];
        for (const axis of [0, 1, 2]) points[place][axis] += (target[axis] - body[place][axis]) * closed * 0.94;
        for (const axis of [1]) points[above[index]][axis] += (target[axis] - body[place][axis]) * closed * 0.25;
      }
    }
    if (smile > 0) {
      for (const [corner, side] of [
        [61, -1],
        [291, 1],
      ]) {
        const [cx, cy] = body[corner];
        for (const point of points) {
          const near = Math.exp(-((point[0] - cx) ** 2 + (point[1] - cy) ** 2) / (2 * 0.22 ** 2));
          point[0] += side * 0.075 * smile * near;
          point[1] -= 0.04 * smile * near;
        }
      }
    }
    return points;
  }

  /** Places in the picture, and nearness, of all points. */
  function project(pose) {
    const [yaw, pitch, roll] = [pose.yaw, pose.pitch, pose.roll].map((angle) => (angle * Math.PI) / 180);
    const behind = flat ? 0 : 1.03;
    const distance = 5.6;
    const focal = 0.9 * width;
    return express(pose).map(([x, y, z]) => {
      const back = z + behind;
      // The respondent’s left is the picture’s right.
      const x1 = x * Math.cos(yaw) + back * Math.sin(yaw);
      const z1 = back * Math.cos(yaw) - x * Math.sin(yaw);
      const y2 = y * Math.cos(pitch) + z1 * Math.sin(pitch);
      const z2 = z1 * Math.cos(pitch) - y * Math.sin(pitch) - behind;
      const x3 = x1 * Math.cos(roll) - y2 * Math.sin(roll) + pose.x;
      const y3 = x1 * Math.sin(roll) + y2 * Math.cos(roll) + pose.y;
      const away = distance - pose.nearer - z2;
      return [width / 2 + (focal * x3) / away, height / 2 - 30 + (focal * y3) / away, -away];
    });
  }

  function paint(pixels, places) {
    depth.fill(-Infinity);
    for (let index = 0; index < faces.length; index += 3)
      paintTriangle(
        pixels,
        depth,
        photo,
        [0, 1, 2].map((corner) => places[faces[index + corner]]),
        [0, 1, 2].map((corner) => texture[faces[index + corner]]),
      );
  }

  return {
    width,
    height,
    /** Begins a movement in `delay` ms. */
    perform(type, delay = 450, nowMs = performance.now()) {
      doing = { type, from: nowMs + delay };
    },
    isMoving: () => doing !== null,
    /** Draws the moment into an ImageData; answers the places of the face's points in it. */
    draw(image, at) {
      const pixels = image.data;
      const places = project(poseAt(at));
      pixels.set(room);
      paint(pixels, places);
      if (screen) showOnScreen(pixels, at);
      addNoise(pixels, grain, random, 1 + light(at));
      return places;
    },
  };

  /** The picture so far as a telephone shows it: smaller, in a dark frame on the room, with the grid of its pixels and bands of its refresh. */
  function showOnScreen(pixels, at) {
    const shown = pixels.slice();
    pixels.set(room);
    const scale = 0.72;
    const [left, top] = [90 + 12 * Math.sin(at / 700), 62 + 8 * Math.sin(at / 900)].map(Math.round);
    const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
    for (let y = -14; y < down + 14; y += 1) {
      for (let x = -14; x < across + 14; x += 1) {
        const place = ((top + y) * width + left + x) * 4;
        if (top + y < 0 || top + y >= height || left + x < 0 || left + x >= width) continue;
        const inside = x >= 0 && y >= 0 && x < across && y < down;
        const from =
          (Math.min(height - 1, Math.floor(y / scale)) * width + Math.min(width - 1, Math.floor(x / scale))) * 4;
        const grid = 1 + 0.16 * Math.sin((x * 2 * Math.PI) / 3.3 + y * 0.25) * Math.sin((y * 2 * Math.PI) / 3.1);
        const band = 1 + 0.06 * Math.sin((y * 2 * Math.PI) / 110 + at / 37);
        for (let channel = 0; channel < 3; channel += 1)
          pixels[place + channel] = inside ? (20 + 0.9 * shown[from + channel]) * grid * band : 16;
      }
    }
  }
}

function paintRoom(random) {
  const pixels = new Uint8ClampedArray(width * height * 4);
  const spots = Array.from({ length: 14 }, () => [
    random() * width,
    random() * height,
    60 + random() * 140,
    (random() - 0.5) * 50,
  ]);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let level = 120 - 40 * (y / height);
      for (const [sx, sy, size, value] of spots)
        level += value * Math.exp(-((x - sx) ** 2 + (y - sy) ** 2) / (2 * size * size));
      const place = (y * width + x) * 4;
      pixels[place] = level * 1.02;
      pixels[place + 1] = level;
      pixels[place + 2] = level * 0.94;
      pixels[place + 3] = 255;
    }
  }
  return pixels;
}

function paintTriangle(pixels, depth, photo, [a, b, c], [ta, tb, tc]) {
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
  if (Math.abs(area) < 1e-6) return;
  const left = Math.max(0, Math.floor(Math.min(a[0], b[0], c[0])));
  const right = Math.min(width - 1, Math.ceil(Math.max(a[0], b[0], c[0])));
  const top = Math.max(0, Math.floor(Math.min(a[1], b[1], c[1])));
  const bottom = Math.min(height - 1, Math.ceil(Math.max(a[1], b[1], c[1])));
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      const u = ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / area;
      const v = ((c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)) / area;
      const w = 1 - u - v;
      if (u < -1e-4 || v < -1e-4 || w < -1e-4) continue;
      const near = u * a[2] + v * b[2] + w * c[2];
      const place = y * width + x;
      if (near <= depth[place]) continue;
      depth[place] = near;
      sample(photo, u * ta[0] + v * tb[0] + w * tc[0], u * ta[1] + v * tb[1] + w * tc[1], pixels, place * 4);
    }
  }
}

function sample(photo, x, y, pixels, to) {
  const column = Math.max(0, Math.min(photo.width - 2, Math.floor(x)));
  const row = Math.max(0, Math.min(photo.height - 2, Math.floor(y)));
  const right = Math.max(0, Math.min(1, x - column));
  const below = Math.max(0, Math.min(1, y - row));
  const from = (row * photo.width + column) * 4;
  const under = from + photo.width * 4;
  for (let channel = 0; channel < 3; channel += 1)
    pixels[to + channel] =
      (photo.data[from + channel] * (1 - right) + photo.data[from + 4 + channel] * right) * (1 - below) +
      (photo.data[under + channel] * (1 - right) + photo.data[under + 4 + channel] * right) * below;
}

function addNoise(pixels, grain, random, light) {
  let at = Math.floor(random() * grain.length);
  for (let place = 0; place < pixels.length; place += 4) {
    if ((place & 4095) === 0) at = Math.floor(random() * grain.length);
    const shared = grain[at++ & 65535];
    pixels[place] = pixels[place] * light + shared + grain[at++ & 65535] * 0.4;
    pixels[place + 1] = pixels[place + 1] * light + shared;
    pixels[place + 2] = pixels[place + 2] * light + shared + grain[at++ & 65535] * 0.4;
  }
}

/** Finds the face in a photograph by the models of @vladmandic/human, which also know how its points make triangles. */
export async function readFace(humanUrl, modelsUrl, wasmUrl, photoUrl, [left, top, side], size = 640) {
  const { Human } = await import(humanUrl);
  const human = new Human({
    backend: 'wasm',
    wasmPath: wasmUrl,
    modelBasePath: modelsUrl,
    debug: false,
    cacheSensitivity: 0,
    face: {
      enabled: true,
      detector: { rotation: false, maxDetected: 1 },
      mesh: { enabled: true },
      iris: { enabled: false },
      description: { enabled: false },
      emotion: { enabled: false },
      antispoof: { enabled: false },
      liveness: { enabled: false },
    },
    body: { enabled: false },
    hand: { enabled: false },
    gesture: { enabled: false },
    object: { enabled: false },
    filter: { enabled: false },
  });
  const bitmap = await createImageBitmap(await (await fetch(photoUrl)).blob());
  const canvas = new OffscreenCanvas(size, size);
  const context = canvas.getContext('2d');
  context.drawImage(
    bitmap,
    left * bitmap.width,
    top * bitmap.height,
    side * bitmap.width,
    side * bitmap.width,
    0,
    0,
    size,
    size,
  );
  const photo = context.getImageData(0, 0, size, size);
  const { face } = await human.detect(photo);
  if (face[0] === undefined) throw new Error('no face was found in the photograph');
  return { photo, mesh: face[0].mesh.slice(0, 468), triangles: [...human.faceTriangulation] };
}
