// Line segments with a width in pixels, refilled every frame.
import * as THREE from 'three';
import {LineMaterial} from 'three/examples/jsm/lines/LineMaterial.js';
import {LineSegments2} from 'three/examples/jsm/lines/LineSegments2.js';
import {LineSegmentsGeometry} from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

const known = new Map<string, THREE.Color>();
/** A colour of the page; texts are read once. */
export function colourOf(text: string): THREE.Color {
  let c = known.get(text);
  if (!c) known.set(text, c = new THREE.Color(text));
  return c;
}

export class Lines {
  readonly object: LineSegments2;
  private geometry = new LineSegmentsGeometry();
  private readonly material: LineMaterial;
  private positions!: Float32Array;
  private tints!: Float32Array;
  private places!: THREE.InterleavedBuffer;
  private tintBuffer!: THREE.InterleavedBuffer;
  private used = 0;

  constructor(width: number, order: number, room = 64, opacity = 1) {
    this.material = new LineMaterial({linewidth: width, vertexColors: true, transparent: true, opacity, depthTest: false});
    this.object = new LineSegments2(this.geometry, this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = order;
    this.attach(new Float32Array(room * 6), new Float32Array(room * 6));
  }
  /** Whether solids hide the lines that are behind them. */
  set hidden(on: boolean) {
    this.material.depthTest = on;
  }
  private attach(positions: Float32Array, tints: Float32Array): void {
    this.geometry.dispose();
    this.geometry = new LineSegmentsGeometry();
    this.object.geometry = this.geometry;
    this.geometry.setPositions(positions);
    this.geometry.setColors(tints);
    this.places = (this.geometry.getAttribute('instanceStart') as THREE.InterleavedBufferAttribute).data as THREE.InterleavedBuffer;
    this.tintBuffer = (this.geometry.getAttribute('instanceColorStart') as THREE.InterleavedBufferAttribute).data as THREE.InterleavedBuffer;
    this.positions = this.places.array as Float32Array;
    this.tints = this.tintBuffer.array as Float32Array;
  }
  begin(): void {
    this.used = 0;
  }
  add(x0: number, y0: number, z0: number, x1: number, y1: number, z1: number, colour: THREE.Color): void {
    if (!Number.isFinite(x0 + y0 + z0 + x1 + y1 + z1)) return;
    const at = this.used * 6;
    if (at + 6 > this.positions.length) {
      const p = new Float32Array(this.positions.length * 2), t = new Float32Array(p.length);
      p.set(this.positions);
      t.set(this.tints);
      this.attach(p, t);
    }
    ++this.used;
    const p = this.positions, t = this.tints;
    p[at] = x0, p[at + 1] = y0, p[at + 2] = z0, p[at + 3] = x1, p[at + 4] = y1, p[at + 5] = z1;
    t[at] = t[at + 3] = colour.r, t[at + 1] = t[at + 4] = colour.g, t[at + 2] = t[at + 5] = colour.b;
  }
  end(width: number, height: number): void {
    for (const b of [this.places, this.tintBuffer]) {
      b.clearUpdateRanges();
      b.addUpdateRange(0, this.used * 6);
      b.needsUpdate = true;
    }
    this.geometry.instanceCount = this.used;
    this.object.visible = this.used > 0;
    this.material.resolution.set(width, height);
  }
}
