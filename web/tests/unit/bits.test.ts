// The same bits in the module and in the program (./dev web bits makes the file).
import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {beforeAll, describe, expect, it} from 'vitest';
import type {Saltus} from '../../src/saltus';
import {built, loadModule, sceneNames, sceneText} from './module';

const bits = (x: number[]) => x.map(v => {
  const b = Buffer.alloc(8);
  b.writeDoubleBE(v);
  return b.toString('hex');
});

describe.skipIf(!built)('final states', () => {
  const known = JSON.parse(readFileSync(resolve(__dirname, '../data/final-states.json'), 'utf8')) as Record<string, {seconds: number; q: string[]; u: string[]}>;
  it('are known of every example', () => expect(Object.keys(known).sort()).toEqual(sceneNames));
  let saltus: Saltus;
  beforeAll(async () => {
    saltus = await loadModule();
  });
  // long ones only where all are asked for (./dev web bits)
  const all = process.env.SALTUS_ALL_SCENES !== undefined, names = sceneNames.filter(n => all || !(known[n]?.seconds >= 1));
  if (names.length < sceneNames.length) console.log(`skipped: bits of ${sceneNames.filter(n => !names.includes(n)).join(', ')}, which run long (./dev web bits has them)`);
  it.each(names)('of %s have the bits of the program', async name => {
    await new Promise(done => setTimeout(done));  // the runner wants to hear from its tests
    const reply = saltus.call('run', {scene: sceneText(name), file: name, frames: 2});
    expect({q: bits(reply.q ?? []), u: bits(reply.u ?? [])}).toEqual({q: known[name].q, u: known[name].u});
  });
});
