// Curves for a screen: for each column of pixels the first, the last, the lowest and the highest sample, so that extremes and
// jumps stay. Drawing only; numbers that are reported come from the module.

/** Index of the first entry of sorted `t` that is not before `x`. */
export function lowerBound(t: ArrayLike<number>, x: number): number {
  let low = 0, high = t.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (t[mid] < x) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** Indices of samples in [from, to], increasing, at most about four for each of `columns`; one more on either side. */
export function decimate(t: Float64Array, ys: Float64Array[], from: number, to: number, columns: number): Uint32Array {
  const first = Math.max(0, lowerBound(t, from) - 1);
  const last = Math.min(t.length - 1, lowerBound(t, to) + 1);
  const count = last - first + 1;
  if (count <= 4 * columns) return Uint32Array.from({length: Math.max(count, 0)}, (_, k) => first + k);
  const keep: number[] = [];
  const width = (t[last] - t[first]) / columns || 1;
  let i = first;
  while (i <= last) {
    const end = t[i] + width;
    let j = i + 1;
    while (j <= last && t[j] < end) ++j;  // samples i … j − 1 are one column
    const marks = new Set<number>([i, j - 1]);
    for (const y of ys) {
      let low = i, high = i;
      for (let k = i + 1; k < j; ++k) {
        if (y[k] < y[low]) low = k;
        if (y[k] > y[high]) high = k;
      }
      marks.add(low);
      marks.add(high);
    }
    keep.push(...[...marks].sort((a, b) => a - b));
    i = j;
  }
  return Uint32Array.from(keep);
}
