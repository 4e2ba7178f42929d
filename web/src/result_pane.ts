// What a run came to: the view with its time, the strip of events, plots, tables.
import {modes} from './colours';
import {$, box, button, element, option, refill, save, select} from './dom';
import {lab} from './lab';
import {showAccuracy} from './method_pane';
import {Player} from './player';
import {Plot} from './plots';
import {choices} from './quantities';
import {showReport} from './report';
import {short, type Run} from './run';
import {eventFrame, eventsAt, Timeline} from './timeline';
import {View} from './view';

const view = new View($('view'));
const plot = new Plot($('plot'));
export const player = new Player();
const timeline = new Timeline($<HTMLCanvasElement>('strip'), box('timeline'), f => {
  player.toggle(false);
  player.seek(f);
}, () => zoom(null));

/** Milliseconds of script of the last frame, and of these what handing it to the renderer took. */
let frameTime = 0;
export const scriptTime = (): number => frameTime;

export function showRun(keepFrame = -1): void {
  const r = lab.last!, groups = choices(r);
  document.title = r.title ? `${r.title} · Saltus lab` : 'Saltus lab';
  $('view').setAttribute('aria-label', `Motion: ${r.title}`);
  const usual = ['all velocities', 'all coordinates'].find(n => groups.some(g => g.name === n)) ?? (r.quantities[r.nq] ?? r.quantities[0])?.name ?? '';
  refill(select('plot-what'), groups.map(g => option(g.name)), usual);
  const named = r.quantities.slice(0, 2000).map(q => q.name);
  refill(select('plot-over'), [option('t', 'time'), ...named.map(n => option(n))], 't');
  refill(select('section'), [option('', 'whole curve'), option('impacts', 'points at impacts'), ...named.map(n => option(`q:${n}`, `points where ${n} rises through its mean`))], '');
  const movers = [...new Set(r.motion.shapes.filter(s => s.moves && s.name && s.kind !== 'text' && s.kind !== 'path').map(s => s.name))].slice(0, 200);
  refill(select('follow'), [option('', 'camera: free'), ...movers.map(n => option(n, `follow ${n}`))], '');
  view.shown.follow = select('follow').value;
  const left = r.motion.impacts_left_out;
  const weaker = Number(r.reply.lab.forces_left_out ?? 0);
  $('note').textContent = view.works ? [r.motion.note, left > 0 ? `${left} weaker impacts have no frames of their own` : '',
    weaker > 0 ? `${weaker} contacts that act less have no plots` : ''].filter(Boolean).join('; ')
    : 'This browser has no WebGL: plots and tables only.';
  showModes(r);
  view.show(r, keepFrame >= 0);
  timeline.show(r, keepFrame >= 0);
  if (keepFrame < 0) player.window = null;
  player.show(r, keepFrame);
  drawPlot(keepFrame >= 0);
  showReport($('report'), r);
  showAccuracy();
  if (Number.isNaN(lab.firstRun)) lab.firstRun = performance.now();
}
/** What the colours of the arrows mean, as far as this run has them. */
function showModes(r: Run): void {
  const found = new Set<number>(), a = r.arrays.acts;
  for (let i = 6; i < a.length; i += 8) found.add(a[i]);
  $('modes').replaceChildren(...modes.flatMap(([name, tint], k) => {
    if (!found.has(k)) return [];
    const item = element('span', name);
    item.style.setProperty('--tint', `var(--${tint})`);
    return [item];
  }));
}
export function drawPlot(keepZoom = false): void {
  plot.show(lab.runs, {what: select('plot-what').value, over: select('plot-over').value, section: select('section').value}, keepZoom);
}
/** Plot, strip and playing keep to a part of the time. */
function zoom(part: [number, number] | null): void {
  player.window = part;
  timeline.zoom(part);
  plot.zoomTime(part);
  if (part && (player.time < part[0] || player.time > part[1])) player.seekTime(part[0]);
}

function showFrame(frame: number, t: number): void {
  const r = lab.last, start = performance.now();
  if (!r) return;
  view.draw(frame);
  timeline.move(frame);
  plot.setHead(frame, t);
  $('clock').textContent = `t = ${short(t, 7)} s`;
  const side = r.side(frame);
  $('side').textContent = side ? `limit from the ${side}` : '';
  $('side').dataset.side = side;
  if (!player.isPlaying) $('event-note').textContent = describe(r, t);
  frameTime = performance.now() - start;
}
function describe(r: Run, t: number): string {
  const now = eventsAt(r, t);
  return now.slice(0, 3).map(e => `${e.kind} of ${e.contact}` +
    (e.impulse.length > 0 ? `: impulse ${short(e.impulse[0], 5)}, normal velocity ${short(e.u_minus[0], 5)} → ${short(e.u_plus[0], 5)}` : '')).join('; ') +
    (now.length > 3 ? `; and ${now.length - 3} more` : '');
}

export const actions = {
  step(by: number): void {
    player.toggle(false);
    player.seek(player.frame + by);
  },
  event(direction: 1 | -1): void {
    if (!lab.last) return;
    player.toggle(false);
    player.seek(eventFrame(lab.last, player.frame, direction));
  },
  fit(): void {
    view.fit();
  },
};

export function setTheme(): void {
  view.setTheme();
  timeline.paint();
  if (lab.last) drawPlot(true);
}

export function wireResult(): void {
  // where all stands in one column, the scene follows soon
  if (window.matchMedia('(max-width: 760px)').matches) $<HTMLDetailsElement>('details').open = false;
  player.onFrame = showFrame;
  player.onPlaying = on => {
    button('play').textContent = on ? '❚❚' : '▶';
    button('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
    if (on) $('event-note').textContent = '';
  };
  button('play').addEventListener('click', () => player.toggle());
  button('next').addEventListener('click', () => actions.step(1));
  button('previous').addEventListener('click', () => actions.step(-1));
  button('next-event').addEventListener('click', () => actions.event(1));
  button('previous-event').addEventListener('click', () => actions.event(-1));
  button('fit').addEventListener('click', actions.fit);
  for (const id of ['plot-what', 'plot-over', 'section']) $(id).addEventListener('change', () => drawPlot(id === 'plot-what'));
  for (const [id, key] of [['show-forces', 'forces'], ['show-velocities', 'velocities'], ['show-trails', 'trails']] as const)
    $(id).addEventListener('change', () => {
      view.shown[key] = box(id).checked;
      view.draw(player.frame);
    });
  select('follow').addEventListener('change', () => {
    view.shown.follow = select('follow').value;
    view.draw(player.frame);
  });
  view.onRelease = () => (select('follow').value = '');
  select('speed').append(option('0', 'whole in 8 s'), ...[[4, '4 × real time'], [1, 'real time'], [0.5, '1/2'], [0.1, '1/10'], [0.01, '1/100'], [0.001, '1/1000']].map(([v, t]) => option(String(v), String(t))));
  select('speed').addEventListener('change', () => (player.speed = Number(select('speed').value)));
  player.speed = 0;
  plot.onSeek = t => {
    player.toggle(false);
    player.seekTime(t);
  };
  plot.onZoom = zoom;
  button('svg').addEventListener('click', () => save('saltus.svg', plot.svg(), 'image/svg+xml'));
  button('csv').addEventListener('click', () => save('saltus.csv', plot.csv(), 'text/csv'));
  button('json').addEventListener('click', () => {
    if (lab.last) save('saltus.json', JSON.stringify({...lab.last.reply, lab: undefined, arrays: undefined, curves: plot.data()}), 'application/json');
  });
}
