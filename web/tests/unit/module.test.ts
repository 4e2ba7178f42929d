import {statSync} from 'node:fs';
import {resolve} from 'node:path';
import {beforeAll, describe, expect, it} from 'vitest';
import {sceneOf} from '../../src/catalog';
import type {Saltus} from '../../src/saltus';
import {built, loadModule, sceneNames, sceneText} from './module';

describe.skipIf(!built)('the module', () => {
  let saltus: Saltus;
  beforeAll(async () => {
    saltus = await loadModule();
  });

  it('is at most 1 MB as every server sends it', () => {
    const size = statSync(resolve(__dirname, '../../public/module/saltus.wasm.xz')).size;
    console.log(`saltus.wasm.xz: ${(size / 1e6).toFixed(3)} MB`);
    expect(size).toBeLessThan(1.0e6);
  });
  it('accepts every example and has a picture of it', () => {
    for (const name of sceneNames) {
      const reply = saltus.call('check', {scene: sceneText(name), file: name});
      expect(reply.status, `${name}: ${reply.message}`).toBe('good');
    }
  });
  it('has all errors of a scene with line and column', () => {
    const reply = saltus.call('check', {scene: 'saltus: 1\ncoordinates:\n  z: {start: 1 m}\nmass: {z: 1 kg}\nforces: {zz: -1 N}\ncontacts:\n  f: {gap: z, law: {name: unilaterl}}\nrun: {tend: 1 s}\n', file: 'x'});
    expect(reply.complaints!.map(c => [c.line, c.column, c.path])).toEqual(expect.arrayContaining([[5, 10, 'forces.zz'], [8, 7, 'run.tend']]));
    expect(reply.complaints!.some(c => c.line === 7)).toBe(true);
  });
  it('answers text that is no YAML, or too much of it, with a message', () => {
    for (const scene of ['{', 'a: [', '\t- x', 'saltus: 1\n  bad: indent', '&a a: 1', 'a: *b', '- '.repeat(30_000), '['.repeat(100_000), 'x'.repeat(2_000_000), '---\nsaltus: 1\n---\nsaltus: 1\n', '']) {
      const reply = saltus.call('check', {scene, file: 'x'});
      expect(reply.status, scene.slice(0, 20)).toBe('failed');
      expect(reply.complaints?.[0].line ?? 1).toBeGreaterThan(0);
      expect(reply.message, scene.slice(0, 20)).toBeTruthy();
    }
  });
  it('runs out of memory with a message and works afterwards', () => {
    const reply = saltus.call('run', {scene: 'saltus: 1\nchain: {beads: 9000000, radius: 1 mm, material: steel}\nrun: {t_end: 1 s}\n', file: 'x', estimate: false});
    expect(['failed']).toContain(reply.status);
    expect(saltus.call('check', {scene: sceneText('bouncing-ball'), file: 'x'}).status).toBe('good');
  });
  it('gives the report of the program, curves and frames', () => {
    const reply = saltus.call('run', {scene: sceneText('bouncing-ball'), file: 'bouncing-ball'});
    expect(reply.status).toBe('finished');
    for (const key of ['problem', 'parameters', 'method', 'q', 'u', 'final', 'energy', 'ledger', 'events', 'stats', 'residuals', 'error_estimate']) expect(reply, key).toHaveProperty(key);
    const {samples, frame_times, frames, act_start} = saltus.arrays(reply);
    const {count, nq, nu} = reply.lab.samples;
    expect(samples.length).toBe(count * (2 + nq + nu + reply.lab.curves.length));  // t, q, u, energy, and what lab.curves names
    expect(samples[count - 1]).toBe(reply.t);
    expect(samples[2 * count - 1]).toBe(reply.q[0]);
    expect(frames.length).toBe(reply.lab.motion.width * frame_times.length);
    expect(act_start.length).toBe(frame_times.length + 1);
  });
  it('has forces of contacts over time: a box at rest presses with its weight', () => {
    const reply = saltus.call('run', {scene: sceneText('stairs'), file: 'stairs'}), {samples} = saltus.arrays(reply);
    const {count, nq, nu} = reply.lab.samples;
    let sum = 0;
    (reply.lab.curves as {name: string; unit: string}[]).forEach((c, k) => {
      if (c.name.startsWith('force of')) sum += samples[(3 + nq + nu + k) * count - 1];
    });
    expect(sum).toBeCloseTo(0.5 * 9.81, 6);
  });
  it('steps over problems of many contacts, and says so in their scenes', () => {
    const problems = saltus.call('vocabulary').problems as Parameters<typeof sceneOf>[0][];
    expect(problems.filter(p => p.steps).map(p => p.name)).toEqual(['disk-mixer']);
    for (const p of problems) expect(saltus.call('check', {scene: sceneOf(p).text, file: p.name}).status, p.name).toBe('good');
  });
  it('fits orders against the exact solution', () => {
    const reply = saltus.call('converge', {problem: 'bouncing-ball', values: [0.02, 0.01, 0.005], knob: 'h', study_scheme: 'moreau-jean'});
    expect(reply.rows.length, reply.message).toBe(3);
    expect(reply.order.u_l1).toBeGreaterThan(0.7);
  });
});
