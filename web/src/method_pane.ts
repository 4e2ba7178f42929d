// Accuracy: which method, its tolerance or step, what it cost, orders of convergence.
import {showCost, showOrders} from './accuracy';
import {$, box, button, option, say, select} from './dom';
import {lab} from './lab';
import {short} from './run';
import type {Request} from './saltus';
import {editor} from './scene_pane';

const tolerance = (): string => short(10 ** -Number(box('tolerance').value), 2);
let linkedStep = '';  // of a shared link, until the slider is moved
const stepText = (): string => {
  if (linkedStep) return linkedStep;
  const r = lab.last, length = r ? r.end - r.start : 1;
  return String(Number(((length || 1) * 10 ** -Number(box('step').value)).toPrecision(2)));
};
const bySteps = (): boolean => !['', 'tolerance'].includes(select('method').value);

/** What the page asks for beside the scene. */
export function chosenMethod(): Pick<Request, 'rtol' | 'scheme' | 'h'> {
  if (select('method').value === '') return {};
  return bySteps() ? {scheme: select('method').value, h: stepText()} : {rtol: tolerance()};
}
export function showKnobs(): void {
  $('tolerance-row').hidden = bySteps();
  $('step-row').hidden = !bySteps();
  $('tolerance-value').textContent = select('method').value === '' && lab.last ? usedTolerance() : tolerance();
  $('step-value').textContent = `${stepText()} s`;
}
/** What the scene chose, at the slider too. */
function usedTolerance(): string {
  const rtol = Number(/rtol=([^,]+)/.exec(String(lab.last?.reply.method?.stepping))?.[1]);
  if (!(rtol > 0)) return 'none';
  box('tolerance').value = String(-Math.log10(rtol));
  return short(rtol, 2);
}
/** What a link says; what is no method of the menu is left to the scene. */
export function setMethod({rtol, scheme, h}: {rtol?: string; scheme?: string; h?: string}): void {
  const names = [...select('method').options].map(o => o.value);
  linkedStep = '';
  if (Number(rtol) > 0) {
    select('method').value = 'tolerance';
    box('tolerance').value = String(-Math.log10(Number(rtol)));
  } else if (scheme && names.includes(scheme) && Number(h) > 0 && Number.isFinite(Number(h))) {
    select('method').value = scheme;
    linkedStep = String(Number(h));
  }
  showKnobs();
}
export function showAccuracy(): void {
  const r = lab.last;
  if (!r) return;
  showCost($('cost'), r.reply);
  $('orders').hidden = true;
  $('orders-note').textContent = '';
  showKnobs();
}

async function converge(): Promise<void> {
  const r = lab.last;
  if (lab.running) return;
  if (!r || lab.another) return say('converge: run the scene first', 'bad');
  lab.running = true;
  const steps = bySteps(), length = r.end - r.start || 1;
  const values = steps ? [1, 2, 4, 8, 16].map(k => Number(stepText()) * 4 / k).filter(h => h < length / 4) : [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];
  say('converge: running…');
  const scheme = select('method').value;
  const {reply} = await lab.client.ask('converge', {scene: editor.text, file: 'scene', values, knob: steps ? 'h' : 'rtol', study_scheme: steps ? scheme : '', ...(steps ? {scheme} : {})},
    part => say(`converge: ${Math.round(100 * part)} %`));
  lab.running = false;
  if (reply.rows) {
    showOrders($('orders'), $('orders-note'), reply);
    say('converge: finished', 'good');
    $('orders').scrollIntoView({block: 'nearest'});
    return;
  }
  $('orders').hidden = true;
  $('orders-note').textContent = reply.message ?? '';
  say(`converge: ${reply.message ?? reply.status}`, reply.status === 'stopped' ? '' : 'bad');
}

export function wireMethods(rerun: (quiet: boolean) => void): void {
  select('method').append(option('', 'as the scene says'), option('tolerance', 'by tolerance'));
  select('method').addEventListener('change', () => {
    linkedStep = '';
    showKnobs();
    rerun(false);
  });
  let delay = 0;
  for (const id of ['tolerance', 'step'])
    $(id).addEventListener('input', () => {
      if (id === 'tolerance' && select('method').value === '') select('method').value = 'tolerance';
      if (id === 'step') linkedStep = '';
      showKnobs();
      lab.expect('running');
      window.clearTimeout(delay);
      delay = window.setTimeout(() => rerun(true), 120);
    });
  button('converge').addEventListener('click', () => void converge());
}
export function offerSchemes(schemes: {name: string; summary: string}[]): void {
  select('method').append(...schemes.map(s => option(s.name, `${s.name}, with steps`, s.summary)));
}
