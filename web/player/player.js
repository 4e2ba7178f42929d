'use strict';
// Plays a motion and shows its report. The data is what `saltus` wrote; all texts of users go through textContent.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const bytes = s => Uint8Array.from(atob(s), c => c.charCodeAt(0)).buffer;
const m = data.motion, T = new Float64Array(bytes(m.t)), V = new Float32Array(bytes(m.values));
const start = new Int32Array(bytes(m.act_start)), acts = new Float32Array(bytes(m.acts));
const stage = $('stage'), strip = $('strip'), g = stage.getContext('2d');
const short = (x, d = 6) => x === null || x === undefined || !Number.isFinite(x) ? '—' : x === 0 ? '0'
  : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e6 ? String(Number(x.toPrecision(d))) : x.toExponential(Math.max(0, d - 3)).replace(/\.?0+e/, 'e').replace('e+', 'e');
let css, frame = 0, playing = false, last = 0, now = T[0] || 0;
const colour = n => css.getPropertyValue(`--${n}`);
const tint = c => c < 0 ? colour('wall') : colour(`c${c % 8}`);
const size = Math.max(m.box[2] - m.box[0], m.box[3] - m.box[1], m.in_space ? m.depth[1] - m.depth[0] : 0) || 1;
const forceScale = 0.12 * size / (m.force || 1), impulseScale = 0.12 * size / (m.impulse || 1);

