// A plot as a file: axes with numbers, curves, names, error bars.
import {decimate} from './decimate';
import {short} from './run';

export interface Curve {label: string; x: Float64Array; y: Float64Array; colour: number; dashed: boolean; age: number; points: boolean; bar?: number}

const tints = ['#2f6fb3', '#d1772b', '#3d8f5f', '#b3405f', '#7a5bb5', '#2b9a9f', '#8a7433', '#5c6b7a'];
const escape = (s: string) => s.replace(/[&<>"']/g, m => `&#${m.charCodeAt(0)};`);

/** Smallest and largest finite number; a range that is not empty. */
export function rangeOf(all: Iterable<Float64Array>, margin = 0): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const a of all)
    for (let i = 0; i < a.length; ++i) {
      const v = a[i];
      if (v < low && v > -Infinity) low = v;
      if (v > high && v < Infinity) high = v;
    }
  if (low > high) return [0, 1];
  const room = margin * (high - low);
  return high > low ? [low - room, high + room] : [low - Math.max(0.5 * Math.abs(low), 1e-12), high + Math.max(0.5 * Math.abs(high), 1e-12)];
}

/** Steps of an axis that are easy to read. */
export function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  return ([1, 2, 5, 10].find(k => k * power >= rough * (1 - 1e-12)) ?? 10) * power;
}
function ticks([low, high]: [number, number], count: number): number[] {
  const step = niceStep((high - low) / count), out: number[] = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) out.push(Number(x.toPrecision(12)));
  return out;
}

export function svgOf(curves: Curve[], over: string, overTime: boolean, part: [number, number] | null): string {
  const rows = Math.ceil(curves.length / 3), w = 720, h = 360 + 18 * rows, left = 74, right = 20, top = 20, bottom = 50 + 18 * rows;
  const xs = part ?? rangeOf(curves.map(k => k.x), overTime ? 0 : 0.04);
  const ys = rangeOf(curves.map(k => overTime && part ? k.y.filter((_, i) => k.x[i] >= part[0] && k.x[i] <= part[1]) : k.y), 0.04);
  const px = (x: number) => left + (x - xs[0]) / (xs[1] - xs[0]) * (w - left - right), py = (y: number) => h - bottom - (y - ys[0]) / (ys[1] - ys[0]) * (h - top - bottom);
  let out = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" font-family="sans-serif" font-size="12"><rect width="${w}" height="${h}" fill="#fff"/>` +
    `<clipPath id="a"><rect x="${left}" y="${top}" width="${w - left - right}" height="${h - top - bottom}"/></clipPath>`;
  for (const x of ticks(xs, 6)) out += `<path d="M${px(x).toFixed(1)} ${top}V${h - bottom}" stroke="#e3e6e9"/><text x="${px(x).toFixed(1)}" y="${h - bottom + 16}" text-anchor="middle">${short(x, 6)}</text>`;
  for (const y of ticks(ys, 6)) out += `<path d="M${left} ${py(y).toFixed(1)}H${w - right}" stroke="#e3e6e9"/><text x="${left - 6}" y="${(py(y) + 4).toFixed(1)}" text-anchor="end">${short(y, 6)}</text>`;
  out += `<text x="${(left + w - right) / 2}" y="${h - bottom + 36}" text-anchor="middle">${escape(over)}</text>`;
  curves.forEach((k, n) => {
    const tint = tints[k.colour % 8], keep = overTime && !k.points ? decimate(k.x, [k.y], xs[0], xs[1], w) : null, count = keep ? keep.length : k.x.length;
    let d = '', pen = 'M', before = '';
    for (let j = 0; j < count; ++j) {
      const i = keep ? keep[j] : j;
      if (!Number.isFinite(k.x[i] + k.y[i])) {
        pen = 'M';
        continue;
      }
      const place = `${px(k.x[i]).toFixed(1)} ${py(k.y[i]).toFixed(1)}`;
      if (place === before) continue;
      before = place;
      d += k.points ? `M${place}h0` : `${pen}${place}`;
      pen = 'L';
    }
    out += `<path clip-path="url(#a)" d="${d}" fill="none" stroke="${tint}" stroke-width="${k.points ? 4 : 1.5}"${k.points ? ' stroke-linecap="round"' : ''}${k.dashed ? ' stroke-dasharray="5 4"' : ''}/>`;
    const name = k.bar === undefined ? k.label : `${k.label}, ± ${short(k.bar, 2)} at the end`;
    out += `<text x="${left + n % 3 * 210}" y="${h - 8 - 18 * (rows - 1 - Math.floor(n / 3))}" fill="${tint}">${escape(name)}</text>`;
  });
  return out + '</svg>\n';
}
