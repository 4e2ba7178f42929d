// Time: which frame is shown, playing, stepping, going from event to event.
import {lowerBound} from './decimate';
import type {Run} from './run';

export class Player {
  private run: Run | null = null;
  private playing = false;
  private last = 0;
  private t = 0;
  frame = 0;
  speed = 1;  // seconds of the motion a second; 0: so that the whole takes eight seconds
  window: [number, number] | null = null;  // the part of the time that is played
  onFrame: (frame: number, t: number) => void = () => {};
  onPlaying: (on: boolean) => void = () => {};

  show(run: Run, frame: number): void {
    this.run = run;
    if (frame < 0 && this.playing) this.toggle(false);
    this.seek(Math.max(frame, 0));
  }
  get time(): number {
    return this.t;
  }
  private get from(): number {
    return this.window?.[0] ?? this.run?.start ?? 0;
  }
  private get to(): number {
    return this.window?.[1] ?? this.run?.end ?? 0;
  }
  get isPlaying(): boolean {
    return this.playing;
  }
  get rate(): number {
    return this.speed > 0 ? this.speed : (this.to - this.from) / 8;
  }
  seek(frame: number): void {
    const r = this.run;
    if (!r || r.motion.frames === 0) return;
    this.frame = Math.max(0, Math.min(frame, r.motion.frames - 1));
    this.t = r.arrays.frame_times[this.frame];
    this.onFrame(this.frame, this.t);
  }
  seekTime(t: number): void {
    if (this.run) this.seek(Math.max(0, Math.min(lowerBound(this.run.arrays.frame_times, t), this.run.motion.frames - 1)));
  }
  toggle(on = !this.playing): void {
    if (!this.run || on === this.playing) return;
    this.playing = on;
    this.onPlaying(on);
    if (!on) return;
    if (this.frame >= this.run.motion.frames - 1 || this.t >= this.to || this.t < this.from) this.seekTime(this.from);
    this.last = performance.now();
    requestAnimationFrame(now => this.tick(now));
  }
  private tick(now: number): void {
    const r = this.run;
    if (!this.playing || !r) return;
    this.t += Math.min((now - this.last) / 1000, 0.25) * this.rate;  // a slow screen plays slowly, it does not jump
    this.last = now;
    const times = r.arrays.frame_times, frame = Math.max(0, lowerBound(times, this.t + 1e-15) - 1);
    if (frame !== this.frame) {
      this.frame = frame;
      this.onFrame(frame, times[frame]);
    }
    if (this.t >= this.to) {
      this.toggle(false);
      if (this.window) this.seekTime(this.to);
      else this.seek(r.motion.frames - 1);
      return;
    }
    requestAnimationFrame(n => this.tick(n));
  }
}
