// Curves with uPlot: quantities over time or against each other, several runs over each other. Every curve has places of its own,
// so that both limits of a velocity that jumps stay, and runs need no common times.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import {colours} from './colours';
import {decimate, lowerBound} from './decimate';
import {element} from './dom';
import {choices, onSection, sectionOf, withUnit} from './quantities';
import {short, type Run} from './run';
import {rangeOf, svgOf, type Curve} from './svg';

export interface Choice {what: string; over: string; section: string}
type Part = [number, number];
const font = (size: number) => `${size}px system-ui, "DejaVu Sans", sans-serif`;

export function axis(label: string): uPlot.Axis {
  const c = colours();
  return {label, labelSize: 18, labelFont: font(12), font: font(11), stroke: c.quiet, values: (_, splits) => splits.map(x => x === null ? '' : short(Number(x.toPrecision(12)), 6)), grid: {stroke: c.soft, width: 1}, ticks: {stroke: c.line, width: 1}, size: label ? 52 : 40};
}

export class Plot {
  private plot: uPlot | null = null;
  private runs: Run[] = [];
  private choice: Choice = {what: '', over: 't', section: ''};
  private shown: Curve[] = [];
  private zoom: {x: Part | null; y: Part | null} = {x: null, y: null};
  private full: {x: Part; y: Part} = {x: [0, 1], y: [0, 1]};
  private readonly canvas = element('div', '', 'plot-canvas');
  private readonly legend = element('div', '', 'plot-legend');
  private readonly head = element('div', '', 'plot-head');
  private readonly readout = element('span', '', 'plot-readout');
  private frame = 0;
  private time = 0;
  onZoom: (part: Part | null) => void = () => {};
  onSeek: (t: number) => void = () => {};

