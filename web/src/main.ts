// The page: wires editor, worker, view, time, plots and accuracy.
import {showCost, showOrders} from './accuracy';
import {Client} from './client';
import type {Schema} from './complete';
import {Editor} from './editor';
import {fillMenu, sceneOf, scenes, type Example} from './examples';
import {showSliders, withNumber} from './parameters';
import {Player} from './player';
import {choices, Plot} from './plots';
import {showReport} from './report';
import {Run, short} from './run';
import type {Complaint, Reply, Request} from './saltus';
import {fromFragment, toFragment} from './share';
import {eventFrame, eventsAt, Timeline} from './timeline';
import {View} from './view';

const $ = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
const button = (id: string) => $<HTMLButtonElement>(id);
const select = (id: string) => $<HTMLSelectElement>(id);
const box = (id: string) => $<HTMLInputElement>(id);

interface LabState {status: string; message: string; t: number | null; q: number[]; u: number[]; events: unknown[]}
let state: LabState = {status: 'idle', message: '', t: null, q: [], u: [], events: []};

const examples: Example[] = [...scenes];
let runs: Run[] = [];
let running = false;
let good = false;
let fromFile = false;
let checkTimer = 0;
let checked = '';

const client = new Client(message => say(`the module could not be loaded: ${message}`, 'bad'));
const view = new View($('view'));
const player = new Player();
const plot = new Plot($('plot'));
const timeline = new Timeline($<HTMLCanvasElement>('timeline'), f => {
  player.toggle(false);
  player.seek(f);
});
const editor = new Editor($('editor'), () => {
  fromFile = false;
  window.clearTimeout(checkTimer);
  checkTimer = window.setTimeout(check, 250);
}, () => void run());

function say(text: string, kind: '' | 'good' | 'bad' | 'warn' = ''): void {
  const s = $('status');
  s.textContent = text;
  s.title = text;
  s.className = kind;
}

// --- the scene ------------------------------------------------------------------------------------------------

function showComplaints(list: Complaint[], message = ''): void {
  editor.show(list);
  const rows = list.length > 0 ? list : message ? [{line: 0, column: 0, path: '', message}] : [];
  $('errors').replaceChildren(...rows.map(c => {
    const li = document.createElement('li'), b = document.createElement('button'), at = document.createElement('b');
    at.textContent = c.line > 0 ? `${c.line}:${c.column}` : '';
    b.append(at, c.path ? `${c.path}: ${c.message}` : c.message);
    b.addEventListener('click', () => editor.goTo(c));
    li.dataset.line = String(c.line);
    li.append(b);
    return li;
  }));
}

async function check(): Promise<void> {
  const text = editor.text;
  if (running) return;
  const {reply} = await client.ask('check', {scene: text, file: 'scene'});
  if (text !== editor.text) return;
  checked = text;
  good = reply.status === 'good';
  showComplaints(reply.complaints ?? [], good || reply.complaints ? '' : reply.message);
  if (good) {
    showSliders($('sliders'), text, (reply.parameters as {name: string}[]).map(p => p.name), (name, value) => {
      editor.text = withNumber(editor.text, name, value);
      if (!running) void run(true);
    });
    if (!running && state.status === 'idle') say('ready');
  } else if (!running) {
    say(`${reply.complaints?.length ?? 1} error${(reply.complaints?.length ?? 1) === 1 ? '' : 's'} in the scene`, 'bad');
  }
}

function load(text: string, name = ''): void {
  editor.text = text;
  select('examples').value = name;
  runs = [];
}

// --- runs -----------------------------------------------------------------------------------------------------

function method(): Request {
  const chosen = select('method').value;
  if (chosen === '') return {};
  if (chosen === 'tolerance') return {rtol: tolerance()};
  return {scheme: chosen, h: stepText()};
}
const tolerance = () => short(10 ** -Number(box('tolerance').value), 2);
const stepText = () => {
  const end = runs[runs.length - 1]?.end || 1;
  return String(Number((end * 10 ** -Number(box('step').value)).toPrecision(2)));
};

