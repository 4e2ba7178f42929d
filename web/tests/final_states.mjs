// Final states of all example scenes, as bits: node tests/final_states.mjs PROGRAM [PATTERN]; with PATTERN only scenes whose names
// match, the others stay. Writes tests/data/final-states.json, which the unit tests compare with the module.
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), examples = resolve(here, '../../examples');
const [program, pattern = ''] = process.argv.slice(2), file = resolve(here, 'data/final-states.json');
const run = (what, name) => JSON.parse(execFileSync(what, ['run', join(examples, `${name.startsWith('space/') ? name : `scenes/${name}`}.yaml`), '--json'], {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']}));
const bits = x => x.map(v => {
  const b = Buffer.alloc(8);
  b.writeDoubleBE(v);
  return b.toString('hex');
});
const out = pattern ? JSON.parse(readFileSync(file, 'utf8')) : {};
const names = ['scenes', 'space'].flatMap(folder => readdirSync(join(examples, folder)).filter(n => n.endsWith('.yaml'))
  .map(n => (folder === 'space' ? 'space/' : '') + n.replace('.yaml', ''))).sort();
for (const name of names.filter(n => new RegExp(pattern).test(n))) {
  const a = run(program, name);
  const own = a.stats.cpu_seconds * (a.error_estimate ? 3 : 1);  // an estimate runs it a second time, with a smaller tolerance
  out[name] = {seconds: Number(own.toPrecision(1)), q: bits(a.q), u: bits(a.u)};
}
const sorted = Object.fromEntries(Object.keys(out).sort().map(n => [n, out[n]]));
writeFileSync(file, JSON.stringify(sorted, null, 1) + '\n');
console.log(`${Object.keys(out).length} scenes in web/tests/data/final-states.json`);
