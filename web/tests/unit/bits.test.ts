// The same bits in the module and in a native program with the same mathematical functions (./dev web bits makes the file).
import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {built, loadModule, sceneNames, sceneText} from './module';

const bits = (x: number[]) => x.map(v => {
  const b = Buffer.alloc(8);
  b.writeDoubleBE(v);
  return b.toString('hex');
});

describe.skipIf(!built)('final states', () => {
  const known = JSON.parse(readFileSync(resolve(__dirname, '../data/final-states.json'), 'utf8')) as Record<string, {q: string[]; u: string[]}>;
  it('are known of every example', () => expect(Object.keys(known).sort()).toEqual(sceneNames));
  it('have the bits of a native build with the same mathematical functions', async () => {
    const saltus = await loadModule(), different: string[] = [];
    for (const name of sceneNames) {
      const reply = saltus.call('run', {scene: sceneText(name), file: name, frames: 2});
      if (JSON.stringify([bits(reply.q ?? []), bits(reply.u ?? [])]) !== JSON.stringify([known[name].q, known[name].u])) different.push(name);
    }
    expect(different).toEqual([]);
  });
});
