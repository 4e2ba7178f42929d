// What a run came to, as tables. All text of users goes through textContent.
import type {Run} from './run';
import {short} from './run';

type Cell = string | number | null | undefined;

export function table(parent: HTMLElement, title: string, head: string[], rows: Cell[][]): void {
  if (rows.length === 0) return;
  const h = document.createElement('h3');
  h.textContent = title;
  const t = document.createElement('table');
  if (head.length > 0) {
    const tr = t.createTHead().insertRow();
    for (const x of head) {
      const th = document.createElement('th');
      th.scope = 'col';
      th.textContent = x;
      tr.append(th);
    }
  }
  const body = t.createTBody();
  for (const r of rows) {
    const tr = body.insertRow();
    for (const x of r) tr.insertCell().textContent = typeof x === 'number' || x === null || x === undefined ? short(x) : x;
  }
  parent.append(h, t);
}

function note(parent: HTMLElement, text: string, kind: string): void {
  const p = document.createElement('p');
  p.className = kind;
  p.textContent = text;
  parent.append(p);
}

export function showReport(parent: HTMLElement, run: Run): void {
  parent.replaceChildren();
  const r = run.reply;
  if (r.status !== 'finished') note(parent, `${r.status}: ${r.message ?? ''}`, 'bad');
  for (const w of (r.warnings ?? []) as string[]) note(parent, w, 'warn');
  table(parent, 'Method', [], [['scheme', r.method?.scheme], ['stepping', r.method?.stepping], ['solver', r.method?.solver]]);
  if (r.measures)
    table(parent, 'Measures', [], Object.entries(r.measures as Record<string, number>).map(([k, v]) => {
      const bar = r.error_estimate?.measures?.[k];
      return [k, `${short(v, 9)}${bar ? ` ± ${short(bar, 1)}` : ''}`];
    }));
  const bars = r.error_estimate?.q_final as (number | null)[] | undefined, ubars = r.error_estimate?.u_final as (number | null)[] | undefined;
  const nq = run.nq;
  table(parent, `Final state, t = ${short(r.t)} s`, bars ? ['', 'value', '±'] : ['', 'value'],
    run.quantities.slice(0, Math.min(24, nq + run.nu)).map((q, k) => {
      const isQ = k < nq, v = isQ ? r.q?.[k] : r.u?.[k - nq];
      return [q.unit ? `${q.name} [${q.unit}]` : q.name, short(v, 9), ...(bars ? [short(isQ ? bars[k] : ubars?.[k - nq], 1)] : [])];
    }));
  const l = r.ledger;
  if (l && l.energy_start !== null)
    table(parent, 'Energy ledger', [], [['at the start', l.energy_start], ['work of loads and drives', l.work], ['taken by damping', l.damping],
      ['taken by friction', l.friction], ['taken by impacts', l.impacts], ['at the end', l.energy_end], ['remainder of the method', l.remainder]]);
  if (r.accumulations)
    table(parent, 'Accumulations of impacts', ['contact', 't [s]', '±', 'impacts resolved'],
      (r.accumulations as {contact: string; t: number; bound: number; impacts: number}[]).map(a => [a.contact, short(a.t, 9), short(a.bound, 1), a.impacts]));
  table(parent, `Events (${run.events.length})`, ['t [s]', 'contact', 'kind', 'impulse', 'u before', 'u after', 'energy loss'],
    run.events.slice(0, 40).map(e => [short(e.t, 9), e.contact, e.kind, e.impulse[0], e.u_minus[0], e.u_plus[0], e.energy_loss]));
  if (run.events.length > 40) note(parent, `… and ${run.events.length - 40} more: JSON has all of them`, 'quiet');
}
