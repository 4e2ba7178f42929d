// Curves with uPlot: quantities over time or against each other, several runs over each other.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {colours} from './colours';
import {decimate} from './decimate';
import type {Quantity, Run} from './run';
import {short} from './run';

export interface Choice {what: string; over: string; poincare: boolean}
interface Curve {label: string; x: Float64Array; y: Float64Array; dash?: number[]}

const axis = (label: string, c: ReturnType<typeof colours>): uPlot.Axis => ({
  label, labelSize: 18, labelFont: '12px system-ui, "DejaVu Sans", sans-serif', font: '11px system-ui, "DejaVu Sans", sans-serif',
  stroke: c.quiet, grid: {stroke: c.soft, width: 1}, ticks: {stroke: c.line, width: 1}, size: 46,
});
const withUnit = (q: Quantity) => q.unit ? `${q.name} [${q.unit}]` : q.name;

/** Groups of quantities that one plot shows, by name. */
export function choices(run: Run): {name: string; quantities: Quantity[]}[] {
  const groups: {name: string; quantities: Quantity[]}[] = [];
  const nq = (run.reply.lab.samples as {nq: number}).nq, nu = (run.reply.lab.samples as {nu: number}).nu;
  const positions = run.quantities.slice(0, nq), rates = run.quantities.slice(nq, nq + nu);
  if (nq > 1 && nq <= 8) groups.push({name: 'all coordinates', quantities: positions});
  if (nu > 1 && nu <= 8) groups.push({name: 'all velocities', quantities: rates});
  for (const q of run.quantities.slice(0, 4000)) groups.push({name: q.name, quantities: [q]});
  return groups;
}

/** Where a curve crosses its section upwards: the values of both quantities there. Of samples, for a picture. */
export function crossings(section: Float64Array, x: Float64Array, y: Float64Array): [number[], number[]] {
  let sum = 0;
  for (const v of section) sum += v;
  const level = sum / section.length, xs: number[] = [], ys: number[] = [];
  for (let i = 1; i < section.length; ++i)
    if (section[i - 1] < level && section[i] >= level) {
      xs.push(x[i]);
      ys.push(y[i]);
    }
  return [xs, ys];
}

export class Plot {
  private plot: uPlot | null = null;
  private runs: Run[] = [];
  private choice: Choice = {what: '', over: 't', poincare: false};
  private head = 0;
  private shown: Curve[] = [];
  onZoom: (from: number, to: number) => void = () => {};
  onSeek: (t: number) => void = () => {};

