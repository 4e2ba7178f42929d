import {describe, expect, it} from 'vitest';
import {decimate, lowerBound} from '../../src/decimate';

describe('decimation', () => {
  const n = 1_000_000, t = Float64Array.from({length: n}, (_, i) => i / n), y = t.map(x => Math.sin(40 * x));
  y[123_456] = 7;  // a spike of one sample
  y[777_777] = -5;
  it('keeps extremes of a million samples, in time order, and is quick', () => {
    const begin = performance.now(), keep = decimate(t, [y], -Infinity, Infinity, 1000);
    expect(performance.now() - begin).toBeLessThan(500);
    expect(keep.length).toBeLessThan(4200);
    expect(keep).toContain(123_456);
    expect(keep).toContain(777_777);
    for (let i = 1; i < keep.length; ++i) expect(keep[i]).toBeGreaterThan(keep[i - 1]);
  });
  it('shows all samples of a small range, with a neighbour on either side', () => {
    const keep = decimate(t, [y], 0.5, 0.5005, 1000);
    expect([keep[0], keep[keep.length - 1]]).toEqual([499_999, 500_501]);
    expect(keep.length).toBe(503);
  });
  it('keeps both samples of a jump', () => {
    const tj = Float64Array.from({length: 100_000}, (_, i) => i < 50_000 ? i : i - 1), yj = Float64Array.from(tj, (_, i) => i < 50_000 ? -1 : 1);
    const keep = decimate(tj, [yj], -Infinity, Infinity, 200);
    const before = [...keep].filter(i => i < 50_000).pop()!, after = [...keep].find(i => i >= 50_000)!;
    expect(tj[after] - tj[before]).toBeLessThan(1000);
    expect([yj[before], yj[after]]).toEqual([-1, 1]);
  });
  it('finds places in sorted times', () => {
    expect([lowerBound([1, 2, 2, 3], 2), lowerBound([1, 2], 5), lowerBound([], 1)]).toEqual([1, 2, 0]);
  });
});