function finish(reply: Reply): void {
  state = {status: reply.status, message: reply.message ?? '', t: reply.t ?? null, q: reply.q ?? [], u: reply.u ?? [], events: reply.events ?? []};
}

let again = false;
async function run(quiet = false): Promise<void> {
  if (running) {
    again = true;
    return;
  }
  running = true;
  button('run').disabled = true;
  button('stop').disabled = false;
  $('progress').hidden = quiet;
  box('progress').value = '0';
  if (!quiet) say('running…');
  const keepFrame = quiet && runs.length > 0 ? player.frame : -1;
  const started = performance.now();
  state = {...state, status: 'running', message: ''};
  const {reply, arrays} = await client.ask('run', {scene: editor.text, file: 'scene', ...method()}, part => {
    $<HTMLProgressElement>('progress').value = part;
    if (!quiet) say(`running… ${Math.round(100 * part)} %`);
  });
  running = false;
  button('run').disabled = false;
  button('stop').disabled = true;
  $('progress').hidden = true;
  finish(reply);
  if (arrays) {
    const r = new Run(reply, arrays);
    runs = box('keep').checked && runs.length > 0 ? [...runs.slice(-4), r] : [r];
    showRun(keepFrame);
    const ms = performance.now() - started;
    const warned = (reply.warnings ?? []).length > 0;
    say(reply.status === 'finished' ? `finished, ${r.events.length} events, ${short(ms, 3)} ms${warned ? '; see the warnings' : ''}` : `${reply.status}: ${reply.message}`,
      reply.status !== 'finished' ? 'bad' : warned ? 'warn' : 'good');
    showComplaints([]);
  } else {
    showComplaints(reply.complaints ?? [], reply.complaints ? '' : reply.message);
    say(reply.complaints ? `${reply.complaints.length} error${reply.complaints.length === 1 ? '' : 's'} in the scene` : `${reply.status}: ${reply.message}`, reply.status === 'stopped' ? '' : 'bad');
  }
  if (again) {
    again = false;
    void run(quiet);
  } else if (editor.text !== checked) {
    void check();
  }
}

function option(value: string, text = value): HTMLOptionElement {
  const o = document.createElement('option');
  o.value = value;
  o.textContent = text;
  return o;
}
function refill(s: HTMLSelectElement, options: HTMLOptionElement[], otherwise: string): void {
  const old = s.value;
  s.replaceChildren(...options);
  s.value = options.some(o => o.value === old) ? old : otherwise;
}

function showRun(keepFrame = -1): void {
  const r = runs[runs.length - 1], groups = choices(r);
  document.title = r.title ? `${r.title} · Saltus lab` : 'Saltus lab';
  $('view').setAttribute('aria-label', `Motion: ${r.title}`);
  const nq = (r.reply.lab.samples as {nq: number}).nq;
  refill(select('plot-what'), groups.map(g => option(g.name)), groups.find(g => g.name === 'all velocities')?.name ?? groups[Math.min(nq, groups.length - 1)]?.name ?? '');
  refill(select('plot-over'), [option('t', 'time'), ...r.quantities.slice(0, 2000).map(q => option(q.name))], 't');
  const movers = [...new Set(r.motion.shapes.filter(s => s.moves && s.name && s.kind !== 'text' && s.kind !== 'path').map(s => s.name))].slice(0, 200);
  refill(select('follow'), [option('', 'camera: fixed'), ...movers.map(n => option(n, `follow ${n}`))], '');
  view.shown.follow = select('follow').value;
  $('note').textContent = view.works ? r.motion.note : 'This browser has no WebGL: plots and tables only.';
  view.show(r, keepFrame >= 0);
  timeline.show(r);
  player.show(r);
  if (keepFrame >= 0) player.seek(keepFrame);
  drawPlot();
  showReport($('report'), r);
  showCost($('cost'), r.reply);
}
function drawPlot(): void {
  plot.show(runs, {what: select('plot-what').value, over: select('plot-over').value, poincare: box('poincare').checked});
}

