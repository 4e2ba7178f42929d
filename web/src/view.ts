// The motion in three.js. Places and orientations are those of space; systems of the plane are seen without perspective.
import * as THREE from 'three';
import {Bodies} from './bodies';
import {colours, modeColour, type Colours} from './colours';
import {Eye} from './eye';
import {colourOf, Lines} from './lines';
import {handlePointer} from './pointer';
import {short, type Run} from './run';

export interface Shown {forces: boolean; velocities: boolean; trails: boolean; follow: string}

export class View {
  private renderer: THREE.WebGLRenderer | null = null;
  private readonly scene = new THREE.Scene();
  private readonly overlay = document.createElement('canvas');
  private readonly bodies = new Bodies();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 1.9);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8d8578, 1.5);
  private readonly middle = new THREE.Vector3();
  private run: Run | null = null;
  private frame = 0;
  private c: Colours = colours();
  private readonly walls = new Lines(2, 1);
  private readonly trails = new Lines(1.8, 2, 1024, 0.5);
  private readonly links = new Lines(3.5, 3);
  private readonly arrows = new Lines(2.5, 9);
  private forceScale = 1;
  private impulseScale = 1;
  private speedScale = 1;
  readonly eye = new Eye();
  shown: Shown = {forces: true, velocities: false, trails: true, follow: ''};
  onRelease: () => void = () => {};  // the camera follows nobody any more

  constructor(private readonly parent: HTMLElement) {
    try {
      this.renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
      this.renderer.setClearColor(0, 0);
      this.renderer.shadowMap.type = THREE.PCFShadowMap;
      parent.append(this.renderer.domElement);
    } catch {
      this.renderer = null;
    }
    this.overlay.setAttribute('aria-hidden', 'true');
    parent.append(this.overlay);
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sky.position.set(0, 0, 1);
    this.scene.add(this.bodies.group, this.sun, this.sun.target, this.sky, ...[this.walls, this.trails, this.links, this.arrows].map(l => l.object));
    new ResizeObserver(() => this.resize()).observe(parent);
    handlePointer(parent, this.eye, moved => {
      if (moved && this.shown.follow) {
        this.shown.follow = '';
        this.onRelease();
      }
      this.draw(this.frame);
    });
  }
  get works(): boolean {
    return this.renderer !== null;
  }
  private get size(): {w: number; h: number} {
    return {w: Math.max(this.parent.clientWidth, 1), h: Math.max(this.parent.clientHeight, 1)};
  }
  private resize(): void {
    const {w, h} = this.size, ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.renderer?.setPixelRatio(ratio);
    this.renderer?.setSize(w, h);
    this.overlay.width = w * ratio;
    this.overlay.height = h * ratio;
    this.overlay.style.width = `${w}px`;
    this.overlay.style.height = `${h}px`;
    this.draw(this.frame);
  }
  setTheme(): void {
    this.c = colours();
    if (this.run) this.show(this.run, true);
  }
  show(run: Run, keepCamera = false): void {
    this.run = run;
    const {box, depth, in_space: deep} = run.motion;
    this.middle.set((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, (depth[0] + depth[1]) / 2);
    this.bodies.show(run, this.c);
    this.walls.hidden = this.links.hidden = this.trails.hidden = deep;
    if (this.renderer) this.renderer.shadowMap.enabled = deep && run.motion.shapes.length <= 400;
    this.placeSun(Math.hypot(box[2] - box[0], box[3] - box[1], depth[1] - depth[0]) || 1);
    this.setScales(run);
    if (!keepCamera || this.eye.inSpace !== deep) this.fit();
    this.draw(Math.min(this.frame, run.motion.frames - 1));
  }
  private placeSun(extent: number): void {
    this.sun.castShadow = true;
    this.sun.position.set(0.5, -0.8, 1.6).multiplyScalar(extent).add(this.middle);
    this.sun.target.position.copy(this.middle);
    const s = this.sun.shadow.camera;
    [s.left, s.right, s.top, s.bottom, s.near, s.far] = [-extent, extent, extent, -extent, 0.1 * extent, 5 * extent];
    s.updateProjectionMatrix();
    this.sun.shadow.bias = -0.002;
  }
  private setScales(run: Run): void {
    const {box, depth} = run.motion, size = Math.max(box[2] - box[0], box[3] - box[1], run.motion.in_space ? depth[1] - depth[0] : 0) || 1;
    this.forceScale = 0.12 * size / (run.motion.force || 1);
    this.impulseScale = 0.12 * size / (run.motion.impulse || 1);
    let fastest = 0;
    const {frames, width, shapes} = run.motion, v = run.arrays.frames;
    for (const s of shapes)
      if (s.moves && s.count === 10)
        for (let i = 0; i < frames; i += Math.max(1, frames >> 6)) {
          const at = i * width + s.first + 7, speed = Math.hypot(v[at], v[at + 1], v[at + 2]);
          if (speed > fastest) fastest = speed;
        }
    this.speedScale = fastest > 0 ? 0.15 * size / fastest : 1;
  }
  fit(): void {
    if (!this.run) return;
    const {w, h} = this.size;
    this.eye.fit(this.run.motion, w, h);
    this.draw(this.frame);
  }

  draw(frame: number): void {
    const run = this.run;
    if (!run || run.motion.frames === 0) return;
    this.frame = Math.max(0, Math.min(frame, run.motion.frames - 1));
    const {w, h} = this.size, v = run.arrays.frames, at = this.frame * run.motion.width;
    if (this.shown.follow) {
      const s = run.motion.shapes.find(x => x.name === this.shown.follow && x.moves);
      if (s) this.eye.follow(v[at + s.first], v[at + s.first + 1], v[at + s.first + 2]);
    }
    this.eye.update(w, h);
    const pp = this.eye.perPixel;
    this.bodies.place(v, at, pp, this.middle);
    this.drawLinks(run, v, at, w, h, pp);
    this.drawArrows(run, v, at, w, h, pp);
    this.drawTrails(run, v, w, h);
    this.drawTexts(run, v, at, w, h, pp);
    this.renderer?.render(this.scene, this.eye.camera);
    this.parent.dataset.frame = String(this.frame);
  }
  private drawLinks(run: Run, v: Float32Array, at: number, w: number, h: number, pp: number): void {
    this.links.begin();
    this.walls.begin();
    for (const s of run.motion.shapes) {
      const f = at + s.first, tint = colourOf(s.colour < 0 ? this.c.wall : this.c.palette[s.colour % 8]);
      if (s.kind === 'wall') this.wall(v, f, w, h, pp);
      else if (s.kind === 'path')
        for (let k = 0; k + 5 < s.count; k += 3) this.links.add(v[f + k], v[f + k + 1], v[f + k + 2], v[f + k + 3], v[f + k + 4], v[f + k + 5], tint);
      else if (s.kind === 'spring')
        for (let k = 0; k + 5 < s.count; k += 3) this.spring(v, f + k, tint, pp);
      else if (s.kind === 'plane') this.grid(v, f, run);
    }
    this.links.end(w, h);
    this.walls.end(w, h);
  }
  private wall(v: Float32Array, f: number, w: number, h: number, pp: number): void {
    const far = 4 * (w + h) * pp, angle = 2 * Math.atan2(v[f + 5], v[f + 6]), dx = Math.cos(angle), dy = Math.sin(angle);
    const along = (this.eye.x - v[f]) * dx + (this.eye.y - v[f + 1]) * dy, gap = 14 * pp, first = Math.round(along / gap) * gap;
    const line = colourOf(this.c.line), x = v[f] + first * dx, y = v[f + 1] + first * dy, count = Math.ceil(Math.hypot(w, h) / 14);
    this.walls.add(x - far * dx, y - far * dy, 0, x + far * dx, y + far * dy, 0, colourOf(this.c.wall));
    for (let k = -count; k <= count; ++k)  // hatching on the side of the wall
      this.walls.add(x + k * gap * dx, y + k * gap * dy, 0, x + (k - 0.5) * gap * dx + 0.5 * gap * dy, y + (k - 0.5) * gap * dy - 0.5 * gap * dx, 0, line);
  }
  private readonly turn = new THREE.Quaternion();
  private readonly axes = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  private grid(v: Float32Array, f: number, run: Run): void {
    const {box, depth} = run.motion, extent = 1.6 * Math.hypot(box[2] - box[0], box[3] - box[1], depth[1] - depth[0]) || 1;
    const power = 10 ** Math.floor(Math.log10(extent / 4)), step = power * (extent / 4 / power >= 5 ? 5 : extent / 4 / power >= 2 ? 2 : 1);
    this.turn.set(v[f + 3], v[f + 4], v[f + 5], v[f + 6]);
    const [a, b, n] = this.axes, tint = colourOf(this.c.line);
    a.set(1, 0, 0).applyQuaternion(this.turn), b.set(0, 1, 0).applyQuaternion(this.turn), n.set(0, 0, 1).applyQuaternion(this.turn);
    if (n.dot(this.eye.towards) <= 0) return;  // seen from behind: walls do not hide what they hold
    const dx = this.middle.x - v[f], dy = this.middle.y - v[f + 1], dz = this.middle.z - v[f + 2];
    const at = [Math.round((dx * a.x + dy * a.y + dz * a.z) / step) * step, Math.round((dx * b.x + dy * b.y + dz * b.z) / step) * step];
    const up = 1e-4 * extent, count = Math.floor(extent / step);
    for (let k = -count; k <= count; ++k) {
      const reach = Math.sqrt(Math.max(extent * extent - k * k * step * step, 0));
      for (const [p, q, s, o] of [[a, b, at[0], at[1]], [b, a, at[1], at[0]]] as const) {
        const x = v[f] + (s + k * step) * p.x + o * q.x + up * n.x, y = v[f + 1] + (s + k * step) * p.y + o * q.y + up * n.y, z = v[f + 2] + (s + k * step) * p.z + o * q.z + up * n.z;
        this.walls.add(x - reach * q.x, y - reach * q.y, z - reach * q.z, x + reach * q.x, y + reach * q.y, z + reach * q.z, tint);
      }
    }
  }
  private readonly dir = new THREE.Vector3();
  private readonly side = new THREE.Vector3();
  private spring(v: Float32Array, f: number, tint: THREE.Color, pp: number): void {
    const d = this.dir.set(v[f + 3] - v[f], v[f + 4] - v[f + 1], v[f + 5] - v[f + 2]), length = d.length() || 1e-12;
    const s = this.side.crossVectors(this.eye.towards, d).normalize(), turns = 12, wide = Math.min(7 * pp, 0.2 * length + 2 * pp);
    let [px, py, pz] = [v[f], v[f + 1], v[f + 2]];
    for (let k = 1; k <= turns + 2; ++k) {
      const part = k === turns + 2 ? 1 : 0.1 + 0.8 * (k - 1) / turns, out = k === 1 || k >= turns + 1 ? 0 : k % 2 ? wide : -wide;
      const x = v[f] + part * d.x + out * s.x, y = v[f + 1] + part * d.y + out * s.y, z = v[f + 2] + part * d.z + out * s.z;
      this.links.add(px, py, pz, x, y, z, tint);
      [px, py, pz] = [x, y, z];
    }
  }
  private arrow(x: number, y: number, z: number, dx: number, dy: number, dz: number, tint: THREE.Color, pp: number): void {
    const length = Math.hypot(dx, dy, dz);
    if (!(length > 3 * pp)) return;
    const f = Math.min(1, 220 * pp / length), d = this.dir.set(dx * f, dy * f, dz * f), head = 9 * pp / d.length();
    const s = this.side.crossVectors(this.eye.towards, d).normalize().multiplyScalar(4.5 * pp);
    const [ex, ey, ez] = [x + d.x, y + d.y, z + d.z];
    this.arrows.add(x, y, z, ex, ey, ez, tint);
    for (const k of [1, -1]) this.arrows.add(ex, ey, ez, ex - head * d.x + k * s.x, ey - head * d.y + k * s.y, ez - head * d.z + k * s.z, tint);
  }
  private drawArrows(run: Run, v: Float32Array, at: number, w: number, h: number, pp: number): void {
    this.arrows.begin();
    const {act_start: start, acts: a} = run.arrays, atOnce = run.side(this.frame) === 'right';
    if (this.shown.forces)
      for (let k = start[this.frame]; k < start[this.frame + 1]; ++k) {
        const o = 8 * k, scale = atOnce ? this.impulseScale : this.forceScale / (a[o + 7] || 1);
        this.arrow(a[o], a[o + 1], a[o + 2], a[o + 3] * scale, a[o + 4] * scale, a[o + 5] * scale, colourOf(modeColour(a[o + 6], this.c)), pp);
      }
    if (this.shown.velocities || run.side(this.frame) !== '') {
      let last = '';
      for (const s of run.motion.shapes)
        if (s.moves && s.count === 10 && (s.name !== last || s.name === '')) {  // a body of several shapes has one velocity
          const f = at + s.first, k = this.speedScale;
          last = s.name;
          this.arrow(v[f], v[f + 1], v[f + 2], v[f + 7] * k, v[f + 8] * k, v[f + 9] * k, colourOf(this.c.ink), pp);
        }
    }
    this.arrows.end(w, h);
  }
  private drawTrails(run: Run, v: Float32Array, w: number, h: number): void {
    this.trails.begin();
    if (this.shown.trails) {
      const {width, shapes} = run.motion, few = shapes.length <= 12;
      for (const s of shapes) {
        if (!s.trail && !(s.moves && s.count === 10 && (few || s.name === this.shown.follow))) continue;
        const tint = colourOf(this.c.palette[Math.max(s.colour, 0) % 8]);
        for (let i = Math.max(0, this.frame - 400); i < this.frame; ++i) {
          const a = i * width + s.first, b = a + width;
          this.trails.add(v[a], v[a + 1], v[a + 2], v[b], v[b + 1], v[b + 2], tint);
        }
      }
    }
    this.trails.end(w, h);
  }
  private drawTexts(run: Run, v: Float32Array, at: number, w: number, h: number, pp: number): void {
    const g = this.overlay.getContext('2d')!, ratio = this.overlay.width / w;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = '13px system-ui, "DejaVu Sans", sans-serif';
    g.fillStyle = this.c.ink;
    for (const s of run.motion.shapes) {
      if (s.kind !== 'text') continue;
      const f = at + s.first, [x, y] = this.eye.project(v[f], v[f + 1], v[f + 2]);
      if (Number.isFinite(x + y)) g.fillText(`${s.text ?? ''}${s.valued ? ` ${short(v[f + 3], 5)}` : ''}`, x + 4, y - 4);
    }
    // a bar that tells the scale
    if (this.eye.inSpace || (run.motion.shapes.some(s => s.count === 10 || s.kind === 'dot') && !run.motion.note.startsWith('each'))) {
      const wanted = 90 * pp, power = 10 ** Math.floor(Math.log10(wanted)), step = ([5, 2, 1].find(k => k * power <= wanted) ?? 1) * power;
      g.fillStyle = this.c.quiet;
      g.fillRect(w - 16 - step / pp, h - 14, step / pp, 2);
      g.textAlign = 'right';
      g.fillText(`${short(step, 3)}${run.quantities[0]?.unit === 'm' || this.eye.inSpace ? ' m' : ''}`, w - 16, h - 20);
      g.textAlign = 'left';
    }
  }
}
