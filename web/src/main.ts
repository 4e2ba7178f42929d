// The page: puts its parts together, and tells other programs what it does.
import type {Schema} from './complete';
import {$, button, say, select} from './dom';
import {sceneOf, type Example} from './catalog';
import {fillMenu, scenes} from './examples';
import {fromAddress, wireFiles} from './files';
import {wireKeys} from './keys';
import {lab, type LabState} from './lab';
import {offerSchemes, showKnobs, wireMethods} from './method_pane';
import {player, scriptTime, setTheme, wireResult} from './result_pane';
import {run} from './run_scene';
import {editor, onRerun} from './scene_pane';
import {wireTheme} from './theme';

declare global {
  interface Window {
    saltusLab: {state: () => LabState; run: () => Promise<void>; seek: (frame: number) => void; frames: () => number; scriptTime: () => number;
      fromFile: () => boolean; good: () => boolean; samples: () => number; firstRun: () => number; text: (scene?: string) => string};
  }
}
window.saltusLab = {
  state: () => structuredClone(lab.state), run: () => run(), seek: f => player.seek(f), frames: () => lab.last?.motion.frames ?? 0, scriptTime,
  fromFile: () => lab.fromFile, good: () => lab.good, samples: () => lab.last?.count ?? 0,
  firstRun: () => lab.firstRun,
  text: scene => {
    if (scene !== undefined) editor.text = scene;
    return editor.text;
  },
};

async function start(): Promise<void> {
  const examples: Example[] = [...scenes];
  const rerun = (quiet: boolean) => void run(quiet);
  onRerun(rerun);
  wireMethods(rerun);
  wireResult();
  wireFiles(examples);
  wireKeys();
  wireTheme($('theme'), dark => {
    editor.setDark(dark);
    setTheme();
  });
  button('run').addEventListener('click', () => void run());
  button('stop').addEventListener('click', () => lab.client.stop());
  showKnobs();
  fillMenu(select('examples'), examples);
  await lab.client.ready();
  const {reply} = await lab.client.ask('vocabulary', {});
  if (!reply.schema) return say(reply.message ?? 'the module does not answer', 'bad');
  const names = (of: unknown) => (of as {name: string}[]).map(x => x.name), schema = reply.schema as Schema;
  for (const [path, list] of [['ready.problem', reply.problems], ['chain.material', reply.materials]] as const) {
    const field = path.split('.').reduce<Schema | undefined>((s, key) => s?.properties?.[key], schema);
    if (field) field.enum = names(list);
  }
  editor.setSchema(schema);
  examples.push(...(reply.problems as Parameters<typeof sceneOf>[0][]).map(sceneOf));
  fillMenu(select('examples'), examples);
  offerSchemes(reply.schemes as {name: string; summary: string}[]);
  await fromAddress(examples);
}
void start();
