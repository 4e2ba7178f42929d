// Files and links: results and scenes that are opened, scenes in the address.
import {box, button, say, select} from './dom';
import type {Example} from './catalog';
import {lab} from './lab';
import {chosenMethod, setMethod} from './method_pane';
import {showRun} from './result_pane';
import {Run} from './run';
import {run} from './run_scene';
import {check, editor, load, loadExample, plural} from './scene_pane';
import {numberOf, withNumber} from './parameters';
import {exampleOf, fromFragment, toFragment} from './share';

const isScene = (name: string) => /\.ya?ml$/i.test(name);

async function openBytes(bytes: ArrayBuffer, name: string): Promise<void> {
  if (lab.running) lab.client.stop();
  if (isScene(name)) {
    if (bytes.byteLength > 1_000_000) return say(`${name} is too large for a scene`, 'bad');
    load(new TextDecoder().decode(bytes));
    await check();
    return run();
  }
  say(`reading ${name}…`);
  lab.running = true;
  const {reply, arrays} = await lab.client.ask('file', {}, undefined, bytes);
  lab.running = false;
  lab.take(reply);
  if (!arrays) return say(`${name}: ${reply.message}`, 'bad');
  const r = new Run(reply, arrays);
  lab.add(r, box('keep').checked);
  if (reply.scene) editor.text = reply.scene;
  lab.fromFile = true;
  select('examples').value = '';
  showRun();
  say(`${name}: ${reply.status}, ${plural(r.count, 'sample')}, ${plural(r.events.length, 'event')}`, reply.status === 'finished' ? 'good' : 'warn');
}

async function share(): Promise<void> {
  const fragment = await toFragment({scene: editor.text, ...chosenMethod()});
  history.replaceState(null, '', fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    say('link copied: it holds the whole scene', 'good');
  } catch {
    say('the link is in the address bar: it holds the whole scene', 'good');
  }
}

/** What the address asks for: a shared scene, an example, a file that `saltus view` serves. */
export async function fromAddress(examples: Example[]): Promise<void> {
  const fragment = location.hash, start = examples.find(e => e.name === 'bouncing-ball') ?? examples[0];
  try {
    const shared = await fromFragment(fragment);
    if (shared) {
      load(shared.scene);
      setMethod(shared);
      await check();
      if (lab.good) say('a shared scene: press Run');
      return;  // a stranger's scene runs when the user says so
    }
  } catch (e) {
    loadExample(start);
    await check();
    return say(e instanceof Error ? e.message : 'the link is damaged: ask for a new one', 'bad');
  }
  const served = /^#file=([^/#]{1,400})$/.exec(fragment);
  if (served) {
    const name = served[1], answer = /^[\w.-]+$/.test(name) ? await fetch(`./data/${name}`).catch(() => null) : null;
    if (!answer?.ok) return say(`there is no file ${name} beside this page`, 'bad');
    return openBytes(await answer.arrayBuffer(), name);
  }
  const wanted = exampleOf(fragment), example = examples.find(x => x.name === wanted?.name) ?? start;
  loadExample(example);
  for (const [name, value] of example.name === wanted?.name ? wanted.values : []) {
    if (!numberOf(editor.text, name) || !Number.isFinite(value)) return say(`${example.name} has no parameter ${name} that is a plain number`, 'bad');
    editor.text = withNumber(editor.text, name, value, 15);
  }
  await check();
  return run();
}

export function wireFiles(examples: Example[]): void {
  button('share').addEventListener('click', () => void share());
  select('examples').addEventListener('change', () => {
    const e = examples.find(x => x.name === select('examples').value);
    if (!e) return;
    history.replaceState(null, '', `#example=${e.name}`);
    if (lab.running) lab.client.stop();
    loadExample(e);
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
  window.addEventListener('hashchange', () => void fromAddress(examples));
}