function draw() {
  css = getComputedStyle(document.documentElement);
  const ratio = Math.min(window.devicePixelRatio || 1, 2), w = stage.clientWidth, h = stage.clientHeight;
  if (stage.width !== Math.round(w * ratio) || stage.height !== Math.round(h * ratio)) [stage.width, stage.height] = [Math.round(w * ratio), Math.round(h * ratio)];
  const pp = 1.18 * Math.max((m.box[2] - m.box[0]) / w, (m.box[3] - m.box[1]) / h) || 0.01;
  const cx = (m.box[0] + m.box[2]) / 2, cy = (m.box[1] + m.box[3]) / 2;
  const X = x => w / 2 + (x - cx) / pp, Y = y => h / 2 - (y - cy) / pp, at = frame * m.width;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  g.font = '13px system-ui, "DejaVu Sans", sans-serif';
  g.lineJoin = 'round';
  if (m.in_space) return finish(ratio, drawSpace(at, w, h));
  for (const s of m.shapes) {
    if (!s.trail && !(s.moves && s.count === 10 && m.shapes.length <= 12)) continue;
    g.strokeStyle = tint(s.colour);
    g.globalAlpha = 0.45;
    g.lineWidth = 1.5;
    g.beginPath();
    for (let i = Math.max(0, frame - 400); i <= frame; ++i) g.lineTo(X(V[i * m.width + s.first]), Y(V[i * m.width + s.first + 1]));
    g.stroke();
    g.globalAlpha = 1;
  }
  for (const s of m.shapes) shape(s, at + s.first, X, Y, pp, w, h);
  finish(ratio, (p, d) => [X(p[0]), Y(p[1]), d[0] / pp, -d[1] / pp]);
}
/** Arrows, clock and strip; `place` makes pixels of a place and a direction. */
function finish(ratio, place) {
  if ($('forces').checked)
    for (let k = start[frame]; k < start[frame + 1]; ++k) {
      const o = 8 * k, f = frame > 0 && T[frame] === T[frame - 1] ? impulseScale : forceScale / (acts[o + 7] || 1);
      arrow(...place([acts[o], acts[o + 1], acts[o + 2]], [acts[o + 3] * f, acts[o + 4] * f, acts[o + 5] * f]), [, colour('force'), colour('c4'), colour('c1'), colour('c1')][acts[o + 6]] || colour('force'));
    }
  $('clock').textContent = `t = ${short(T[frame])} s`;
  $('time').value = frame;
  drawStrip(ratio);
}
function shape(s, f, X, Y, pp, w, h) {
  const x = X(V[f]), y = Y(V[f + 1]);
  if (!Number.isFinite(x + y)) return;
  const angle = s.count === 10 ? 2 * Math.atan2(V[f + 5], V[f + 6]) : 0, c = tint(s.colour);
  g.strokeStyle = g.fillStyle = c;
  g.lineWidth = 1.5;
  if (s.kind === 'round' || s.kind === 'dot') {
    const r = s.radius ? Math.max(s.radius / pp, 1) : 6;
    g.beginPath();
    g.arc(x, y, r, 0, 7);
    if (s.colour < 0) return g.stroke();
    g.fill();
    if (s.kind === 'round') {
      g.strokeStyle = colour('panel');
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x + 0.85 * r * Math.cos(angle), y - 0.85 * r * Math.sin(angle));
      g.stroke();
    }
  } else if (s.kind === 'polygon') {
    const [co, si] = [Math.cos(angle), Math.sin(angle)];
    g.beginPath();
    for (const [px, py] of s.points) g.lineTo(x + (px * co - py * si) / pp, y - (px * si + py * co) / pp);
    g.closePath();
    g.globalAlpha = s.colour < 0 ? 0.35 : 0.85;
    g.fill();
    g.globalAlpha = 1;
    g.stroke();
  } else if (s.kind === 'wall') {
    const [dx, dy] = [Math.cos(angle), -Math.sin(angle)], far = 4 * (w + h);
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x - far * dx, y - far * dy);
    g.lineTo(x + far * dx, y + far * dy);
    g.stroke();
  } else if (s.kind === 'path' || s.kind === 'spring') {
    g.lineWidth = s.kind === 'path' ? 3 : 2;
    g.beginPath();
    g.moveTo(x, y);
    for (let k = 3; k < s.count; k += 3) {
      const [x1, y1] = [X(V[f + k]), Y(V[f + k + 1])];
      if (s.kind === 'spring') {
        const [x0, y0] = [X(V[f + k - 3]), Y(V[f + k - 2])], l = Math.hypot(x1 - x0, y1 - y0) || 1;
        for (let j = 0; j <= 12; ++j) {
          const part = 0.1 + 0.8 * j / 12, side = j === 0 || j === 12 ? 0 : j % 2 ? 7 : -7;
          g.lineTo(x0 + part * (x1 - x0) - side * (y1 - y0) / l, y0 + part * (y1 - y0) + side * (x1 - x0) / l);
        }
      }
      g.lineTo(x1, y1);
    }
    g.stroke();
  } else {
    label(s, f, x, y);
  }
}
function label(s, f, x, y) {
  g.fillStyle = colour('ink');
  g.fillText((s.text || '') + (s.valued ? ` ${short(V[f + 3], 5)}` : ''), x + 4, y - 4);
}
function arrow(x, y, dx, dy, c) {
  let l = Math.hypot(dx, dy);
  if (!(l > 3)) return;
  if (l > 220) [dx, dy, l] = [dx * 220 / l, dy * 220 / l, 220];
  g.strokeStyle = c;
  g.lineWidth = 2.5;
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x + dx, y + dy);
  for (const s of [1, -1]) {
    g.moveTo(x + dx, y + dy);
    g.lineTo(x + dx - 8 * (dx + s * dy / 2) / l, y + dy - 8 * (dy - s * dx / 2) / l);
  }
  g.stroke();
}
const eventColours = {impact: 'force', close: 'c2', open: 'c0', stick: 'c4', slip: 'c1', reverse: 'c6', accumulation: 'c3'};
function drawStrip(ratio) {
  const w = strip.clientWidth, h = strip.clientHeight, k = strip.getContext('2d'), span = T[T.length - 1] - T[0] || 1;
  [strip.width, strip.height] = [w * ratio, h * ratio];
  k.scale(ratio, ratio);
  for (const e of data.events.slice(0, 20000)) {
    k.fillStyle = colour(eventColours[e.kind] || 'quiet');
    k.fillRect((e.t - T[0]) / span * w - 0.75, 4, 1.5, h - 8);
  }
  k.fillStyle = colour('accent');
  k.fillRect((T[frame] - T[0]) / span * w - 1.5, 0, 3, h);
}
function bound(t) {
  let a = 0, b = T.length;
  while (a < b) {
    const c = (a + b) >> 1;
    if (T[c] < t) a = c + 1;
    else b = c;
  }
  return a;
}
function seek(i) {
  frame = Math.max(0, Math.min(i, T.length - 1));
  now = T[frame];
  draw();
}
function play(on) {
  playing = on;
  $('play').textContent = on ? '❚❚' : '▶';
  $('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
  if (!on) return;
  if (frame >= T.length - 1) seek(0);
  last = performance.now();
  requestAnimationFrame(tick);
}
function tick(t) {
  if (!playing) return;
  const speed = Number($('speed').value) || (T[T.length - 1] - T[0]) / 8;
  now += Math.min((t - last) / 1000, 0.25) * speed;
  last = t;
  const i = Math.max(0, bound(now + 1e-15) - 1);
  if (i !== frame) {
    frame = i;
    draw();
  }
  if (now >= T[T.length - 1]) return play(false);
  requestAnimationFrame(tick);
}
function event(d) {
  const t = T[frame], eps = 1e-12 * Math.max(1, Math.abs(T[T.length - 1]));
  const found = d > 0 ? data.events.find(e => e.t > t + eps) : data.events.filter(e => e.t < t - eps).pop();
  play(false);
  seek(found ? bound(found.t) : d > 0 ? T.length - 1 : 0);
}
$('title').textContent = data.title;
$('subtitle').textContent = data.subtitle;
$('note').textContent = m.note;
$('time').max = Math.max(T.length - 1, 0);
$('time').addEventListener('input', () => { play(false); seek(Number($('time').value)); });
$('play').addEventListener('click', () => play(!playing));
$('back').addEventListener('click', () => event(-1));
$('on').addEventListener('click', () => event(1));
$('forces').addEventListener('change', draw);
document.addEventListener('keydown', e => {
  if (e.target.closest('input, select')) return;
  const actions = {' ': () => play(!playing), ArrowRight: () => seek(frame + 1), ArrowLeft: () => seek(frame - 1), '[': () => event(-1), ']': () => event(1), Home: () => seek(0), End: () => seek(T.length)};
  if (!actions[e.key] || (e.key === ' ' && e.target.closest('button'))) return;
  e.preventDefault();
  actions[e.key]();
});
window.addEventListener('resize', draw);
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

function table(title, rows, head) {
  if (rows.length === 0) return;
  const h = document.createElement('h2'), t = document.createElement('table');
  h.textContent = title;
  if (head) {
    const tr = t.createTHead().insertRow();
    for (const x of head) tr.append(Object.assign(document.createElement('th'), {textContent: x}));
  }
  const body = t.createTBody();
  for (const r of rows) {
    const tr = body.insertRow();
    for (const x of r) tr.insertCell().textContent = typeof x === 'string' ? x : short(x);
  }
  $('report').append(h, t);
}
function figure(title, curve) {
  const w = 900, h = 260, left = 70, top = 12, bottom = 34, ns = 'http://www.w3.org/2000/svg';
  const t = new Float64Array(bytes(data.curves.t)), y = new Float32Array(bytes(curve.values));
  let low = Infinity, high = -Infinity;
  for (const v of y) if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
  if (low > high) return;
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const X = x => left + (x - t[0]) / (t[t.length - 1] - t[0] || 1) * (w - left - 10), Y = v => h - bottom - (v - low) / (high - low) * (h - top - bottom);
  const svg = document.createElementNS(ns, 'svg'), add = (name, a, text) => {
    const e = document.createElementNS(ns, name);
    for (const k in a) e.setAttribute(k, a[k]);
    if (text !== undefined) e.textContent = text;
    svg.append(e);
  };
  svg.setAttribute('viewBox', `0 0 ${w} ${h}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', title);
  for (let k = 0; k <= 4; ++k) {
    const v = low + k / 4 * (high - low), x = t[0] + k / 4 * (t[t.length - 1] - t[0]);
    add('path', {d: `M${left} ${Y(v)}H${w - 10}`, stroke: 'currentColor', 'stroke-opacity': 0.12});
    add('text', {x: left - 6, y: Y(v) + 4, 'text-anchor': 'end', 'font-size': 12, fill: 'currentColor'}, short(v, 4));
    add('text', {x: X(x), y: h - 14, 'text-anchor': 'middle', 'font-size': 12, fill: 'currentColor'}, short(x, 4));
  }
  let d = '', pen = 'M';
  for (let i = 0; i < t.length; ++i) {
    if (!Number.isFinite(y[i])) { pen = 'M'; continue; }
    d += `${pen}${X(t[i]).toFixed(1)} ${Y(y[i]).toFixed(1)}`;
    pen = 'L';
  }
  add('path', {d, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.4});
  add('text', {x: left + 6, y: top + 12, 'font-size': 12, fill: 'currentColor'}, title);
  $('report').append(svg);
}
function report(r) {
  for (const w of r.warnings) $('report').append(Object.assign(document.createElement('p'), {className: 'warn', textContent: w}));
  table('Method', [['scheme', r.method.scheme], ['stepping', r.method.stepping], ['solver', r.method.solver], ['status', `${r.status}: ${r.message}`],
    ['cost', `${r.stats.steps} steps, ${r.stats.force_evaluations} force evaluations, ${short(r.stats.cpu_seconds, 3)} s`]]);
  table('Parameters', Object.entries(r.parameters).map(([k, v]) => [k, v]));
  const e = r.error_estimate;
  if (e) table('Accuracy', [['coordinates, largest error', e.q_sup], ['velocities, distance of graphs', e.u_hausdorff], ['event times', e.event_times]]);
  if (r.error) table('Errors against the reference', Object.entries(r.error).map(([k, v]) => [k, v]));
  const names = r.final.names.slice(0, 24);
  table(`Final state, t = ${short(r.t)} s`, names.map((n, k) => [n, short(r.q[k], 10), e ? `± ${short(e.q_final[k], 1)}` : '']));
  if (r.measures) table('Measures', Object.entries(r.measures).map(([k, v]) => [k, short(v, 10), e ? `± ${short(e.measures[k], 1)}` : '']));
  const l = r.ledger;
  if (l && l.energy_start !== null) table('Energy ledger', [['at the start', l.energy_start], ['work of loads and drives', l.work], ['taken by damping', l.damping], ['taken by friction', l.friction],
    ['taken by impacts', l.impacts], ['at the end', l.energy_end], ['remainder of the method', l.remainder]]);
  if (r.accumulations) table('Accumulations of impacts', r.accumulations.map(a => [a.contact, short(a.t, 10), `± ${short(a.bound, 1)}`]));
  table(`Events (${data.events.length})`, data.events.slice(0, 100).map(x => [short(x.t, 9), x.contact, x.kind, x.impulse[0], x.u_minus[0], x.u_plus[0], x.energy_loss]),
    ['t [s]', 'contact', 'kind', 'impulse', 'u before', 'u after', 'energy loss']);
  const h = document.createElement('h2');
  h.textContent = 'Figures';
  $('report').append(h);
  for (const c of data.curves.list) figure(c.name, c);
}
if (data.report) report(data.report);
seek(0);
