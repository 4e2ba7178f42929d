// The motion in three.js. Places and orientations are those of space; systems of the plane are seen by a camera without
// perspective. Bodies of one outline are one instanced mesh, so that a thousand of them cost a few calls a frame.
import * as THREE from 'three';
import {LineMaterial} from 'three/examples/jsm/lines/LineMaterial.js';
import {LineSegments2} from 'three/examples/jsm/lines/LineSegments2.js';
import {LineSegmentsGeometry} from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import {colours, modeColour, type Colours} from './colours';
import {short, type Run, type Shape} from './run';

interface Batch {mesh: THREE.InstancedMesh; shapes: Shape[]; scaled: boolean}
export interface Shown {forces: boolean; velocities: boolean; trails: boolean; follow: string}

/** Line segments with a width in pixels, refilled every frame. */
class Lines {
  readonly object: LineSegments2;
  private readonly geometry = new LineSegmentsGeometry();
  private readonly material: LineMaterial;
  private positions: Float32Array;
  private tints: Float32Array;
  private used = 0;
  private readonly tint = new THREE.Color();
  private starts!: THREE.InterleavedBuffer;
  private tintBuffer!: THREE.InterleavedBuffer;

  constructor(width: number, room = 64, opacity = 1) {
    this.material = new LineMaterial({linewidth: width, vertexColors: true, transparent: opacity < 1, opacity, depthTest: false});
    this.positions = new Float32Array(room * 6);
    this.tints = new Float32Array(room * 6);
    this.attach();
    this.object = new LineSegments2(this.geometry, this.material);
    this.object.frustumCulled = false;
  }
  private attach(): void {
    this.geometry.setPositions(this.positions);
    this.geometry.setColors(this.tints);
    this.starts = (this.geometry.getAttribute('instanceStart') as THREE.InterleavedBufferAttribute).data as THREE.InterleavedBuffer;
    this.tintBuffer = (this.geometry.getAttribute('instanceColorStart') as THREE.InterleavedBufferAttribute).data as THREE.InterleavedBuffer;
  }
  begin(): void {
    this.used = 0;
  }
  add(x0: number, y0: number, z0: number, x1: number, y1: number, z1: number, colour: string): void {
    const s = x0 + y0 + z0 + x1 + y1 + z1;
    if (!Number.isFinite(s)) return;
    if ((this.used + 1) * 6 > this.positions.length) {
      const p = new Float32Array(this.positions.length * 2), t = new Float32Array(p.length);
      p.set(this.positions);
      t.set(this.tints);
      [this.positions, this.tints] = [p, t];
      this.attach();
    }
    const at = this.used++ * 6;
    this.positions.set([x0, y0, z0, x1, y1, z1], at);
    this.tint.set(colour);
    const {r, g, b} = this.tint;
    this.tints.set([r, g, b, r, g, b], at);
  }
  end(width: number, height: number): void {
    (this.starts.array as Float32Array).set(this.positions.subarray(0, this.used * 6));
    (this.tintBuffer.array as Float32Array).set(this.tints.subarray(0, this.used * 6));
    this.starts.needsUpdate = this.tintBuffer.needsUpdate = true;
    this.geometry.instanceCount = this.used;
    this.object.visible = this.used > 0;
    this.material.resolution.set(width, height);
  }
}

export class View {
  private renderer: THREE.WebGLRenderer | null = null;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly overlay = document.createElement('canvas');
  private batches: Batch[] = [];
  private run: Run | null = null;
  private frame = 0;
  private c: Colours = colours();
  private readonly links = new Lines(3);
  private readonly walls = new Lines(2);
  private readonly arrows = new Lines(2.5);
  private readonly trails = new Lines(1.5, 1024, 0.55);
  private centre = {x: 0, y: 0};
  private perPixel = 0.01;
  private forceScale = 1;
  private speedScale = 1;
  shown: Shown = {forces: true, velocities: false, trails: true, follow: ''};
  /** Milliseconds of script that the last frame took, without the driver's rendering. */
  scriptTime = 0;

