// Where the motion is seen from: along z without perspective where it is plane, else from a point that goes around it, z upwards.
import * as THREE from 'three';
import type {Motion} from './run';

export class Eye {
  private readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly deep = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
  private readonly target = new THREE.Vector3();
  private readonly spot = new THREE.Vector3();
  private readonly back = new THREE.Vector3(0, 0, 1);
  private pixel = 0.01;
  private distance = 1;
  private azimuth = -1.05;
  private elevation = 0.42;
  private width = 1;
  private height = 1;
  inSpace = false;

  get camera(): THREE.Camera {
    return this.inSpace ? this.deep : this.flat;
  }
  /** The length of a pixel where the eye looks. */
  get perPixel(): number {
    return this.inSpace ? 2 * this.distance * Math.tan(this.deep.fov * Math.PI / 360) / this.height : this.pixel;
  }
  get x(): number {
    return this.target.x;
  }
  get y(): number {
    return this.target.y;
  }
  /** From what is seen to the eye. */
  get towards(): THREE.Vector3 {
    return this.back;
  }
  fit(m: Motion, w: number, h: number): void {
    const [x0, y0, x1, y1] = m.box, [z0, z1] = m.depth ?? [0, 0];
    this.inSpace = m.in_space === true;
    [this.width, this.height] = [w, h];
    this.target.set((x0 + x1) / 2, (y0 + y1) / 2, this.inSpace ? (z0 + z1) / 2 : 0);
    const above = w > 600 ? 34 : 0;  // pixels under the tools
    this.pixel = 1.14 * Math.max((x1 - x0) / w, (y1 - y0) / Math.max(h - above, 1)) || 0.01;
    if (!this.inSpace) this.target.y += above / 2 * this.pixel;
    const half = 0.5 * Math.hypot(x1 - x0, y1 - y0, z1 - z0) || 1, narrow = Math.min(1, w / h);
    this.distance = 0.86 * half / Math.sin(this.deep.fov * Math.PI / 360) / narrow;
    [this.azimuth, this.elevation] = [-1.05, 0.42];
  }
  follow(x: number, y: number, z: number): void {
    if (Number.isFinite(x + y + z)) this.target.set(x, y, z);
  }
  update(w: number, h: number): void {
    [this.width, this.height] = [w, h];
    if (this.inSpace) {
      const c = Math.cos(this.elevation), d = this.distance;
      this.back.set(c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation));
      this.deep.up.set(0, 0, 1);
      this.deep.position.copy(this.back).multiplyScalar(d).add(this.target);
      this.deep.lookAt(this.target);
      this.deep.aspect = w / h;
      [this.deep.near, this.deep.far] = [d / 200, d * 40];
      this.deep.updateProjectionMatrix();
      this.deep.updateMatrixWorld();
      return;
    }
    this.back.set(0, 0, 1);
    const pp = this.pixel, {x, y} = this.target;
    [this.flat.left, this.flat.right, this.flat.top, this.flat.bottom] = [x - w / 2 * pp, x + w / 2 * pp, y + h / 2 * pp, y - h / 2 * pp];
    this.flat.updateProjectionMatrix();
  }
  /** Where a place is on the screen, in pixels from the upper left. */
  project(x: number, y: number, z: number): [number, number] {
    this.spot.set(x, y, z).project(this.camera);
    return [(this.spot.x + 1) / 2 * this.width, (1 - this.spot.y) / 2 * this.height];
  }
  move(dx: number, dy: number): void {
    const pp = this.perPixel;
    if (!this.inSpace) {
      this.target.x -= dx * pp;
      this.target.y += dy * pp;
      return;
    }
    const right = new THREE.Vector3(-Math.sin(this.azimuth), Math.cos(this.azimuth), 0), up = new THREE.Vector3().crossVectors(this.back, right);
    this.target.addScaledVector(right, -dx * pp).addScaledVector(up, dy * pp);
  }
  turn(dx: number, dy: number): void {
    this.azimuth -= dx * 0.008;
    this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + dy * 0.008));
  }
  /** About a place of the screen, from its middle, upwards positive. */
  zoom(factor: number, mx = 0, my = 0): void {
    if (this.inSpace) {
      this.distance *= factor;
      return;
    }
    this.target.x += mx * this.pixel * (1 - factor);
    this.target.y += my * this.pixel * (1 - factor);
    this.pixel *= factor;
  }
}
