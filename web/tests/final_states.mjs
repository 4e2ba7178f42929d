// Final states of all example scenes, as bits, of a program that was built with the module's mathematical functions (preset bits):
// node tests/final_states.mjs PROGRAM [ORDINARY [PATTERN]]; with PATTERN only scenes whose names match, the others stay. Writes tests/data/final-states.json, which the unit tests compare with the module;
// tells how far the ordinary program is away, and why where that is above 1e-13: by what factor the motion multiplies errors, as the
// run's own error estimate measures it, and how large its error bar is.
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), examples = resolve(here, '../../examples');
const [program, ordinary, pattern = ''] = process.argv.slice(2), file = resolve(here, 'data/final-states.json');
const run = (what, name) => JSON.parse(execFileSync(what, ['run', join(examples, `${name.startsWith('space/') ? name : `scenes/${name}`}.yaml`), '--json'], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']}));
const bits = x => x.map(v => {
  const b = Buffer.alloc(8);
  b.writeDoubleBE(v);
  return b.toString('hex');
});
const small = 1e-13, rounding = 1e-15;
const digits = x => x === 0 ? '0' : x.toExponential(1);
/** Why two programs whose functions differ in the last bit end so far apart. */
function reason(other, run, away, size) {
  if (away <= small) return 'at most 1e-13';
  const e = run.error_estimate;
  if (!e) return 'steps are fixed by the scene: no estimate tells how it multiplies errors';
  if (e.q_sup === null || e.known_until < run.t) return 'no digit is known at the end';
  const growth = 10 ** (Math.max(0, e.digits_lost_per_second ?? 0) * run.t), bar = e.q_sup / size;
  if (away <= rounding * growth) return `errors are multiplied by ${digits(growth)}`;
  const counts = r => `${r.stats.steps} steps with ${r.stats.force_evaluations} force evaluations`, same = counts(other) === counts(run);
  const where = away <= bar ? `within the error bar, ${digits(bar)}` : `unexplained: error bar ${digits(bar)}`;
  return `${where}; ${same ? `both ${counts(run)}` : `${counts(other)} against ${counts(run)}`}; errors are multiplied by ${digits(growth)}`;
}
const out = pattern ? JSON.parse(readFileSync(file, 'utf8')) : {}, why = {};
const names = ['scenes', 'space'].flatMap(folder => readdirSync(join(examples, folder)).filter(n => n.endsWith('.yaml'))
  .map(n => (folder === 'space' ? 'space/' : '') + n.replace('.yaml', ''))).sort();
for (const name of names.filter(n => new RegExp(pattern).test(n))) {
  const a = run(program, name);
  const own = a.stats.cpu_seconds * (a.error_estimate ? 3 : 1);  // an estimate runs it a second time, with a smaller tolerance
  out[name] = {seconds: Number(own.toPrecision(1)), q: bits(a.q), u: bits(a.u)};
  if (!ordinary) continue;
  const b = run(ordinary, name), size = Math.max(...a.q.map(Math.abs), 1e-300);
  const away = Math.max(...a.q.map((x, i) => Math.abs(x - b.q[i]))) / size;
  const because = reason(a, b, away, size);
  (why[because.split(/[:,;]/)[0].replace(/ by .*/, '')] ??= []).push(name);
  console.log(`${name.padEnd(24)} ordinary program: ${away === 0 ? 'the same coordinates' : `coordinates differ by ${away.toExponential(1)} of the largest`}${away > small ? `; ${because}` : ''}`);
}
for (const [kind, which] of Object.entries(why)) console.log(`${kind}: ${which.length} (${which.join(', ')})`);
const sorted = Object.fromEntries(Object.keys(out).sort().map(n => [n, out[n]]));
writeFileSync(file, JSON.stringify(sorted, null, 1) + '\n');
console.log(`${Object.keys(out).length} scenes in web/tests/data/final-states.json`);