  constructor(private readonly parent: HTMLElement) {
    try {
      this.renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
      this.renderer.setClearColor(0, 0);
      parent.append(this.renderer.domElement);
    } catch {
      this.renderer = null;
    }
    parent.append(this.overlay);
    this.scene.add(this.trails.object, this.walls.object, this.links.object, this.arrows.object);
    this.walls.object.renderOrder = 1;
    this.trails.object.renderOrder = 2;
    this.links.object.renderOrder = 3;
    this.arrows.object.renderOrder = 9;
    new ResizeObserver(() => this.resize()).observe(parent);
    this.handlePointer();
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
    for (const b of this.batches) {
      this.scene.remove(b.mesh);
      b.mesh.geometry.dispose();
      (b.mesh.material as THREE.Material).dispose();
      b.mesh.dispose();
    }
    this.batches = [];
    this.run = run;
    const groups = new Map<string, Shape[]>();
    for (const s of run.motion.shapes) {
      if (s.kind !== 'round' && s.kind !== 'polygon' && s.kind !== 'dot') continue;
      const key = s.kind === 'polygon' ? `p${s.colour < 0}${JSON.stringify(s.points)}` : s.kind === 'round' && s.colour < 0 ? `ring${s.radius}` : 'disc';
      groups.set(key, [...(groups.get(key) ?? []), s]);
    }
    for (const [key, shapes] of groups) this.addBatch(key, shapes);
    this.setScales(run);
    if (!keepCamera) this.fit();
    this.draw(Math.min(this.frame, run.motion.frames - 1));
  }
  private addBatch(key: string, shapes: Shape[]): void {
    const first = shapes[0];
    const add = (geometry: THREE.BufferGeometry, tint: (s: Shape) => string, z: number, scaled: boolean, opacity = 1) => {
      const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({transparent: opacity < 1, opacity, depthTest: false, side: THREE.DoubleSide}), shapes.length);
      mesh.frustumCulled = false;
      mesh.renderOrder = z;
      const colour = new THREE.Color();
      shapes.forEach((s, k) => mesh.setColorAt(k, colour.set(tint(s))));
      this.batches.push({mesh, shapes, scaled});
      this.scene.add(mesh);
    };
    const fill = (s: Shape) => s.colour < 0 ? this.c.wall : this.c.palette[s.colour % 8];
    const dark = new THREE.Color();
    const edge = (s: Shape) => `#${dark.set(fill(s)).lerp(new THREE.Color(this.c.ink), 0.45).getHexString()}`;
    if (key.startsWith('ring')) {
      const r = first.radius ?? 1;
      add(new THREE.RingGeometry(r, r * 1.012, 96), fill, 4, false);
    } else if (key === 'disc') {
      add(new THREE.CircleGeometry(1, 40), edge, 4, true);
      add(new THREE.CircleGeometry(0.93, 40), fill, 5, true);
      if (shapes.some(s => s.kind === 'round')) add(new THREE.PlaneGeometry(0.9, 0.09).translate(0.45, 0, 0), edge, 6, true);
    } else {
      const points = (first.points ?? []).map(p => new THREE.Vector2(p[0], p[1]));
      if (points.length < 3) return;
      const reach = Math.max(...points.map(p => p.length()));
      add(new THREE.ShapeGeometry(new THREE.Shape(points)), first.colour < 0 ? fill : edge, 4, false, first.colour < 0 ? 0.35 : 1);
      const thin = 1 - Math.min(0.2, 0.012 * reach / Math.max(Math.min(...points.map(p => p.length())), 1e-12));
      if (first.colour >= 0) add(new THREE.ShapeGeometry(new THREE.Shape(points.map(p => p.clone().multiplyScalar(thin)))), fill, 5, false);
    }
  }
  private setScales(run: Run): void {
    const {box} = run.motion, size = Math.max(box[2] - box[0], box[3] - box[1]) || 1;
    const a = run.arrays.acts, forces: number[] = [];
    for (let i = 0; i < a.length; i += 8) {
      const f = Math.hypot(a[i + 3], a[i + 4], a[i + 5]) / (a[i + 7] || 1);
      if (f > 0 && Number.isFinite(f)) forces.push(f);
    }
    forces.sort((x, y) => x - y);
    const typical = forces[Math.floor(forces.length * 0.9)] ?? 1;
    this.forceScale = 0.12 * size / typical;
    let fastest = 0;
    const {frames, width, shapes} = run.motion, v = run.arrays.frames;
    for (const s of shapes)
      if (s.moves && s.count === 10)
        for (let i = 0; i < frames; i += Math.max(1, frames >> 6)) fastest = Math.max(fastest, Math.hypot(v[i * width + s.first + 7], v[i * width + s.first + 8]));
    this.speedScale = fastest > 0 ? 0.15 * size / fastest : 1;
  }
  fit(): void {
    if (!this.run) return;
    const [x0, y0, x1, y1] = this.run.motion.box, {w, h} = this.size;
    this.centre = {x: (x0 + x1) / 2, y: (y0 + y1) / 2};
    this.perPixel = 1.18 * Math.max((x1 - x0) / w, (y1 - y0) / h) || 0.01;
    this.draw(this.frame);
  }

  draw(frame: number): void {
    const run = this.run;
    if (!run || run.motion.frames === 0) return;
    const start = performance.now();
    this.frame = Math.max(0, Math.min(frame, run.motion.frames - 1));
    const {w, h} = this.size, {width} = run.motion;
    const v = run.arrays.frames, at = this.frame * width;
    if (this.shown.follow) {
      const s = run.motion.shapes.find(x => x.name === this.shown.follow && x.moves);
      if (s && Number.isFinite(v[at + s.first])) this.centre = {x: v[at + s.first], y: v[at + s.first + 1]};
    }
    const pp = this.perPixel;
    this.camera.left = this.centre.x - w / 2 * pp;
    this.camera.right = this.centre.x + w / 2 * pp;
    this.camera.top = this.centre.y + h / 2 * pp;
    this.camera.bottom = this.centre.y - h / 2 * pp;
    this.camera.updateProjectionMatrix();
    for (const b of this.batches) this.place(b, v, at, pp);
    this.drawLinks(run, v, at, w, h, pp);
    this.drawArrows(run, v, at, w, h, pp);
    this.drawTrails(run, v, w, h);
    this.drawTexts(run, v, at, w, h, pp);
    this.scriptTime = performance.now() - start;
    this.renderer?.render(this.scene, this.camera);
    this.parent.dataset.frame = String(this.frame);
  }
  private place(b: Batch, v: Float32Array, at: number, pp: number): void {
    const m = b.mesh.instanceMatrix.array as Float32Array;
    for (let k = 0; k < b.shapes.length; ++k) {
      const s = b.shapes[k], f = at + s.first, o = 16 * k;
      const r = s.kind === 'dot' ? s.radius || 5 * pp : b.scaled ? s.radius ?? 1 : 1;
      const rigid = s.count === 10;
      const x = v[f + 0], y = v[f + 1], z = v[f + 2];
      if (!Number.isFinite(x + y)) {
        m.fill(0, o, o + 16);
        continue;
      }
      const qx = rigid ? v[f + 3] : 0, qy = rigid ? v[f + 4] : 0, qz = rigid ? v[f + 5] : 0, qw = rigid ? v[f + 6] : 1;
      m[o] = r * (1 - 2 * (qy * qy + qz * qz)), m[o + 1] = r * 2 * (qx * qy + qz * qw), m[o + 2] = r * 2 * (qx * qz - qy * qw), m[o + 3] = 0;
      m[o + 4] = r * 2 * (qx * qy - qz * qw), m[o + 5] = r * (1 - 2 * (qx * qx + qz * qz)), m[o + 6] = r * 2 * (qy * qz + qx * qw), m[o + 7] = 0;
      m[o + 8] = r * 2 * (qx * qz + qy * qw), m[o + 9] = r * 2 * (qy * qz - qx * qw), m[o + 10] = r * (1 - 2 * (qx * qx + qy * qy)), m[o + 11] = 0;
      m[o + 12] = x, m[o + 13] = y, m[o + 14] = z, m[o + 15] = 1;
    }
    b.mesh.instanceMatrix.needsUpdate = true;
  }
  private drawLinks(run: Run, v: Float32Array, at: number, w: number, h: number, pp: number): void {
    this.links.begin();
    this.walls.begin();
    const far = 4 * (w + h) * pp;
    for (const s of run.motion.shapes) {
      const f = at + s.first;
      if (s.kind === 'wall') {
        const angle = 2 * Math.atan2(v[f + 5], v[f + 6]), dx = Math.cos(angle), dy = Math.sin(angle);
        const along = (this.centre.x - v[f]) * dx + (this.centre.y - v[f + 1]) * dy;
        const x = v[f] + along * dx, y = v[f + 1] + along * dy;
        this.walls.add(x - far * dx, y - far * dy, 0, x + far * dx, y + far * dy, 0, this.c.wall);
        const gap = 14 * pp;  // hatching below it
        for (let k = -Math.ceil(w / 14); k <= Math.ceil(w / 14); ++k)
          this.walls.add(x + k * gap * dx, y + k * gap * dy, 0, x + (k - 0.5) * gap * dx + 0.5 * gap * dy, y + (k - 0.5) * gap * dy - 0.5 * gap * dx, 0, this.c.line);
      } else if (s.kind === 'path') {
        for (let k = 0; k + 5 < s.count; k += 3)
          this.links.add(v[f + k], v[f + k + 1], v[f + k + 2], v[f + k + 3], v[f + k + 4], v[f + k + 5], s.colour < 0 ? this.c.wall : this.c.palette[s.colour % 8]);
      } else if (s.kind === 'spring') {
        for (let k = 0; k + 5 < s.count; k += 3) this.spring(v, f + k, s.colour, pp);
      }
    }
    this.links.end(w, h);
    this.walls.end(w, h);
  }
  private spring(v: Float32Array, f: number, colour: number, pp: number): void {
    const [x0, y0, x1, y1] = [v[f], v[f + 1], v[f + 3], v[f + 4]];
    const length = Math.hypot(x1 - x0, y1 - y0) || 1e-12, dx = (x1 - x0) / length, dy = (y1 - y0) / length;
    const tint = this.c.palette[Math.max(colour, 0) % 8], turns = 12, wide = Math.min(7 * pp, 0.2 * length + 2 * pp);
    let px = x0, py = y0;
    for (let k = 1; k <= turns + 2; ++k) {
      const part = k === turns + 2 ? 1 : 0.1 + 0.8 * (k - 1) / turns, side = k === 1 || k >= turns + 1 ? 0 : k % 2 ? wide : -wide;
      const x = x0 + part * length * dx - side * dy, y = y0 + part * length * dy + side * dx;
      this.links.add(px, py, 0, x, y, 0, tint);
      [px, py] = [x, y];
    }
  }
  private arrow(x: number, y: number, dx: number, dy: number, tint: string, pp: number): void {
    const length = Math.hypot(dx, dy);
    if (!(length > 3 * pp)) return;
    const most = 220 * pp, f = length > most ? most / length : 1;
    [dx, dy] = [dx * f, dy * f];
    const head = 8 * pp / Math.hypot(dx, dy);
    this.arrows.add(x, y, 0, x + dx, y + dy, 0, tint);
    for (const s of [1, -1])
      this.arrows.add(x + dx, y + dy, 0, x + dx - head * (dx + 0.5 * s * dy), y + dy - head * (dy - 0.5 * s * dx), 0, tint);
  }
  private drawArrows(run: Run, v: Float32Array, at: number, w: number, h: number, pp: number): void {
    this.arrows.begin();
    const {act_start: start, acts: a} = run.arrays;
    if (this.shown.forces)
      for (let k = start[this.frame]; k < start[this.frame + 1]; ++k) {
        const o = 8 * k, scale = this.forceScale / (a[o + 7] || 1);
        this.arrow(a[o], a[o + 1], a[o + 3] * scale, a[o + 4] * scale, modeColour(a[o + 6], this.c), pp);
      }
    if (this.shown.velocities || run.side(this.frame) !== '')
      for (const s of run.motion.shapes)
        if (s.moves && s.count === 10) {
          const f = at + s.first;
          this.arrow(v[f], v[f + 1], v[f + 7] * this.speedScale, v[f + 8] * this.speedScale, this.c.ink, pp);
        }
    this.arrows.end(w, h);
  }
  private drawTrails(run: Run, v: Float32Array, w: number, h: number): void {
    this.trails.begin();
    if (this.shown.trails) {
      const {width, shapes} = run.motion;
      const marked = shapes.filter(s => s.trail || (s.moves && s.count === 10 && (shapes.length <= 12 || s.name === this.shown.follow)));
      const from = Math.max(0, this.frame - 400);
      for (const s of marked)
        for (let i = from; i < this.frame; ++i) {
          const a = i * width + s.first, b = a + width;
          this.trails.add(v[a], v[a + 1], v[a + 2], v[b], v[b + 1], v[b + 2], this.c.palette[Math.max(s.colour, 0) % 8]);
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
      const f = at + s.first, x = (v[f] - this.centre.x) / pp + w / 2, y = h / 2 - (v[f + 1] - this.centre.y) / pp;
      if (Number.isFinite(x + y)) g.fillText(`${s.text ?? ''}${s.valued ? ` ${short(v[f + 3], 5)}` : ''}`, x + 4, y - 4);
    }
    // a bar that tells the scale
    if (run.motion.shapes.some(s => s.count === 10 || s.kind === 'dot') && !run.motion.note.startsWith('each')) {
      const wanted = 90 * pp, power = 10 ** Math.floor(Math.log10(wanted)), step = [5, 2, 1].find(k => k * power <= wanted)! * power;
      g.fillStyle = this.c.quiet;
      g.fillRect(w - 16 - step / pp, h - 14, step / pp, 2);
      const label = `${short(step, 3)}${run.quantities[0]?.unit === 'm' ? ' m' : ''}`;
      g.fillText(label, w - 16 - step / pp, h - 20);
    }
  }
  private handlePointer(): void {
    const pointers = new Map<number, {x: number; y: number}>();
    this.parent.addEventListener('pointerdown', e => {
      pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
      this.parent.setPointerCapture(e.pointerId);
    });
    this.parent.addEventListener('pointermove', e => {
      const p = pointers.get(e.pointerId);
      if (!p) return;
      const others = [...pointers].filter(([id]) => id !== e.pointerId);
      if (others.length > 0) {  // two fingers zoom
        const o = others[0][1], before = Math.hypot(p.x - o.x, p.y - o.y), now = Math.hypot(e.clientX - o.x, e.clientY - o.y);
        if (before > 0 && now > 0) this.perPixel *= before / now;
      } else {
        this.shown.follow = '';
        this.centre.x -= (e.clientX - p.x) * this.perPixel;
        this.centre.y += (e.clientY - p.y) * this.perPixel;
      }
      pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
      this.draw(this.frame);
    });
    for (const name of ['pointerup', 'pointercancel'] as const) this.parent.addEventListener(name, e => pointers.delete(e.pointerId));
    this.parent.addEventListener('wheel', e => {
      e.preventDefault();
      const {w, h} = this.size, box = this.parent.getBoundingClientRect();
      const mx = e.clientX - box.left - w / 2, my = h / 2 - (e.clientY - box.top), factor = Math.exp(e.deltaY * 0.0012);
      this.centre.x += mx * this.perPixel * (1 - factor);
      this.centre.y += my * this.perPixel * (1 - factor);
      this.perPixel *= factor;
      this.draw(this.frame);
    }, {passive: false});
  }
  get works(): boolean {
    return this.renderer !== null;
  }
}