  constructor(private readonly parent: HTMLElement) {
    parent.append(this.canvas, this.legend);
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.canvas);
  }
  private get overTime(): boolean {
    return this.choice.over === 't';
  }
  private size(): {width: number; height: number} {
    return {width: Math.max(this.canvas.clientWidth, 60), height: Math.max(this.canvas.clientHeight, 60)};
  }
  show(runs: Run[], choice: Choice, keepZoom: boolean): void {
    if (!keepZoom || choice.over !== this.choice.over) {
      this.zoom = {x: null, y: null};
      if (this.overTime && choice.over !== 't') this.onZoom(null);
    }
    this.runs = runs;
    this.choice = choice;
    this.shown = this.curves();
    this.draw();
  }
  private curves(): Curve[] {
    const out: Curve[] = [];
    this.runs.forEach((run, r) => {
      const group = choices(run).find(g => g.name === this.choice.what), over = this.overTime ? null : run.find(this.choice.over);
      const last = r === this.runs.length - 1, keep = this.choice.section ? sectionOf(run, this.choice.section) : null;
      const pick = (a: Float64Array) => keep ? onSection(a, keep) : a;
      (group?.quantities ?? []).forEach((q, k) => out.push({
        label: withUnit(q) + (last ? '' : ` (run ${r + 1 - this.runs.length})`), x: pick(over ? over.values : run.t), y: pick(q.values), colour: k + (last ? 0 : r + 2), dashed: !last, age: this.runs.length - 1 - r,
        points: keep !== null, bar: this.overTime ? q.bar : undefined,
      }));
    });
    return out;
  }
  /** The range of values within the shown part of the time. */
  private valueRange(): Part {
    const part = this.zoom.x;
    if (!this.overTime || !part) return this.full.y;
    return rangeOf(this.shown.map(k => k.y.subarray(Math.max(0, lowerBound(k.x, part[0]) - 1), lowerBound(k.x, part[1]) + 1)), 0.05);
  }
  private draw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.legend.replaceChildren();
    if (this.shown.length === 0) return;
    const c = colours(), last = this.runs[this.runs.length - 1], over = last.find(this.choice.over);
    this.full = {x: rangeOf(this.shown.map(k => k.x), this.overTime ? 0 : 0.05), y: rangeOf(this.shown.map(k => k.y), 0.05)};
    const series = this.shown.map(k => ({label: k.label, stroke: c.palette[k.colour % 8], fill: k.points ? c.palette[k.colour % 8] : undefined, width: 1.6, dash: k.dashed ? [5, 4] : undefined,
      paths: ((u: uPlot, s: number) => this.path(u, this.shown[s - 1])) as unknown as uPlot.Series.PathBuilder, facets: [{scale: 'x', auto: false}, {scale: 'y', auto: false}]}));
    this.showLegend();  // before the plot is measured: a legend of as many lines as the last one tells no observer
    this.plot = new uPlot({
      ...this.size(), mode: 2, legend: {show: false},
      cursor: {drag: {x: true, y: !this.overTime, setScale: false, uni: 20}, points: {show: false}, focus: {prox: -1}},
      scales: {x: {time: false, auto: false, range: () => this.zoom.x ?? this.full.x}, y: {auto: false, range: () => this.zoom.y ?? this.valueRange()}},
      axes: [axis(this.overTime ? 't [s]' : over ? withUnit(over) : this.choice.over), axis(this.label(last))],
      series: [{}, ...series],
      hooks: {
        setSelect: [(u: uPlot) => this.selected(u)],
        draw: [(u: uPlot) => this.drawBars(u)],
        setCursor: [(u: uPlot) => this.read(u)],
        ready: [(u: uPlot) => {
          u.over.append(this.head);
          u.over.addEventListener('dblclick', () => this.overTime ? this.onZoom(null) : this.setZoom(null, null));
          let down = 0;
          u.over.addEventListener('mousedown', (e: MouseEvent) => (down = e.offsetX));
          u.over.addEventListener('click', (e: MouseEvent) => {
            if (this.overTime && Math.abs(e.offsetX - down) < 4) this.onSeek(u.posToVal(e.offsetX, 'x'));
          });
        }],
      },
    } as unknown as uPlot.Options, [null, ...this.shown.map(k => [k.x, k.y])] as unknown as uPlot.AlignedData, this.canvas);
    this.rescale();
    this.setHead(this.frame, this.time);
  }
  /** With the unit that all curves have. */
  private label(run: Run): string {
    if (this.shown.length === 1) return this.shown[0].label;
    const units = new Set(choices(run).find(g => g.name === this.choice.what)?.quantities.map(q => q.unit)), [unit] = units;
    return units.size === 1 && unit ? `${this.choice.what} [${unit}]` : this.choice.what;
  }
  private showLegend(): void {
    const c = colours();
    this.legend.append(...this.shown.slice(0, 12).map(k => {
      const item = element('span', '', 'plot-key'), mark = element('i');
      mark.style.borderTopColor = c.palette[k.colour % 8];
      mark.style.borderTopStyle = k.dashed ? 'dashed' : k.points ? 'dotted' : 'solid';
      item.append(mark, k.label);
      if (k.bar !== undefined) item.append(element('small', ` ± ${short(k.bar, 2)} at the end`));
      return item;
    }), this.readout);
    this.parent.setAttribute('aria-label', `Plot of ${this.choice.what} over ${this.overTime ? 'time' : this.choice.over}: ${this.shown.length} curves`);
  }
  private path(u: uPlot, k: Curve): {stroke: Path2D; fill: Path2D | null} {
    const line = new Path2D(), dots = new Path2D(), {left, top, width, height} = u.bbox, [sx, sy] = [u.scales.x, u.scales.y];
    const [x0, x1, y0, y1] = [sx.min!, sx.max!, sy.min!, sy.max!], fx = width / (x1 - x0), fy = height / (y1 - y0);
    const keep = this.overTime && !k.points ? decimate(k.x, [k.y], x0, x1, Math.max(width, 300)) : null, count = keep ? keep.length : k.x.length;
    let pen = false, bx = NaN, by = NaN;
    for (let j = 0; j < count; ++j) {
      const i = keep ? keep[j] : j, px = left + (k.x[i] - x0) * fx, py = top + height - (k.y[i] - y0) * fy;
      if (!(Math.abs(px) < 1e7 && Math.abs(py) < 1e7)) {
        pen = false;
        continue;
      }
      if (Math.abs(px - bx) < 0.4 && Math.abs(py - by) < 0.4) continue;  // not to be seen
      if (k.points) dots.rect(px - 2, py - 2, 4, 4);
      else if (pen) line.lineTo(px, py);
      else line.moveTo(px, py);
      [pen, bx, by] = [true, px, py];
    }
    return k.points ? {stroke: new Path2D(), fill: dots} : {stroke: line, fill: null};
  }
  /** The error of the last value: to scale where it can be seen, else the sign of a bar. Those of several runs stand beside each other. */
  private drawBars(u: uPlot): void {
    const c = colours(), g = u.ctx, ratio = window.devicePixelRatio || 1, {left, top, width, height} = u.bbox;
    g.save();
    g.beginPath();
    g.rect(left, top, width + 1, height);
    g.clip();
    g.lineWidth = 1.5 * ratio;
    for (const k of this.shown) {
      if (k.bar === undefined || k.x.length === 0) continue;
      const i = k.x.length - 1, x = u.valToPos(k.x[i], 'x', true) - (3 + 8 * k.age) * ratio, y = u.valToPos(k.y[i], 'y', true);
      const half = Math.max(Math.abs(u.valToPos(k.y[i] + k.bar, 'y', true) - y), 5 * ratio), cap = 3 * ratio;
      g.strokeStyle = c.palette[k.colour % 8];
      g.beginPath();
      for (const e of [-half, half]) {
        g.moveTo(x - cap, y + e);
        g.lineTo(x + cap, y + e);
      }
      g.moveTo(x, y - half);
      g.lineTo(x, y + half);
      g.stroke();
    }
    g.restore();
  }
  private selected(u: uPlot): void {
    const {left, top, width, height} = u.select;
    if (width < 4 && height < 4) return;
    const x: Part = [u.posToVal(left, 'x'), u.posToVal(left + Math.max(width, 1), 'x')];
    const y: Part | null = this.overTime || height < 4 || height >= u.over.clientHeight ? null : [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')];
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    if (this.overTime) this.onZoom(x);
    else this.setZoom(width < 4 ? null : x, y);
  }
  private setZoom(x: Part | null, y: Part | null): void {
    this.zoom = {x, y};
    this.rescale();
  }
  private rescale(): void {
    const u = this.plot, x = this.zoom.x ?? this.full.x, y = this.zoom.y ?? this.valueRange();
    u?.batch(() => {
      u.setScale('x', {min: x[0], max: x[1]});
      u.setScale('y', {min: y[0], max: y[1]});
    });
    this.setHead(this.frame, this.time);
  }
  /** Of plots over time: the strip and the plot show the same part. */
  zoomTime(part: Part | null): void {
    if (this.overTime) this.setZoom(part, null);
  }
  private read(u: uPlot): void {
    const {left, top} = u.cursor;
    this.readout.textContent = left === undefined || left < 0 || top === undefined ? '' : `${short(u.posToVal(left, 'x'), 5)}, ${short(u.posToVal(top, 'y'), 4)}`;
  }
  /** Where the view stands: a line, or a point of the phase portrait. */
  setHead(frame: number, t: number): void {
    [this.frame, this.time] = [frame, t];
    const u = this.plot, run = this.runs[this.runs.length - 1];
    if (!u || !run) return;
    if (this.overTime) {
      const x = u.valToPos(t, 'x'), inside = x >= 0 && x <= u.over.clientWidth;
      this.head.className = inside ? 'plot-head line' : 'plot-head';
      this.head.style.transform = `translateX(${x - 1}px)`;
      return;
    }
    const over = run.find(this.choice.over), q = choices(run).find(g => g.name === this.choice.what)?.quantities[0];
    const i = Math.min(lowerBound(run.t, t) + (run.side(frame) === 'right' ? 1 : 0), run.count - 1);
    if (!over || !q) return;
    this.head.className = 'plot-head dot';
    this.head.style.transform = `translate(${u.valToPos(over.values[i], 'x') - 5}px, ${u.valToPos(q.values[i], 'y') - 5}px)`;
  }
  /** The curves as they are, with all samples. */
  csv(): string {
    const out = [`curve,${this.choice.over},value`];
    for (const k of this.shown) {
      const name = `"${k.label.replace(/"/g, '""')}"`;
      for (let i = 0; i < k.x.length; ++i) out.push(`${name},${k.x[i]},${k.y[i]}`);
    }
    return out.join('\n') + '\n';
  }
  data(): {label: string; over: string; x: number[]; y: number[]}[] {
    return this.shown.map(k => ({label: k.label, over: this.choice.over, x: Array.from(k.x), y: Array.from(k.y)}));
  }
  svg(): string {
    return svgOf(this.shown, this.overTime ? 't [s]' : this.choice.over, this.overTime, this.zoom.x);
  }
}
