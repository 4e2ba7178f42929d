// Bodies in space, seen from a place that goes around them: faces from far to near.
const eye = {azimuth: -1.05, elevation: 0.42, zoom: 1};

/** Numbers of the picture's plane: right, up, towards the eye. */
function seenFrom() {
  const [ca, sa, ce, se] = [Math.cos(eye.azimuth), Math.sin(eye.azimuth), Math.cos(eye.elevation), Math.sin(eye.elevation)];
  return {right: [-sa, ca, 0], up: [-se * ca, -se * sa, ce], near: [ce * ca, ce * sa, se]};
}
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
function turned(v, f, p) {
  const [x, y, z, w] = [V[f + 3], V[f + 4], V[f + 5], V[f + 6]], [a, b, c] = p;
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}
/** Corners and faces of a solid in its own axes. */
function facesOf(s) {
  if (s.kind === 'polytope') return {corners: s.corners, faces: s.faces};
  const n = 28, corners = [], faces = [[], []], r = s.radius || 0, half = s.half || 0;
  for (let k = 0; k < n; ++k) {
    const a = 2 * Math.PI * k / n;
    corners.push([r * Math.cos(a), r * Math.sin(a), half], [r * Math.cos(a), r * Math.sin(a), -half]);
    faces[0].push(2 * k);
    faces[1].unshift(2 * k + 1);
    const j = (k + 1) % n;
    faces.push([2 * k, 2 * k + 1, 2 * j + 1, 2 * j]);
  }
  return {corners, faces};
}
const solids = m.in_space ? m.shapes.map(s => s.kind === 'polytope' || s.kind === 'cylinder' ? facesOf(s) : null) : [];

