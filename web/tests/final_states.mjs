// Final states of all example scenes, as bits, of a program that was built with the module's mathematical functions (preset bits):
// node tests/final_states.mjs PROGRAM [ORDINARY]. Writes tests/data/final-states.json, which the unit tests compare with the module;
// tells how far the ordinary program is away.
import {execFileSync} from 'node:child_process';
import {readdirSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), scenes = resolve(here, '../../examples/scenes');
const [program, ordinary] = process.argv.slice(2);
const run = (what, name) => JSON.parse(execFileSync(what, ['run', join(scenes, `${name}.yaml`), '--json'], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']}));
const bits = x => x.map(v => {
  const b = Buffer.alloc(8);
  b.writeDoubleBE(v);
  return b.toString('hex');
});
const out = {};
for (const name of readdirSync(scenes).filter(n => n.endsWith('.yaml')).map(n => n.replace('.yaml', '')).sort()) {
  const a = run(program, name);
  const own = a.stats.cpu_seconds * (a.error_estimate ? 3 : 1);  // an estimate runs it a second time, with a smaller tolerance
  out[name] = {seconds: Number(own.toPrecision(1)), q: bits(a.q), u: bits(a.u)};
  if (!ordinary) continue;
  const b = run(ordinary, name), size = Math.max(...a.q.map(Math.abs), 1e-300);
  const away = Math.max(...a.q.map((x, i) => Math.abs(x - b.q[i]))) / size;
  console.log(`${name.padEnd(24)} ordinary program: ${away === 0 ? 'the same coordinates' : `coordinates differ by ${away.toExponential(1)} of the largest`}, ${a.events.length} events`);
}
writeFileSync(resolve(here, 'data/final-states.json'), JSON.stringify(out, null, 1) + '\n');
console.log(`${Object.keys(out).length} scenes in web/tests/data/final-states.json`);
