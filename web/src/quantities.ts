// What can be plotted: quantities of a run alone or together, and points of a curve at a section.
import type {Quantity, Run} from './run';

export interface Group {name: string; quantities: Quantity[]}
export const withUnit = (q: Quantity): string => q.unit ? `${q.name} [${q.unit}]` : q.name;

/** Where the energy is, where it came from and went; what of it a run has. */
const ledger = ['energy', 'work of loads', 'taken by damping', 'taken by friction', 'taken by impacts', 'energy balance', 'energy + taken by impacts'];

const known = new WeakMap<Run, Group[]>();
/** Groups of quantities that one plot shows, by name. */
export function choices(run: Run): Group[] {
  let groups = known.get(run);
  if (!groups) known.set(run, groups = groupsOf(run));
  return groups;
}
function groupsOf(run: Run): Group[] {
  const groups: Group[] = [], {nq, nu} = run;
  if (nq > 1 && nq <= 8) groups.push({name: 'all coordinates', quantities: run.quantities.slice(0, nq)});
  if (nu > 1 && nu <= 8) groups.push({name: 'all velocities', quantities: run.quantities.slice(nq, nq + nu)});
  const together = (name: string, found: (Quantity | undefined)[], most: number) => {
    const list = found.filter(q => q !== undefined);
    if (list.length > 1 && list.length <= most) groups.push({name, quantities: list});
  };
  together('energy ledger', ledger.map(n => run.find(n)), ledger.length);
  for (const [name, kind] of [['all forces', 'force of '], ['all impulses', 'impulse of ']])
    together(name, run.quantities.filter(q => q.name.startsWith(kind)), 8);
  for (const q of run.quantities.slice(0, 4000)) groups.push({name: q.name, quantities: [q]});
  return groups;
}

/** Where the curve meets a section: so far from the sample before to this one. */
export interface Section {at: Uint32Array; part: Float64Array}

/** Right after impacts, or where a quantity rises through its mean. Between samples the curve is what is drawn, straight; where it
    jumps over the section, its right limit. */
export function sectionOf(run: Run, section: string): Section {
  const at: number[] = [], part: number[] = [], t = run.t;
  const add = (i: number, p: number) => {
    at.push(i);
    part.push(p);
  };
  if (section === 'impacts') {
    const times = new Set(run.events.filter(e => e.kind === 'impact').map(e => e.t));
    for (let i = 0; i < t.length; ++i) if (times.has(t[i]) && t[i + 1] !== t[i]) add(i, 1);
  } else {
    const v = run.find(section.replace(/^q:/, ''))?.values ?? new Float64Array();
    let sum = 0;
    for (const x of v) sum += x;
    const level = sum / v.length;
    for (let i = 1; i < v.length; ++i) if (v[i - 1] < level && v[i] >= level) add(i, t[i] === t[i - 1] ? 1 : (level - v[i - 1]) / (v[i] - v[i - 1]));
  }
  return {at: Uint32Array.from(at), part: Float64Array.from(part)};
}
export function onSection(values: Float64Array, {at, part}: Section): Float64Array {
  return Float64Array.from(at, (i, k) => part[k] === 1 ? values[i] : values[i - 1] + part[k] * (values[i] - values[i - 1]));
}
