// CPU seconds of the module in a browser's worker beside those of the native program, in turn, for the same scenes:
// node tests/speed.mjs [REPEATS [PATTERN]]. Fails above twice the native time.
// A browser has no clock of CPU time, so that a run in it is timed by the wall. The part of the time in which the worker's thread
// had a core is read from Linux and multiplied with it: other work on the machine does not count, on either side.
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {browser, finished, openPage, root, serve, web} from './browser/site.mjs';

const repeats = Number(process.argv[2] ?? 5), wanted = process.argv[3] ?? '', limit = 2;
const heap = `saltus: 1
title: Heap of 200 disks
materials:
  default: {mu: 0.3, e_n: 0}
groups:
  grain: {shape: disk, radius: 10 mm, density: 1000 kg/m^2, layout: {name: grid, columns: 20, rows: 10, x: -200 mm, y: 20 mm, dx: 21 mm, dy: 21 mm}}
walls:
  floor: {point: [0 m, 0 m], normal: [0, 1]}
  left: {point: [-0.25 m, 0 m], normal: [0.8, 0.6]}
  right: {point: [0.25 m, 0 m], normal: [-0.8, 0.6]}
run: {t_end: 0.5 s, h: 1 ms}
`;
const example = name => readFileSync(resolve(root, `examples/scenes/${name}.yaml`), 'utf8');
const scenes = {ball: example('bouncing-ball'), 'double-pendulum-wall': example('double-pendulum-wall'), dominoes: example('dominoes'), 'heap of 200': heap};
// short runs many times: a clock of a browser has steps of 0.1 ms
const times = {ball: 40, 'double-pendulum-wall': 10};

const {server, address} = await serve(resolve(web, 'dist'));
const {context, close} = await browser();
const {page} = await openPage(context, address);
await finished(page);
// a second worker of the page, so that nothing is measured but the module
await page.evaluate(() => {
  const script = performance.getEntriesByType('resource').map(r => r.name).find(n => /worker[^/]*\.js$/.test(n));
  const worker = new Worker(script, {type: 'module'}), waiting = [];
  worker.onmessage = e => e.data.kind === 'done' && waiting.shift()(e.data.reply);
  // all requests at once, so that the worker never waits
  window.runScene = async (scene, count) => {
    const begin = performance.now();
    const replies = await Promise.all(Array.from({length: count}, () => new Promise(done => {
      waiting.push(done);
      worker.postMessage({id: 1, verb: 'run', request: {scene, file: 'scene', frames: 2}});
    })));
    return {run: replies.reduce((sum, r) => sum + r.stats.cpu_seconds, 0), whole: (performance.now() - begin) / 1e3};
  };
});
const file = join(tmpdir(), `saltus-speed-${process.pid}.yaml`);
const native = text => {
  writeFileSync(file, text);
  return JSON.parse(execFileSync(resolve(root, 'build/saltus'), ['run', file, '--json'], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']}));
};
const inPage = (text, count = 1) => page.evaluate(([t, n]) => window.runScene(t, n), [text, count]);
/** CPU seconds of all threads of workers, of this test's browser only. */
function workerSeconds() {
  const parent = new Map();
  for (const id of readdirSync('/proc').filter(n => /^\d+$/.test(n))) try {
    parent.set(Number(id), Number(readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').pop().split(' ')[1]));
  } catch { /* it has ended */ }
  const own = id => id === process.pid || (parent.has(id) && own(parent.get(id)));
  let out = 0;
  for (const id of [...parent.keys()].filter(own))
    for (const thread of readdirSync(`/proc/${id}/task`)) {
      const folder = `/proc/${id}/task/${thread}`;
      if (readFileSync(`${folder}/comm`, 'utf8').startsWith('DedicatedWorker')) out += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
    }
  return out;
}
const median = x => x.sort((a, b) => a - b)[x.length >> 1];
let slow = 0;
for (const [name, text] of Object.entries(scenes)) {
  if (!name.includes(wanted)) continue;
  const own = [], page_ = [], parts = [], count = times[name] ?? 1;
  const warm = Date.now();  // the browser compiles what runs often a second time
  do await inPage(text);
  while (Date.now() - warm < 2000);
  for (let k = 0; k < repeats; ++k) {
    let sum = 0;
    for (let i = 0; i < count; ++i) sum += native(text).stats.cpu_seconds;
    const before = workerSeconds(), {run, whole} = await inPage(text, count), part = Math.min(1, (workerSeconds() - before) / whole);
    own.push(sum / count);
    page_.push(run * part / count);
    parts.push(part);
  }
  const [a, b] = [median(own), median(page_)];
  if (b > limit * a) ++slow;
  console.log(`${name.padEnd(22)} native ${(1e3 * a).toFixed(2).padStart(9)} ms, browser ${(1e3 * b).toFixed(2).padStart(9)} ms: ${(b / a).toFixed(2)} times (its thread had a core for ${(100 * median(parts)).toFixed(0)} % of the time)`);
}
await close();
server.close();
console.log(slow ? `${slow} above ${limit} times` : `all at most ${limit} times`);
process.exit(slow ? 1 : 0);
