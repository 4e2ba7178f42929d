// Files of results: read with h5wasm, shown by the module. Layout: docs/reference/results.md.
import type {Reply, Saltus, Samples} from './saltus';

interface Item {value: unknown; shape?: number[] | null}
interface Hdf5File {
  get(path: string): (Item & {to_array?: () => unknown}) | null;
  attrs: Record<string, {value: unknown}>;
  close(): number;
}

const largest = 500_000_000;

function numbers(f: Hdf5File, path: string): Float64Array {
  const item = f.get(path);
  if (!item) return new Float64Array();
  const v = item.value;
  if (v instanceof Float64Array) return v;
  if (v instanceof BigInt64Array || v instanceof BigUint64Array) return Float64Array.from(v, Number);
  if (ArrayBuffer.isView(v)) return Float64Array.from(v as unknown as ArrayLike<number>);
  return new Float64Array();
}
function text(f: Hdf5File, name: string): string {
  const v = f.attrs[name]?.value;
  return typeof v === 'string' ? v : '';
}
function number(f: Hdf5File, name: string): number | null {
  const v = f.attrs[name]?.value;
  const x = typeof v === 'bigint' ? Number(v) : v;
  return typeof x === 'number' && Number.isFinite(x) ? x : null;
}
const lines = (s: string) => s.split('\n').filter(x => x !== '');

/** Rows of dense output: start, length, end, coefficients of q, then of u. */
function denseRows(f: Hdf5File): Float64Array {
  const t = numbers(f, 'dense/t'), length = numbers(f, 'dense/length'), end = numbers(f, 'dense/end');
  const q = numbers(f, 'dense/q'), u = numbers(f, 'dense/u');
  const n = t.length;
  if (n === 0 || q.length % n !== 0 || u.length % n !== 0) return new Float64Array();
  const a = q.length / n, b = u.length / n, row = 3 + a + b;
  const out = new Float64Array(n * row);
  for (let i = 0; i < n; ++i) {
    out.set([t[i], length[i], end[i]], i * row);
    out.set(q.subarray(i * a, (i + 1) * a), i * row + 3);
    out.set(u.subarray(i * b, (i + 1) * b), i * row + 3 + a);
  }
  return out;
}

/** The bits of 64-bit ids as numbers: a number holds 53 of them as a value. */
function bits(f: Hdf5File, path: string): Float64Array {
  const v = f.get(path)?.value;
  return v instanceof BigUint64Array || v instanceof BigInt64Array ? new Float64Array(v.slice().buffer) : new Float64Array();
}
/** Columns, and a block of `width` numbers, as rows; none where a column is missing. */
function rowsOf(columns: Float64Array[], block: Float64Array, width: number): Float64Array {
  const n = columns[0].length, row = columns.length + width;
  if (columns.some(c => c.length !== n) || block.length !== n * width) return new Float64Array();
  const out = new Float64Array(n * row);
  for (let i = 0; i < n; ++i) {
    columns.forEach((c, k) => (out[i * row + k] = c[i]));
    out.set(block.subarray(i * width, (i + 1) * width), i * row + columns.length);
  }
  return out;
}
const eventRows = (f: Hdf5File) => rowsOf([numbers(f, 'events/t'), numbers(f, 'events/kind'), numbers(f, 'events/energy_loss'), bits(f, 'events/contact')], numbers(f, 'events/impulse'), 6);
const contactRows = (f: Hdf5File) => rowsOf([numbers(f, 'contacts/sample'), bits(f, 'contacts/contact'), numbers(f, 'contacts/mode'), numbers(f, 'contacts/rows')], numbers(f, 'contacts/impulse'), 6);

export interface ResultFile {
  samples: Samples;
  scene: string;
  problem: string;
  sets: string[];
  settings: Record<string, string>;
  scheme: string;
  stepping: string;
  t_end: number | null;
  stepped_from: number | null;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  report: Record<string, any>;
}

