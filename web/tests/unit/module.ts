// The compiled module in node; null where it was not built.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Saltus, type Factory} from '../../src/saltus';

const folder = resolve(__dirname, '../../public/module');
export const built = existsSync(resolve(folder, 'saltus.wasm.xz'));
if (!built) console.warn('skipped: tests of the module, which is not built (./dev web)');

// the module is made for workers, and looks whether it is in one
const scope = globalThis as unknown as Record<string, unknown>;
scope.importScripts ??= () => {};
scope.self ??= globalThis;
scope.location ??= {href: pathToFileURL(folder).href};

export async function loadModule(): Promise<Saltus> {
  const {default: factory} = await import(/* @vite-ignore */ pathToFileURL(resolve(folder, 'saltus.mjs')).href) as {default: Factory};
  return Saltus.load(factory, new Blob([readFileSync(resolve(folder, 'saltus.wasm.xz'))]).stream());
}
const examples = resolve(__dirname, '../../../examples');
/** Those of examples/scenes, and of examples/space as space/NAME, as the page names them. */
export const sceneNames = ['scenes', 'space'].flatMap(folder => readdirSync(resolve(examples, folder)).filter(n => n.endsWith('.yaml'))
  .map(n => (folder === 'space' ? 'space/' : '') + n.replace('.yaml', ''))).sort();
export const sceneText = (name: string) => readFileSync(resolve(examples, `${name.startsWith('space/') ? name : `scenes/${name}`}.yaml`), 'utf8');
