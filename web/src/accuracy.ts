// Accuracy of a run beside its cost, and orders of convergence.
import uPlot from 'uplot';
import {colours} from './colours';
import {axis} from './plots';
import type {Reply} from './saltus';
import {short} from './run';

function line(parent: HTMLElement, label: string, value: string): void {
  const div = document.createElement('div');
  const b = document.createElement('span');
  b.className = 'value';
  b.textContent = value;
  div.append(`${label} `, b);
  parent.append(div);
}

/** Cost and error bar: what was asked for, what the estimate says. */
export function showCost(parent: HTMLElement, reply: Reply): void {
  parent.replaceChildren();
  const stats = reply.stats ?? {};
  line(parent, 'Cost', `${stats.steps ?? '—'} steps, ${stats.force_evaluations ?? '—'} force evaluations, ${short((stats.cpu_seconds ?? NaN) * 1000, 3)} ms`);
  const e = reply.error_estimate;
  if (!e) {
    const why = /^tolerance/.test(String(reply.method?.stepping)) ? 'files hold no estimate, and some runs have none: run the scene here, with a tolerance'
      : 'no estimate for this method: compare steps, or choose a tolerance';
    line(parent, 'Error', reply.error ? `${short(reply.error.q_sup, 2)} in q (against the ${reply.reference})` : why);
    return;
  }
  const known = e.q_sup !== null;
  line(parent, 'Error bar', known ? `± ${short(e.q_sup, 2)} in q, ± ${short(e.u_hausdorff, 2)} in u, ± ${short(e.event_times, 2)} s in event times` : 'no digit is known at the end');
  const asked = /rtol=([^,]+)/.exec(String(reply.method?.stepping))?.[1];
  const sizes = (e.sizes?.q ?? []) as (number | null)[], size = Math.max(...sizes.map(x => x ?? 0), 1e-300);
  const relative = known ? e.q_sup / size : 1;
  const bar = document.createElement('div');
  bar.className = 'errorbar';
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', `relative error ${short(relative, 2)}, tolerance ${asked}`);
  const place = (x: number) => `${Math.min(100, Math.max(0, (Math.log10(Math.max(x, 1e-16)) + 16) / 16 * 100))}%`;
  const fill = document.createElement('i'), mark = document.createElement('b');
  fill.style.width = place(relative);
  const wanted = e.tightened?.asked_rtol ?? Number(asked);
  if (relative > 10 * wanted) fill.className = 'over';
  mark.style.left = place(wanted);
  mark.title = `tolerance ${asked}`;
  bar.append(fill, mark);
  parent.append(bar);
  const scale = document.createElement('div');
  scale.className = 'quiet';
  scale.textContent = `relative error ${short(relative, 2)} (bar, from 1e-16 to 1), tolerance ${short(wanted, 2)} (mark)${e.tightened ? `; ran ${e.tightened.runs} times, because the motion multiplies errors` : ''}`;
  parent.append(scale);
}

/** Errors over steps or tolerances on logarithmic axes. */
export function showOrders(parent: HTMLElement, note: HTMLElement, reply: Reply): void {
  parent.hidden = false;
  parent.replaceChildren();
  const knob = reply.rows[0]?.rtol !== undefined ? 'rtol' : 'h';
  const rows = (reply.rows as Record<string, never>[]).slice().sort((a, b) => (a[knob] as number) - (b[knob] as number));
  const norms: [string, string][] = [['q_sup', 'q, sup'], ['u_l1', 'u, L1'], ['u_hausdorff', 'u, graph']];
  const used = norms.filter(([n]) => rows.some(r => (r.error as Record<string, number | null>)[n] !== null));
  const c = colours();
  new uPlot({
    width: Math.max(parent.clientWidth - 4, 100), height: 190, legend: {live: false}, cursor: {show: false},
    scales: {x: {time: false, distr: 3}, y: {distr: 3}},
    axes: [axis(knob === 'rtol' ? 'tolerance' : 'step [s]'), axis('error')],
    series: [{}, ...used.map(([n, label], k) => ({label: `${label}: order ${short(reply.order[n], 3)}`, stroke: c.palette[k], width: 1.5, points: {show: true, size: 6}}))],
  }, [rows.map(r => r[knob] as number), ...used.map(([n]) => rows.map(r => {
    const x = (r.error as Record<string, number | null>)[n];
    return x !== null && x > 0 ? x : null;
  }))] as uPlot.AlignedData, parent);
  note.textContent = `Fitted orders; errors against the ${reply.reference}.`;
}