/** What a file holds. Throws Error where it is no result. */
export function readResult(f: Hdf5File): ResultFile {
  const layout = number(f, 'layout');
  if (layout === null || !f.get('samples/t')) throw new Error('this HDF5 file is not a result of saltus (it has no samples)');
  if (layout !== 1) throw new Error(`this result has layout ${layout}; the page reads layout 1`);
  const samples = {t: numbers(f, 'samples/t'), q: numbers(f, 'samples/q'), u: numbers(f, 'samples/u'), dense: denseRows(f), events: eventRows(f), contacts: contactRows(f)};
  const settings: Record<string, string> = {};
  const scene = text(f, 'scene');
  for (const line of lines(text(f, 'given'))) {
    const at = line.indexOf('=');
    if (at > 0) settings[line.slice(0, at)] = line.slice(at + 1);
  }
  const kinds = text(f, 'kinds').split(','), modes = text(f, 'modes').split(',');
  const et = numbers(f, 'events/t'), kind = numbers(f, 'events/kind'), contact = numbers(f, 'events/contact');
  const from = numbers(f, 'events/from'), to = numbers(f, 'events/to'), loss = numbers(f, 'events/energy_loss');
  const impulse = numbers(f, 'events/impulse'), before = numbers(f, 'events/u_minus'), after = numbers(f, 'events/u_plus');
  const ids = numbers(f, 'names/contact');
  const names = (f.get('names/name')?.value ?? []) as string[];
  const nameOf = (id: number): string => String(names[ids.indexOf(id)] ?? `contact ${id}`);
  const row = (x: Float64Array, i: number): number[] => [...x.subarray(6 * i, 6 * i + 6)].filter(Number.isFinite);
  const events = [...et].map((t, i) => ({t, contact: nameOf(contact[i]), kind: kinds[kind[i]] ?? '?', from: modes[from[i]] ?? '?',
    to: modes[to[i]] ?? '?', impulse: row(impulse, i), u_minus: row(before, i), u_plus: row(after, i), energy_loss: loss[i] ?? null}));
  const n = samples.t.length, nq = n > 0 ? samples.q.length / n : 0, nu = n > 0 ? samples.u.length / n : 0;
  const ledger: Record<string, number | null> = {};
  for (const key of ['energy_start', 'energy_end', 'work', 'damping', 'friction', 'impacts', 'remainder', 'penetration', 'drift'])
    ledger[key] = number(f, `ledger_${key}`);
  return {
    samples, scene, problem: text(f, 'problem'), sets: lines(text(f, 'changes')), settings,
    scheme: text(f, 'scheme'), stepping: text(f, 'stepping'), t_end: number(f, 't_end'),
    stepped_from: number(f, 'stepped_from'),
    report: {
      status: text(f, 'status') || 'unknown', message: text(f, 'message'), warnings: lines(text(f, 'warnings')),
      method: {scheme: text(f, 'scheme'), stepping: text(f, 'stepping'), solver: text(f, 'solver')},
      t: n > 0 ? samples.t[n - 1] : null, q: [...samples.q.subarray((n - 1) * nq, n * nq)], u: [...samples.u.subarray((n - 1) * nu, n * nu)],
      events, ledger, energy: {initial: number(f, 'energy_initial'), final: number(f, 'energy_final')},
      stats: {steps: number(f, 'steps'), force_evaluations: number(f, 'force_evaluations'), cpu_seconds: number(f, 'cpu_seconds')},
    },
  };
}

export async function openHdf5(bytes: ArrayBuffer): Promise<{file: Hdf5File; done: () => void}> {
  // the library prints a page of places within itself for each damaged file; the user gets one sentence
  const error = console.error;
  console.error = () => {};
  const h5 = await import('h5wasm').finally(() => (console.error = error));
  const {FS} = await h5.ready;
  const name = 'result.h5';
  FS.writeFile(name, new Uint8Array(bytes));
  const done = () => {
    try {
      FS.unlink(name);
    } catch { /* it was not written */ }
  };
  try {
    const file = new h5.File(name, 'r') as unknown as Hdf5File;
    if ((file as unknown as {file_id: bigint}).file_id < 0n) throw new Error();
    return {file, done};
  } catch {
    done();
    throw new Error('this is no HDF5 file, or it is damaged');
  }
}

export async function showFile(saltus: Saltus, bytes: ArrayBuffer): Promise<Reply> {
  if (bytes.byteLength > largest) return {status: 'failed', message: `files of more than ${largest / 1e6} MB are too large for the page`};
  let found: ResultFile;
  let done = () => {};
  try {
    const opened = await openHdf5(bytes);
    done = opened.done;
    found = readResult(opened.file);
    opened.file.close();
  } catch (e) {
    return {status: 'failed', message: e instanceof Error && e.message ? e.message : 'the file cannot be read: it is damaged'};
  } finally {
    done();
  }
  saltus.give(found.samples);
  const reply = saltus.call('show', {
    ...(found.scene ? {scene: found.scene, file: found.problem, sets: found.sets} : {problem: found.problem}),
    settings: found.settings, smooth: found.scheme.startsWith('runge-kutta'), ...(found.stepped_from === null ? {} : {stepped_from: found.stepped_from}), t_end: found.t_end === null ? undefined : String(found.t_end),
    // the family of a scene's system may depend on the scheme
    ...(found.scene && !found.stepping.startsWith('tolerance') ? {scheme: found.scheme, stepping: found.stepping} : {}),
  });
  return reply.status === 'failed' ? reply : {...reply, ...found.report, lab: reply.lab, arrays: reply.arrays, scene: found.scene};
}
