// The strip of time: events as ticks in rows by kind, accumulations, the playhead. A slider of the browser lies over it, unseen, for
// pointer, fingers and other programs; its value is a time.
import {colours, eventColour} from './colours';
import {lowerBound} from './decimate';
import {short, type EventInfo, type Run} from './run';
import {niceStep} from './svg';

const rows = ['impact', 'close', 'open', 'stick', 'slip', 'reverse', 'accumulation'];

export class Timeline {
  private run: Run | null = null;
  private background: HTMLCanvasElement | null = null;
  private part: [number, number] | null = null;
  private accent = '';
  private frame = 0;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly slider: HTMLInputElement, seek: (frame: number) => void, reset: () => void) {
    new ResizeObserver(() => this.paint()).observe(canvas);
    slider.addEventListener('input', () => seek(this.frameAt(Number(slider.value))));
    slider.addEventListener('dblclick', reset);
  }
  show(run: Run, keepZoom: boolean): void {
    this.run = run;
    if (!keepZoom) this.part = null;
    this.limit();
  }
  /** Shows a part of the time, as the plot does. */
  zoom(part: [number, number] | null): void {
    this.part = part;
    this.limit();
  }
  private limit(): void {
    [this.slider.min, this.slider.max] = [String(this.from), String(this.to)];
    this.paint();
  }
  private get from(): number {
    return this.part?.[0] ?? this.run?.start ?? 0;
  }
  private get to(): number {
    return this.part?.[1] ?? this.run?.end ?? 1;
  }
  private frameAt(t: number): number {
    const times = this.run?.arrays.frame_times;
    if (!times || times.length === 0) return 0;
    const i = Math.min(lowerBound(times, t), times.length - 1);
    return i > 0 && t - times[i - 1] < times[i] - t ? i - 1 : i;
  }
  /** The strip without the playhead, painted once. */
  paint(): void {
    const run = this.run, ratio = Math.min(window.devicePixelRatio || 1, 2);
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight, c = colours();
    if (w === 0) return;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const back = document.createElement('canvas');
    [back.width, back.height] = [w * ratio, h * ratio];
    const g = back.getContext('2d')!;
    g.scale(ratio, ratio);
    this.accent = c.accent;
    if (run && this.to > this.from) {
      const x = (t: number) => (t - this.from) / (this.to - this.from) * w;
      const used = rows.filter(k => run.events.some(e => e.kind === k)), height = (h - 16) / Math.max(used.length, 1);
      const drawn = new Set<number>();
      for (const e of run.events) {
        const row = used.indexOf(e.kind), px = Math.round(x(e.t) * 2);
        const key = px * 8 + row;
        if (row < 0 || px < -2 || px > 2 * w + 2 || drawn.has(key)) continue;  // one tick a pixel
        drawn.add(key);
        g.fillStyle = eventColour(e.kind, c);
        g.fillRect(px / 2 - 0.75, 2 + row * height, 2, Math.max(height - 1.5, 2));
      }
      for (const a of (run.reply.accumulations ?? []) as {t: number}[]) {  // infinitely many impacts before this time
        const at = x(a.t);
        g.fillStyle = c.palette[3];
        g.beginPath();
        g.moveTo(at, 1);
        g.lineTo(at - 7, 1);
        g.lineTo(at, h - 16);
        g.fill();
      }
      g.font = '11px system-ui, "DejaVu Sans", sans-serif';
      g.textBaseline = 'middle';
      used.forEach((kind, row) => {
        const at = 2 + (row + 0.5) * height;
        g.font = `${Math.min(11, Math.round(height) + 2)}px system-ui, "DejaVu Sans", sans-serif`;
        if (height < 7) return;
        g.globalAlpha = 0.75;  // ticks below a name are still seen
        g.fillStyle = c.panel;
        g.fillRect(2, at - height / 2, g.measureText(kind).width + 4, height);
        g.globalAlpha = 1;
        g.fillStyle = eventColour(kind, c);
        g.fillText(kind, 4, at);
      });
      g.textBaseline = 'alphabetic';
      g.fillStyle = c.quiet;
      g.font = '11px system-ui, "DejaVu Sans", sans-serif';
      const step = niceStep((this.to - this.from) / Math.max(2, w / 90));
      for (let t = Math.ceil(this.from / step) * step; t <= this.to + 1e-9 * step; t += step) {
        g.fillRect(x(t), h - 14, 1, 4);
        g.fillText(short(Number(t.toPrecision(12)), 5), Math.min(x(t) + 3, w - 34), h - 4);
      }
    }
    this.background = back;
    this.move(this.frame);
  }
  move(frame: number): void {
    this.frame = frame;
    const run = this.run, g = this.canvas.getContext('2d')!;
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.background) g.drawImage(this.background, 0, 0);
    if (!run || run.motion.frames === 0) return;
    const t = run.arrays.frame_times[frame], part = (t - this.from) / (this.to - this.from || 1);
    g.fillStyle = this.accent;
    g.fillRect(part * this.canvas.width - 1.5, 0, 3, this.canvas.height);
    this.slider.value = String(t);
    this.slider.setAttribute('aria-valuetext', `t = ${short(t)} s`);
  }
}

/** The events at, or right before, a time. */
export function eventsAt(run: Run, t: number): EventInfo[] {
  const tolerance = 1e-12 * Math.max(Math.abs(run.end), 1);
  return run.events.filter(e => Math.abs(e.t - t) <= tolerance);
}

/** The first frame at or after the next event, or the one before. */
export function eventFrame(run: Run, frame: number, direction: 1 | -1): number {
  const times = run.arrays.frame_times, t = times[frame], eps = 1e-12 * Math.max(1, Math.abs(run.end));
  if (direction > 0) {
    const e = run.events.find(x => x.t > t + eps);
    return e ? Math.min(lowerBound(times, e.t), times.length - 1) : times.length - 1;
  }
  for (let k = run.events.length - 1; k >= 0; --k)
    if (run.events[k].t < t - eps) return Math.min(lowerBound(times, run.events[k].t), times.length - 1);
  return 0;
}