  constructor(private readonly parent: HTMLElement) {
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(parent);
  }
  private size(): {width: number; height: number} {
    return {width: Math.max(this.parent.clientWidth, 60), height: Math.max(this.parent.clientHeight - (this.shown.length > 1 ? 30 : 8), 60)};
  }
  /** The last of the runs is the one that is played. */
  show(runs: Run[], choice: Choice): void {
    this.runs = runs;
    this.choice = choice;
    this.draw();
  }
  private curves(): Curve[] {
    const out: Curve[] = [];
    this.runs.forEach((run, r) => {
      const group = choices(run).find(g => g.name === this.choice.what);
      const over = this.choice.over === 't' ? null : run.find(this.choice.over);
      for (const q of group?.quantities ?? []) {
        const last = r === this.runs.length - 1;
        let x = over ? run.values(over) : run.t, y = run.values(q);
        if (this.choice.poincare && over) {
          const section = run.quantities.find(k => k !== q && k !== over) ?? q;
          const [xs, ys] = crossings(run.values(section), x, y);
          [x, y] = [Float64Array.from(xs), Float64Array.from(ys)];
        }
        out.push({label: withUnit(q) + (last ? '' : ` (run ${r + 1})`), x, y, dash: last ? undefined : [5, 4]});
      }
    });
    return out;
  }
  draw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.shown = this.curves();
    if (this.shown.length === 0) return;
    if (this.choice.over === 't') this.overTime();
    else this.against();
  }
  private overTime(): void {
    const c = colours(), curves = this.shown;
    const data = (from: number, to: number): uPlot.AlignedData => uPlot.join(curves.map(k => {
      const keep = decimate(k.x, [k.y], from, to, Math.max(this.parent.clientWidth, 300));
      return [Array.from(keep, i => k.x[i]), Array.from(keep, i => k.y[i])] as uPlot.AlignedData;
    })) as uPlot.AlignedData;
    const first = this.runs[this.runs.length - 1];
    // one run: the samples as they are, two at one time where a velocity jumps; several runs are joined by their times
    const same = curves.every(k => k.x === curves[0].x);
    const aligned = (from: number, to: number): uPlot.AlignedData => {
      if (!same) return data(from, to);
      const keep = decimate(curves[0].x, curves.map(k => k.y), from, to, Math.max(this.parent.clientWidth, 300));
      return [Array.from(keep, i => curves[0].x[i]), ...curves.map(k => Array.from(keep, i => Number.isFinite(k.y[i]) ? k.y[i] : null))] as uPlot.AlignedData;
    };
    let zoomed = false;
    this.plot = new uPlot({
      ...this.size(), legend: {show: curves.length > 1, live: false},
      cursor: {drag: {x: true, y: false}, points: {show: curves.length < 9}},
      scales: {x: {time: false}},
      axes: [axis('t [s]', c), axis(curves.length === 1 ? curves[0].label : this.choice.what, c)],
      series: [{}, ...curves.map((k, i) => ({label: k.label, stroke: c.palette[i % 8], width: 1.5, dash: k.dash, spanGaps: !same, points: {show: false}}))],
      hooks: {
        setSelect: [u => {
          const from = u.posToVal(u.select.left, 'x'), to = u.posToVal(u.select.left + u.select.width, 'x');
          zoomed = true;
          u.setData(aligned(from, to), false);
          u.batch(() => {
            u.setScale('x', {min: from, max: to});
            u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
          });
          this.onZoom(from, to);
        }],
        draw: [u => this.drawHead(u)],
        ready: [u => {
          u.over.addEventListener('dblclick', () => {
            if (!zoomed) return;
            zoomed = false;
            u.setData(aligned(-Infinity, Infinity), true);
            this.onZoom(first.start, first.end);
          });
          u.over.addEventListener('click', e => {
            if (u.select.width < 3) this.onSeek(u.posToVal(e.offsetX, 'x'));
          });
        }],
      },
    }, aligned(-Infinity, Infinity), this.parent);
  }
  private against(): void {
    const c = colours(), curves = this.shown, points = this.choice.poincare;
    const range = (all: Float64Array[]): [number, number] => {
      let low = Infinity, high = -Infinity;
      for (const a of all) for (const v of a) if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
      if (low > high) return [0, 1];
      const margin = 0.05 * (high - low) || 0.5;
      return [low - margin, high + margin];
    };
    const paths: uPlot.Series.PathBuilder = (u, s) => {
      const {x, y} = curves[s - 1], path = new Path2D();
      const stride = Math.max(1, Math.ceil(x.length / 200_000));
      let pen = false;
      for (let i = 0; i < x.length; i += stride) {
        if (!Number.isFinite(x[i] + y[i])) {
          pen = false;
          continue;
        }
        const px = u.valToPos(x[i], 'x', true), py = u.valToPos(y[i], 'y', true);
        if (points) path.rect(px - 2, py - 2, 4, 4);
        else if (pen) path.lineTo(px, py);
        else path.moveTo(px, py);
        pen = true;
      }
      return points ? {stroke: new Path2D(), fill: path} : {stroke: path, fill: null as unknown as Path2D};
    };
    const overUnit = this.runs[this.runs.length - 1].find(this.choice.over);
    this.plot = new uPlot({
      ...this.size(), mode: 2, legend: {show: curves.length > 1, live: false}, cursor: {drag: {x: true, y: true}},
      scales: {x: {time: false, range: () => range(curves.map(k => k.x))}, y: {range: () => range(curves.map(k => k.y))}},
      axes: [axis(overUnit ? withUnit(overUnit) : this.choice.over, c), axis(curves.length === 1 ? curves[0].label : this.choice.what, c)],
      series: [{}, ...curves.map((k, i) => ({label: k.label, stroke: c.palette[i % 8], fill: points ? c.palette[i % 8] : undefined, width: 1.5, paths, dash: k.dash}))],
      hooks: {draw: [u => this.drawHead(u)]},
    } as uPlot.Options, [null, ...curves.map(k => [k.x, k.y])] as unknown as uPlot.AlignedData, this.parent);
  }
  /** Where the view stands: a line, or a point of the phase portrait. */
  private drawHead(u: uPlot): void {
    const run = this.runs[this.runs.length - 1], c = colours();
    if (!run) return;
    u.ctx.save();
    u.ctx.fillStyle = c.accent;
    if (this.choice.over === 't') {
      const x = u.valToPos(this.head, 'x', true);
      if (x >= u.bbox.left && x <= u.bbox.left + u.bbox.width) u.ctx.fillRect(x - 1, u.bbox.top, 2, u.bbox.height);
    }
    u.ctx.restore();
  }
  setHead(t: number): void {
    this.head = t;
    if (this.plot && this.choice.over === 't') this.plot.redraw(false, false);
  }
  /** The curves as they are, with all samples. */
  csv(): string {
    const out = [`curve,${this.choice.over},value`];
    for (const k of this.shown) for (let i = 0; i < k.x.length; ++i) out.push(`"${k.label.replace(/"/g, '""')}",${k.x[i]},${k.y[i]}`);
    return out.join('\n') + '\n';
  }
  json(): string {
    return JSON.stringify(this.shown.map(k => ({label: k.label, over: this.choice.over, x: Array.from(k.x), y: Array.from(k.y)})));
  }
  svg(): string {
    return svgOf(this.shown, this.choice.over === 't' ? 't [s]' : this.choice.over);
  }
}