player.onFrame = (frame, t) => {
  const r = runs[runs.length - 1];
  if (!r) return;
  view.draw(frame);
  timeline.move(frame);
  plot.setHead(t);
  $('clock').textContent = `t = ${short(t, 7)} s of ${short(r.end, 4)} s`;
  const side = r.side(frame);
  $('side').textContent = side ? `limit from the ${side}` : '';
  if (player.isPlaying) return;
  const now = eventsAt(r, t);
  $('event-note').textContent = now.slice(0, 3).map(e => `${e.kind} of ${e.contact}` +
    (e.impulse.length > 0 ? `: impulse ${short(e.impulse[0], 5)}, normal velocity ${short(e.u_minus[0], 5)} → ${short(e.u_plus[0], 5)}` : '')).join('; ') +
    (now.length > 3 ? `; and ${now.length - 3} more` : '');
};
player.onPlaying = on => {
  button('play').textContent = on ? '⏸' : '▶';
  button('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
  if (on) $('event-note').textContent = '';
};

async function converge(): Promise<void> {
  if (running || runs.length === 0) return;
  running = true;
  button('converge').disabled = button('run').disabled = true;
  button('stop').disabled = false;
  const chosen = select('method').value, steps = chosen !== '' && chosen !== 'tolerance';
  const end = runs[runs.length - 1].end || 1;
  const values = steps ? [1, 2, 4, 8, 16].map(k => Number(stepText()) * 4 / k).filter(h => h < end / 4) : [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
  say('converge: running…');
  const {reply} = await client.ask('converge', {scene: editor.text, file: 'scene', values, knob: steps ? 'h' : 'rtol', study_scheme: steps ? chosen : '', ...(steps ? {scheme: chosen} : {})},
    part => say(`converge: ${Math.round(100 * part)} %`));
  running = false;
  button('converge').disabled = button('run').disabled = false;
  button('stop').disabled = true;
  if (reply.rows) {
    showOrders($('orders'), $('orders-note'), reply);
    say('converge: finished', 'good');
  } else {
    $('orders').hidden = true;
    $('orders-note').textContent = reply.message ?? '';
    say(`converge: ${reply.message ?? reply.status}`, reply.status === 'stopped' ? '' : 'bad');
  }
}

// --- files and links --------------------------------------------------------------------------------------------

function save(name: string, text: string, type: string): void {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([text], {type}));
  a.download = name;
  a.click();
  window.setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}

async function openBytes(bytes: ArrayBuffer, name: string): Promise<void> {
  if (/\.ya?ml$/i.test(name)) {
    if (bytes.byteLength > 1_000_000) return say(`${name} is too large for a scene`, 'bad');
    load(new TextDecoder().decode(bytes));
    await check();
    return run();
  }
  say(`reading ${name}…`);
  running = true;
  button('stop').disabled = false;
  const {reply, arrays} = await client.ask('file', {}, undefined, bytes);
  running = false;
  button('stop').disabled = true;
  finish(reply);
  if (!arrays) return say(`${name}: ${reply.message}`, 'bad');
  const r = new Run(reply, arrays);
  runs = box('keep').checked ? [...runs.slice(-4), r] : [r];
  if (reply.scene) editor.text = reply.scene;
  fromFile = true;
  select('examples').value = '';
  showRun();
  say(`${name}: ${reply.status}, ${r.count} samples, ${r.events.length} events`, reply.status === 'finished' ? 'good' : 'warn');
}

async function share(): Promise<void> {
  const fragment = await toFragment({scene: editor.text, ...(select('method').value === 'tolerance' ? {rtol: tolerance()} : {})});
  history.replaceState(null, '', fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    say('link copied; it holds the whole scene', 'good');
  } catch {
    say('the link is in the address bar; it holds the whole scene', 'good');
  }
}

/** What the address asks for: a shared scene, an example, a file that `saltus view` serves. */
async function fromAddress(): Promise<void> {
  const fragment = location.hash;
  try {
    const shared = await fromFragment(fragment);
    if (shared) {
      load(shared.scene);
      if (shared.rtol && Number(shared.rtol) > 0) {
        select('method').value = 'tolerance';
        box('tolerance').value = String(-Math.log10(Number(shared.rtol)));
        showKnobs();
      }
      await check();
      return;  // a stranger's scene runs when the user says so
    }
  } catch (e) {
    say(e instanceof Error ? e.message : 'the link is damaged', 'bad');
    load(scenes.find(s => s.name === 'bouncing-ball')?.text ?? '', 'bouncing-ball');
    return check();
  }
  const served = /^#file=([\w.-]{1,200})$/.exec(fragment);
  if (served) {
    const answer = await fetch(`./data/${encodeURIComponent(served[1])}${location.search}`);
    if (!answer.ok) return say(`${served[1]} cannot be read (${answer.status})`, 'bad');
    return openBytes(await answer.arrayBuffer(), served[1]);
  }
  const wanted = /^#example=([\w./-]+)$/.exec(fragment)?.[1] ?? 'bouncing-ball';
  const e = examples.find(x => x.name === wanted) ?? scenes[0];
  load(e.text, e.name);
  await check();
  return run();
}

// --- controls -----------------------------------------------------------------------------------------------------

function showKnobs(): void {
  const m = select('method').value;
  $('tolerance-row').hidden = m !== 'tolerance' && m !== '';
  $('step-row').hidden = m === 'tolerance' || m === '';
  $('tolerance-value').textContent = tolerance();
  $('step-value').textContent = `${stepText()} s`;
}
function setTheme(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  editor.setDark(dark);
  view.setTheme();
  timeline.paint();
  if (runs.length > 0) drawPlot();
}

function wire(): void {
  button('run').addEventListener('click', () => void run());
  button('stop').addEventListener('click', () => client.stop());
  button('play').addEventListener('click', () => player.toggle());
  button('next').addEventListener('click', () => step(1));
  button('previous').addEventListener('click', () => step(-1));
  button('next-event').addEventListener('click', () => event(1));
  button('previous-event').addEventListener('click', () => event(-1));
  button('fit').addEventListener('click', () => view.fit());
  button('share').addEventListener('click', () => void share());
  button('converge').addEventListener('click', () => void converge());
  button('theme').addEventListener('click', () => setTheme(document.documentElement.dataset.theme !== 'dark'));
  select('examples').addEventListener('change', () => {
    const e = examples.find(x => x.name === select('examples').value);
    if (!e) return;
    history.replaceState(null, '', `#example=${e.name}`);
    load(e.text, e.name);
    void check().then(() => run());
  });
  box('open').addEventListener('change', async () => {
    const f = box('open').files?.[0];
    if (f) await openBytes(await f.arrayBuffer(), f.name);
    box('open').value = '';
  });
  document.addEventListener('dragover', e => e.preventDefault());
  document.addEventListener('drop', async e => {
    const f = e.dataTransfer?.files[0];
    if (!f) return;
    e.preventDefault();
    await openBytes(await f.arrayBuffer(), f.name);
  });
  for (const id of ['plot-what', 'plot-over', 'poincare']) $(id).addEventListener('change', drawPlot);
  for (const [id, key] of [['show-forces', 'forces'], ['show-velocities', 'velocities'], ['show-trails', 'trails']] as const)
    $(id).addEventListener('change', () => {
      view.shown[key] = box(id).checked;
      view.draw(player.frame);
    });
  select('follow').addEventListener('change', () => {
    view.shown.follow = select('follow').value;
    view.draw(player.frame);
  });
  select('speed').append(option('0', 'whole in 8 s'), ...[[1, 'real time'], [0.5, '½'], [0.1, '1/10'], [0.01, '1/100'], [0.001, '1/1000'], [4, '4×']].map(([v, t]) => option(String(v), String(t))));
  select('speed').addEventListener('change', () => (player.speed = Number(select('speed').value)));
  player.speed = 0;
  select('method').addEventListener('change', () => {
    showKnobs();
    void run();
  });
  let delay = 0;
  for (const id of ['tolerance', 'step'])
    $(id).addEventListener('input', () => {
      if (id === 'tolerance' && select('method').value === '') select('method').value = 'tolerance';
      showKnobs();
      window.clearTimeout(delay);
      delay = window.setTimeout(() => void run(true), 120);
    });
  button('svg').addEventListener('click', () => save('saltus.svg', plot.svg(), 'image/svg+xml'));
  button('csv').addEventListener('click', () => save('saltus.csv', plot.csv(), 'text/csv'));
  button('json').addEventListener('click', () => {
    const r = runs[runs.length - 1];
    if (r) save('saltus.json', JSON.stringify({...r.reply, lab: undefined, arrays: undefined, curves: JSON.parse(plot.json())}), 'application/json');
  });
  plot.onSeek = t => {
    player.toggle(false);
    player.seekTime(t);
  };
  plot.onZoom = from => player.seekTime(from);
  document.addEventListener('keydown', key);
  window.addEventListener('hashchange', () => void fromAddress());
}
const step = (by: number) => {
  player.toggle(false);
  player.seek(player.frame + by);
};
const event = (direction: 1 | -1) => {
  const r = runs[runs.length - 1];
  if (!r) return;
  player.toggle(false);
  player.seek(eventFrame(r, player.frame, direction));
};
function key(e: KeyboardEvent): void {
  const target = e.target as HTMLElement;
  if (target.closest('.cm-editor, input:not([type=checkbox]), select, textarea') || e.ctrlKey || e.metaKey || e.altKey) {
    if (e.key === 'Escape' && running) client.stop();
    return;
  }
  const last = runs[runs.length - 1]?.motion.frames ?? 1;
  const actions: Record<string, () => void> = {
    ' ': () => player.toggle(), ArrowRight: () => step(e.shiftKey ? 10 : 1), ArrowLeft: () => step(e.shiftKey ? -10 : -1),
    ']': () => event(1), '[': () => event(-1), Home: () => player.seek(0), End: () => player.seek(last - 1), f: () => view.fit(), Escape: () => running && client.stop(),
  };
  const action = actions[e.key];
  if (!action || (e.key === ' ' && target.closest('button, summary, a, label'))) return;
  e.preventDefault();
  action();
}

declare global {
  interface Window {saltusLab: {state: () => LabState; scriptTime: () => number; run: () => Promise<void>; seek: (frame: number) => void; frames: () => number; fromFile: () => boolean; good: () => boolean}}
}
window.saltusLab = {state: () => structuredClone(state), scriptTime: () => view.scriptTime, run: () => run(), seek: f => player.seek(f),
  frames: () => runs[runs.length - 1]?.motion.frames ?? 0, fromFile: () => fromFile, good: () => good};

async function start(): Promise<void> {
  select('method').append(option('', 'as the scene says'), option('tolerance', 'by tolerance'));
  wire();
  setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches);
  showKnobs();
  fillMenu(select('examples'), examples);
  await client.ready();
  const opened = fromAddress();
  const {reply} = await client.ask('vocabulary', {});
  editor.setSchema(reply.schema as Schema);
  examples.push(...(reply.problems as Parameters<typeof sceneOf>[0][]).map(sceneOf));
  fillMenu(select('examples'), examples);
  for (const s of reply.schemes as {name: string; summary: string}[]) {
    const o = option(s.name, `${s.name}, with steps`);
    o.title = s.summary;
    select('method').append(o);
  }
  await opened;
}
void start();