function drawSpace(at, w, h) {
  const {right, up, near} = seenFrom(), mid = [(m.box[0] + m.box[2]) / 2, (m.box[1] + m.box[3]) / 2, (m.depth[0] + m.depth[1]) / 2];
  const extent = Math.hypot(m.box[2] - m.box[0], m.box[3] - m.box[1], m.depth[1] - m.depth[0]) || 1, k = eye.zoom * Math.min(w, 1.6 * h) / (1.1 * extent);
  const P = p => {
    const d = [p[0] - mid[0], p[1] - mid[1], p[2] - mid[2]];
    return [w / 2 + dot(d, right) * k, h / 2 - dot(d, up) * k, dot(d, near)];
  };
  const work = [], sun = [0.27, -0.43, 0.86];
  m.shapes.forEach((s, n) => {
    const f = at + s.first, place = [V[f], V[f + 1], V[f + 2]], c = tint(s.colour);
    if (!Number.isFinite(place[0] + place[1] + place[2])) return;
    if (s.kind === 'plane') return ground(f, place, P, mid, extent);
    if (solids[n]) {
      const spots = solids[n].corners.map(p => {
        const q = turned(V, f, p);
        return [place[0] + q[0], place[1] + q[1], place[2] + q[2]];
      });
      solids[n].faces.forEach((face, number) => {
        const [a, b, d] = [spots[face[0]], spots[face[1]], spots[face[2]]], e = [0, 1, 2].map(i => b[i] - a[i]), g2 = [0, 1, 2].map(i => d[i] - a[i]);
        const normal = [e[1] * g2[2] - e[2] * g2[1], e[2] * g2[0] - e[0] * g2[2], e[0] * g2[1] - e[1] * g2[0]], size = Math.hypot(...normal) || 1;
        if (dot(normal, near) < 0 && s.colour >= 0) return;
        const points = face.map(i => P(spots[i])), dark = 0.42 * (1 - Math.max(0, dot(normal, sun) / size)) + (s.kind === 'cylinder' && number > 1 && number % 14 < 7 ? 0.15 : 0);
        work.push({z: points.reduce((sum, p) => sum + p[2], 0) / points.length, draw: () => polygon3(points, c, dark, s.colour < 0)});
      });
    } else if (s.kind === 'sphere' || s.kind === 'dot') {
      const p = P(place), r = s.radius ? s.radius * k : 6, mark = s.kind === 'sphere' ? turned(V, f, [1, 0, 0]) : null;
      work.push({z: p[2], draw: () => ball(p, r, c, mark && dot(mark, near) > 0 ? [dot(mark, right), dot(mark, up)] : null)});
    } else if (s.kind === 'capsule') {
      const a = turned(V, f, [0, 0, s.half || 0]), [p, q] = [P(place.map((x, i) => x + a[i])), P(place.map((x, i) => x - a[i]))];
      work.push({z: (p[2] + q[2]) / 2, draw: () => stroke([p, q], c, 2 * s.radius * k)});
    } else if (s.kind === 'path' || s.kind === 'spring') {
      const points = [];
      for (let i = 0; i + 2 < s.count; i += 3) points.push(P([V[f + i], V[f + i + 1], V[f + i + 2]]));
      work.push({z: points.reduce((sum, p) => sum + p[2], 0) / points.length, draw: () => stroke(s.kind === 'spring' ? coils(points) : points, c, 3)});
    } else if (s.kind === 'text') {
      const p = P(place);
      work.push({z: Infinity, draw: () => label(s, f, p[0], p[1])});
    }
  });
  for (const s of m.shapes) {
    if (!s.moves || s.count !== 10 || m.shapes.length > 12) continue;
    const points = [];
    for (let i = Math.max(0, frame - 400); i <= frame; ++i) points.push(P([0, 1, 2].map(j => V[i * m.width + s.first + j])));
    g.globalAlpha = 0.4;
    stroke(points, tint(s.colour), 1.5);
    g.globalAlpha = 1;
  }
  work.sort((a, b) => a.z - b.z).forEach(x => x.draw());
  return (p, d) => {
    const a = P(p), b = P([p[0] + d[0], p[1] + d[1], p[2] + d[2]]);
    return [a[0], a[1], b[0] - a[0], b[1] - a[1]];
  };
}
function ground(f, place, P, mid, extent) {
  const n = turned(V, f, [0, 0, 1]), away = dot([mid[0] - place[0], mid[1] - place[1], mid[2] - place[2]], n), at = mid.map((x, i) => x - away * n[i]);
  const [a, b] = [turned(V, f, [1, 0, 0]), turned(V, f, [0, 1, 0])], ring = [];
  for (let k = 0; k < 48; ++k) ring.push(P(at.map((x, i) => x + 0.9 * extent * (a[i] * Math.cos(k * Math.PI / 24) + b[i] * Math.sin(k * Math.PI / 24)))));
  polygon3(ring, colour('wall'), 0, true);
}
function polygon3(points, c, dark, seeThrough) {
  g.beginPath();
  for (const p of points) g.lineTo(p[0], p[1]);
  g.closePath();
  g.globalAlpha = seeThrough ? 0.25 : 1;
  g.fillStyle = g.strokeStyle = c;
  g.lineWidth = 1;
  g.fill();
  if (!seeThrough) g.stroke();
  g.globalAlpha = dark;
  g.fillStyle = '#000';
  if (dark > 0) g.fill();
  g.globalAlpha = 1;
}
function ball(p, r, c, mark) {
  g.beginPath();
  g.arc(p[0], p[1], Math.max(r, 1), 0, 7);
  g.fillStyle = c;
  g.fill();
  const shade = g.createRadialGradient(p[0] - 0.35 * r, p[1] - 0.4 * r, 0.1 * r, p[0], p[1], Math.max(r, 1));
  shade.addColorStop(0, 'rgba(255,255,255,.35)');
  shade.addColorStop(1, 'rgba(0,0,0,.35)');
  g.fillStyle = shade;
  g.fill();
  if (!mark) return;
  g.beginPath();
  g.arc(p[0] + 0.8 * r * mark[0], p[1] - 0.8 * r * mark[1], 0.13 * r, 0, 7);
  g.fillStyle = colour('panel');
  g.fill();
}
function stroke(points, c, width) {
  g.lineCap = g.lineJoin = 'round';
  g.strokeStyle = c;
  g.lineWidth = width;
  g.beginPath();
  for (const p of points) g.lineTo(p[0], p[1]);
  g.stroke();
}
function coils(points) {
  const [a, b] = [points[0], points[points.length - 1]], [dx, dy] = [b[0] - a[0], b[1] - a[1]], l = Math.hypot(dx, dy) || 1, out = [a];
  for (let j = 0; j <= 12; ++j) {
    const part = 0.1 + 0.8 * j / 12, side = j === 0 || j === 12 ? 0 : j % 2 ? 7 : -7;
    out.push([a[0] + part * dx - side * dy / l, a[1] + part * dy + side * dx / l]);
  }
  return [...out, b];
}
if (m.in_space) {
  stage.style.touchAction = 'none';
  stage.addEventListener('pointerdown', e => stage.setPointerCapture(e.pointerId));
  stage.addEventListener('pointermove', e => {
    if (!e.buttons) return;
    eye.azimuth -= e.movementX * 0.008;
    eye.elevation = Math.max(-1.5, Math.min(1.5, eye.elevation + e.movementY * 0.008));
    draw();
  });
  stage.addEventListener('wheel', e => {
    e.preventDefault();
    eye.zoom *= Math.exp(-e.deltaY * 0.0012);
    draw();
  }, {passive: false});
}