const escape = (s: string) => s.replace(/[&<>"']/g, m => `&#${m.charCodeAt(0)};`);

/** A plain figure: axes with numbers, curves, names. */
export function svgOf(curves: Curve[], over: string): string {
  const w = 720, h = 400, left = 70, right = 20, top = 20, bottom = 60 + 18 * Math.ceil(curves.length / 3);
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const k of curves)
    for (let i = 0; i < k.x.length; ++i) {
      if (!Number.isFinite(k.x[i] + k.y[i])) continue;
      [x0, x1, y0, y1] = [Math.min(x0, k.x[i]), Math.max(x1, k.x[i]), Math.min(y0, k.y[i]), Math.max(y1, k.y[i])];
    }
  if (!(x1 > x0)) [x0, x1] = [x0 - 0.5 || 0, x1 + 0.5 || 1];
  if (!(y1 > y0)) [y0, y1] = [y0 - 0.5 || 0, y1 + 0.5 || 1];
  const px = (x: number) => left + (x - x0) / (x1 - x0) * (w - left - right), py = (y: number) => h - bottom - (y - y0) / (y1 - y0) * (h - top - bottom);
  const c = ['#2f6fb3', '#d1772b', '#3d8f5f', '#b3405f', '#7a5bb5', '#2b9a9f', '#8a7433', '#5c6b7a'];
  let out = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" font-family="sans-serif" font-size="12"><rect width="${w}" height="${h}" fill="#fff"/>`;
  for (let k = 0; k <= 5; ++k) {
    const x = x0 + k / 5 * (x1 - x0), y = y0 + k / 5 * (y1 - y0);
    out += `<path d="M${px(x).toFixed(1)} ${top}V${h - bottom}M${left} ${py(y).toFixed(1)}H${w - right}" stroke="#e3e6e9"/>`;
    out += `<text x="${px(x).toFixed(1)}" y="${h - bottom + 16}" text-anchor="middle">${short(x, 4)}</text><text x="${left - 6}" y="${(py(y) + 4).toFixed(1)}" text-anchor="end">${short(y, 4)}</text>`;
  }
  out += `<text x="${(left + w - right) / 2}" y="${h - bottom + 36}" text-anchor="middle">${escape(over)}</text>`;
  curves.forEach((k, n) => {
    const keep = over.startsWith('t ') ? decimate(k.x, [k.y], -Infinity, Infinity, w) : Uint32Array.from({length: k.x.length}, (_, i) => i);
    let d = '', pen = 'M';
    for (const i of keep) {
      if (!Number.isFinite(k.x[i] + k.y[i])) {
        pen = 'M';
        continue;
      }
      d += `${pen}${px(k.x[i]).toFixed(1)} ${py(k.y[i]).toFixed(1)}`;
      pen = 'L';
    }
    out += `<path d="${d}" fill="none" stroke="${c[n % 8]}" stroke-width="1.5"/>`;
    out += `<text x="${left + n % 3 * 210}" y="${h - 8 - 18 * (Math.ceil(curves.length / 3) - 1 - Math.floor(n / 3))}" fill="${c[n % 8]}">${escape(k.label)}</text>`;
  });
  return out + '</svg>\n';
}
