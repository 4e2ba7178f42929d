// A finished run as the page uses it: names, curves, frames, events.
import type {Arrays, Reply} from './saltus';

export interface Shape {
  kind: 'round' | 'polygon' | 'wall' | 'dot' | 'path' | 'spring' | 'text' | 'sphere' | 'capsule' | 'cylinder' | 'polytope' | 'plane';
  name: string;
  first: number;
  count: number;
  colour: number;
  moves: boolean;
  radius?: number;
  points?: [number, number][];
  half?: number;
  corners?: [number, number, number][];
  faces?: number[][];
  text?: string;
  trail?: boolean;
  valued?: boolean;
}
export interface Motion {frames: number; width: number; box: number[]; depth: [number, number]; in_space: boolean; shapes: Shape[]; note: string; force: number; impulse: number; impacts_left_out: number}
export interface EventInfo {t: number; contact: string; kind: string; from: string; to: string; impulse: number[]; u_minus: number[]; u_plus: number[]; energy_loss: number | null}
/** A curve over time. `bar`: the error of its value at the end. */
export interface Quantity {name: string; unit: string; values: Float64Array; bar?: number}

export class Run {
  readonly count: number;
  readonly nq: number;
  readonly nu: number;
  readonly t: Float64Array;
  readonly motion: Motion;
  readonly events: EventInfo[];
  readonly quantities: Quantity[] = [];

  constructor(readonly reply: Reply, readonly arrays: Arrays) {
    const {count, nq, nu} = reply.lab.samples as {count: number; nq: number; nu: number};
    [this.count, this.nq, this.nu] = [count, nq, nu];
    const column = (k: number) => arrays.samples.subarray(k * count, (k + 1) * count);
    this.t = column(0);
    this.motion = reply.lab.motion as Motion;
    this.events = (reply.events ?? []) as EventInfo[];
    const names = (reply.lab.coordinates ?? []) as string[], rates = (reply.lab.velocities ?? []) as string[];
    const units = (reply.lab.units ?? []) as string[], rateUnits = (reply.lab.rate_units ?? []) as string[];
    const e = reply.error_estimate, bar = (x: unknown) => typeof x === 'number' && x > 0 ? x : undefined;
    for (let k = 0; k < nq; ++k)
      this.quantities.push({name: names[k] ?? `q[${k}]`, unit: units[k] ?? '', values: column(1 + k), bar: bar(e?.q_final?.[k])});
    for (let k = 0; k < nu; ++k)
      this.quantities.push({name: rates[k] ?? (names[k] && nq === nu ? `${names[k]}'` : `u[${k}]`), unit: rateUnits[k] ?? '', values: column(1 + nq + k), bar: bar(e?.u_final?.[k])});
    const energy = column(1 + nq + nu);
    if (Number.isFinite(energy[0])) this.quantities.push({name: 'energy', unit: units.length > 0 ? 'J' : '', values: energy});
    ((reply.lab.curves ?? []) as {name: string; unit: string}[]).forEach((c, k) => this.quantities.push({...c, values: column(2 + nq + nu + k)}));
  }
  find(name: string): Quantity | undefined {
    return this.quantities.find(q => q.name === name);
  }
  get start(): number {
    return this.t[0] ?? 0;
  }
  get end(): number {
    return this.t[this.count - 1] ?? 0;
  }
  get title(): string {
    return String(this.reply.lab.title || this.reply.problem || '');
  }
  /** Whether a frame is the limit from the left, or from the right, of an impact. */
  side(frame: number): 'left' | 'right' | '' {
    const t = this.arrays.frame_times;
    if (frame + 1 < t.length && t[frame + 1] === t[frame]) return 'left';
    return frame > 0 && t[frame - 1] === t[frame] ? 'right' : '';
  }
}

export function short(x: number | null | undefined, digits = 6): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '—';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e6) return String(Number(x.toPrecision(digits)));
  return x.toExponential(Math.max(0, digits - 3)).replace(/\.?0+e/, 'e').replace('e+', 'e');
}
