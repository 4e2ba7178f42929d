// The scene: its text, errors while typing, sliders for parameters, examples.
import {$, element, say, select} from './dom';
import {Editor} from './editor';
import type {Example} from './catalog';
import {lab} from './lab';
import {readyNames, showSliders, withNumber} from './parameters';
import type {Complaint} from './saltus';

let timer = 0, checked = '';
let rerun: (quiet: boolean) => void = () => {};
export const onRerun = (f: (quiet: boolean) => void): void => void (rerun = f);

export const editor = new Editor($('editor'), () => {
  lab.fromFile = false;
  lab.good = false;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void check(), 250);
}, () => rerun(false));

export const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

export function showComplaints(list: Complaint[], message = ''): void {
  editor.show(list);
  const rows = list.length > 0 ? list : message ? [{line: 0, column: 0, path: '', message}] : [];
  $('errors').replaceChildren(...rows.slice(0, 100).map(c => {
    const li = element('li'), b = element('button');
    b.append(element('b', c.line > 0 ? `line ${c.line}` : ''), c.path ? `${c.path}: ${c.message}` : c.message);
    b.addEventListener('click', () => editor.goTo(c));
    li.dataset.line = String(c.line);
    li.dataset.column = String(c.column);
    li.append(b);
    return li;
  }));
}

const longest = 10_000, patience = 500;  // milliseconds of a check: altogether, and before a newer text ends it
let began = 0;

export async function check(): Promise<void> {
  const text = editor.text;
  if (lab.running) return;
  if (began > 0 && performance.now() - began > patience) lab.client.stop();
  const start = began = performance.now();
  const limit = window.setTimeout(() => lab.client.stop('too large'), longest);
  const {reply} = await lab.client.ask('check', {scene: text, file: 'scene'});
  window.clearTimeout(limit);
  if (began === start) began = 0;
  if (text === editor.text && reply.message === 'too large') {
    checked = text;
    const message = `The scene could not be checked within ${longest / 1000} s: it is too large for this page.`;
    showComplaints([], message);
    return say(message, 'bad');
  }
  if (text !== editor.text || reply.status === 'stopped') return;
  checked = text;
  lab.good = reply.status === 'good';
  const errors = reply.complaints?.length ?? 1;
  showComplaints(reply.complaints ?? [], lab.good || reply.complaints ? '' : reply.message);
  if (!lab.good) {
    if (!lab.running) say(`${plural(errors, 'error')} in the scene`, 'bad');
    return;
  }
  showSliders($('sliders'), text, [...(reply.parameters as {name: string}[]).map(p => p.name), ...readyNames(text)], (name, value) => {
    editor.text = withNumber(editor.text, name, value);
    rerun(true);
  });
  if (!lab.running && /^(loading|\d+ error)/.test($('status').textContent ?? '')) say('ready: press Run', '');
}
/** After a run: what was typed meanwhile. */
export const checkAgain = (): void => {
  if (editor.text !== checked) void check();
};

/** Another scene; `name` of the example, if it is one. */
export function load(text: string, name = ''): void {
  editor.text = text;
  select('examples').value = name;
  select('method').value = '';  // a step or a tolerance that was chosen for another scene says nothing here
  lab.another = true;
  lab.expect('idle');
}
export const loadExample = (e: Example): void => load(e.text, e.name);
