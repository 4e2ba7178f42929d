// Bodies as instanced meshes: those of one form are one mesh, so that a thousand of them cost a few calls a frame.
import * as THREE from 'three';
import type {Colours} from './colours';
import {colourOf} from './lines';
import type {Run, Shape} from './run';

interface Batch {mesh: THREE.InstancedMesh; shapes: Shape[]; scaled: boolean}
const solids = ['sphere', 'capsule', 'cylinder', 'polytope', 'plane'];
export const isSolid = (s: Shape): boolean => solids.includes(s.kind);

export class Bodies {
  readonly group = new THREE.Group();
  private batches: Batch[] = [];

  show(run: Run, c: Colours): void {
    for (const {mesh} of this.batches) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    this.group.clear();
    this.batches = [];
    const groups = new Map<string, Shape[]>();
    for (const s of run.motion.shapes) {
      const key = keyOf(s);
      if (key === '') continue;
      const list = groups.get(key);
      if (list) list.push(s);
      else groups.set(key, [s]);
    }
    for (const shapes of groups.values()) {
      if (isSolid(shapes[0])) this.addSolid(shapes, run, c);
      else this.addFlat(shapes, c);
    }
  }
  private add(geometry: THREE.BufferGeometry, material: THREE.Material, shapes: Shape[], tint: (s: Shape) => THREE.Color, order: number, scaled: boolean): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(geometry, material, shapes.length);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    shapes.forEach((s, k) => mesh.setColorAt(k, tint(s)));
    this.batches.push({mesh, shapes, scaled});
    this.group.add(mesh);
    return mesh;
  }
  private addFlat(shapes: Shape[], c: Colours): void {
    const first = shapes[0], obstacle = first.colour < 0;
    const flat = (opacity = 1) => new THREE.MeshBasicMaterial({transparent: true, opacity, depthTest: false, side: THREE.DoubleSide});
    const fill = (s: Shape) => colourOf(s.colour < 0 ? c.wall : c.palette[s.colour % 8]);
    const edge = (s: Shape) => fill(s).clone().lerp(colourOf(c.ink), 0.4);
    if (first.kind === 'round' && obstacle) {
      const r = first.radius ?? 1;
      this.add(new THREE.RingGeometry(r, r * 1.012, 128), flat(), shapes, fill, 4, false);
    } else if (first.kind !== 'polygon') {
      this.add(new THREE.CircleGeometry(1, 48), flat(), shapes, edge, 4, true);
      this.add(new THREE.CircleGeometry(0.92, 48), flat(), shapes, fill, 5, true);
      if (first.kind === 'round') this.add(new THREE.PlaneGeometry(0.88, 0.1).translate(0.44, 0, 0), flat(), shapes, edge, 6, true);
    } else {
      const points = (first.points ?? []).map(p => new THREE.Vector2(p[0], p[1]));
      if (points.length < 3) return;
      this.add(new THREE.ShapeGeometry(new THREE.Shape(points)), flat(obstacle ? 0.35 : 1), shapes, obstacle ? fill : edge, 4, false);
      if (!obstacle) this.add(new THREE.ShapeGeometry(new THREE.Shape(inner(points))), flat(), shapes, fill, 5, false);
    }
  }
  private addSolid(shapes: Shape[], run: Run, c: Colours): void {
    const first = shapes[0], {box, depth} = run.motion;
    const extent = Math.hypot(box[2] - box[0], box[3] - box[1], depth[1] - depth[0]) || 1;
    if (first.kind === 'plane') {
      const g = new THREE.CircleGeometry(1.6 * extent, 64);
      const mesh = this.add(g, new THREE.MeshLambertMaterial({transparent: true, opacity: 0.55, depthWrite: false}), shapes, () => colourOf(c.ground), 0, false);
      mesh.receiveShadow = true;
      return;
    }
    const material = new THREE.MeshLambertMaterial({vertexColors: first.kind !== 'polytope', flatShading: first.kind === 'polytope', side: THREE.DoubleSide,
      transparent: first.colour < 0, opacity: first.colour < 0 ? 0.45 : 1});
    const mesh = this.add(solidGeometry(first), material, shapes, s => colourOf(s.colour < 0 ? c.wall : c.palette[s.colour % 8]), 3, first.kind === 'sphere');
    mesh.castShadow = first.colour >= 0;
    mesh.receiveShadow = true;
  }

  /** Poses of one frame; `pp` is the length of a pixel, for dots without a size. */
  place(v: Float32Array, at: number, pp: number, centre: THREE.Vector3): void {
    for (const b of this.batches) {
      const m = b.mesh.instanceMatrix.array as Float32Array;
      for (let k = 0; k < b.shapes.length; ++k) {
        const s = b.shapes[k], f = at + s.first, o = 16 * k;
        const r = s.kind === 'dot' ? s.radius || 5 * pp : b.scaled ? s.radius ?? 1 : 1;
        const rigid = s.count === 10;
        let x = v[f], y = v[f + 1], z = v[f + 2];
        if (!Number.isFinite(x + y + z)) {
          m.fill(0, o, o + 16);
          continue;
        }
        const qx = rigid ? v[f + 3] : 0, qy = rigid ? v[f + 4] : 0, qz = rigid ? v[f + 5] : 0, qw = rigid ? v[f + 6] : 1;
        m[o] = r * (1 - 2 * (qy * qy + qz * qz)), m[o + 1] = r * 2 * (qx * qy + qz * qw), m[o + 2] = r * 2 * (qx * qz - qy * qw), m[o + 3] = 0;
        m[o + 4] = r * 2 * (qx * qy - qz * qw), m[o + 5] = r * (1 - 2 * (qx * qx + qz * qz)), m[o + 6] = r * 2 * (qy * qz + qx * qw), m[o + 7] = 0;
        m[o + 8] = r * 2 * (qx * qz + qy * qw), m[o + 9] = r * 2 * (qy * qz - qx * qw), m[o + 10] = r * (1 - 2 * (qx * qx + qy * qy)), m[o + 11] = 0;
        if (s.kind === 'plane') {  // without end: the piece of it that is below the middle of the motion
          const nx = m[o + 8], ny = m[o + 9], nz = m[o + 10], away = (centre.x - x) * nx + (centre.y - y) * ny + (centre.z - z) * nz;
          [x, y, z] = [centre.x - away * nx, centre.y - away * ny, centre.z - away * nz];
        }
        m[o + 12] = x, m[o + 13] = y, m[o + 14] = z, m[o + 15] = 1;
      }
      b.mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Shapes of one key are one mesh; '' is no body. */
function keyOf(s: Shape): string {
  const obstacle = s.colour < 0;
  if (s.kind === 'dot') return 'dot';
  if (s.kind === 'round') return obstacle ? `ring${s.radius}` : 'round';
  if (s.kind === 'polygon') return `polygon${obstacle}${JSON.stringify(s.points)}`;
  if (s.kind === 'sphere' || s.kind === 'plane') return `${s.kind}${obstacle}`;
  return isSolid(s) ? `${s.kind}${obstacle}${s.radius}|${s.half}|${JSON.stringify(s.corners)}` : '';
}

/** The outline moved inwards by a fortieth of its size; of convex outlines. */
function inner(points: THREE.Vector2[]): THREE.Vector2[] {
  const n = points.length, reach = Math.max(...points.map(p => p.length()));
  let area = 0;
  points.forEach((p, k) => (area += p.cross(points[(k + 1) % n]) / 2));
  const thick = Math.min(0.03 * reach, 0.12 * Math.abs(area) / reach) * Math.sign(area || 1);
  return points.map((p, k) => {
    const a = p.clone().sub(points[(k + n - 1) % n]).normalize(), b = points[(k + 1) % n].clone().sub(p).normalize();
    const turn = Math.max(1 + a.dot(b), 0.2);  // the two sides meet at p + d (na + nb) / (1 + cos)
    return new THREE.Vector2(p.x - thick * (a.y + b.y) / turn, p.y + thick * (a.x + b.x) / turn);
  });
}

/** Two tones by sectors, so that turning is seen. */
function sectors(g: THREE.BufferGeometry, count: number, byHalf: boolean): THREE.BufferGeometry {
  const flat = g.index ? g.toNonIndexed() : g, p = flat.getAttribute('position'), tones = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i += 3) {
    const x = (p.getX(i) + p.getX(i + 1) + p.getX(i + 2)) / 3, y = (p.getY(i) + p.getY(i + 1) + p.getY(i + 2)) / 3, z = (p.getZ(i) + p.getZ(i + 1) + p.getZ(i + 2)) / 3;
    const sector = Math.floor((Math.atan2(y, x) / (2 * Math.PI) + 1) * count) + (byHalf && z < 0 ? 1 : 0);
    tones.fill(sector % 2 ? 0.62 : 1, 3 * i, 3 * i + 9);
  }
  flat.setAttribute('color', new THREE.BufferAttribute(tones, 3));
  return flat;
}

function solidGeometry(s: Shape): THREE.BufferGeometry {
  const r = s.radius ?? 0, half = s.half ?? 0;
  if (s.kind === 'sphere') return sectors(new THREE.SphereGeometry(1, 32, 20).rotateX(Math.PI / 2), 4, true);
  if (s.kind === 'capsule') return sectors(new THREE.CapsuleGeometry(r, 2 * half, 10, 24).rotateX(Math.PI / 2), 4, true);
  if (s.kind === 'cylinder') return sectors(new THREE.CylinderGeometry(r, r, Math.max(2 * half, 0.004 * r), 40).rotateX(Math.PI / 2), 4, false);
  const at: number[] = [];
  for (const face of s.faces ?? [])
    for (let k = 1; k + 1 < face.length; ++k) for (const i of [face[0], face[k], face[k + 1]]) at.push(...(s.corners?.[i] ?? [0, 0, 0]));
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(at, 3));
  g.computeVertexNormals();
  return g;
}
