import {describe, expect, it} from 'vitest';
import {onSection, sectionOf} from '../../src/quantities';
import type {Run} from '../../src/run';

/** A run of two quantities, as far as sections look at it. */
function runOf(t: number[], values: Record<string, number[]>, impacts: number[] = []): Run {
  const quantities = Object.entries(values).map(([name, v]) => ({name, unit: '', values: Float64Array.from(v)}));
  return {t: Float64Array.from(t), quantities, events: impacts.map(x => ({t: x, kind: 'impact'})), find: (name: string) => quantities.find(q => q.name === name)} as unknown as Run;
}

describe('points of a section', () => {
  const n = 4000, t = Array.from({length: n}, (_, i) => 100 * i / (n - 1)), x = t.map(Math.sin), v = t.map(Math.cos);
  it('lie where a quantity rises through its mean, between samples too', () => {
    const run = runOf(t, {x, v}), s = sectionOf(run, 'q:x');
    expect(s.at.length).toBe(16);  // near 2 pi k for k from 0 to 15: the mean is a little above the start
    const times = onSection(run.t, s), mean = x.reduce((a, b) => a + b) / n;
    times.forEach((at, k) => expect(Math.abs(at - 2 * Math.PI * k - Math.asin(mean))).toBeLessThan(2e-6));
    for (const y of onSection(Float64Array.from(v), s)) expect(Math.abs(y - Math.cos(Math.asin(mean)))).toBeLessThan(1e-4);
  });
  it('are right limits at impacts, and where the curve jumps over the section', () => {
    const run = runOf([0, 1, 1, 2], {u: [-1, -3, 3, 2]}, [1]);
    expect([...onSection(run.find('u')!.values, sectionOf(run, 'impacts'))]).toEqual([3]);
    expect([...onSection(run.find('u')!.values, sectionOf(run, 'q:u'))]).toEqual([3]);
  });
});
