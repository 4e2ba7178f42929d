// The compiled library: requests in JSON, replies in JSON with arrays. Runs in a worker of the page, and in tests.
import {XzReadableStream} from 'xz-decompress';
import {parseYaml} from './yaml';

export interface Complaint {line: number; column: number; path: string; message: string}
/** How scene, problem and method are named; see web/wasm/lab_case.hpp. */
export interface Request {
  scene?: string;
  file?: string;
  problem?: string;
  sets?: string[];
  settings?: Record<string, string>;
  t_end?: string;
  scheme?: string;
  stepping?: string;
  solver?: string;
  h?: string;
  rtol?: string;
  atol?: string;
  estimate?: boolean;
  frames?: number;
  error?: boolean;
  values?: number[];
  knob?: 'rtol' | 'h';
  study_scheme?: string;
  smooth?: boolean;
  stepped_from?: number;
}
export interface Reply {
  status: string;
  message?: string;
  complaints?: Complaint[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the report of `saltus run --json`
  [key: string]: any;
}
export interface Arrays {
  samples: Float64Array;
  frame_times: Float64Array;
  frames: Float32Array;
  act_start: Int32Array;
  acts: Float32Array;
}

/** What a file of results holds; see web/wasm/lab_samples.hpp. */
export interface Samples {t: Float64Array; q: Float64Array; u: Float64Array; dense: Float64Array; events: Float64Array; contacts: Float64Array}

/** What emscripten's glue makes. */
interface Instance {
  HEAPU8: Uint8Array;
  _malloc(size: number): number;
  _free(at: number): void;
  _saltus_call(verb: number, request: number): number;
  _saltus_room(which: number, count: number): number;
}
export type Factory = (options: object) => Promise<Instance>;

export class Saltus {
  private constructor(private readonly module: Instance, private readonly hooks: {onProgress: (part: number) => void}) {}

  /** `packed` is saltus.wasm.xz: compressed by ourselves, since most plain servers send what is there. */
  static async load(factory: Factory, packed: ReadableStream<Uint8Array>): Promise<Saltus> {
    const hooks = {onProgress: (_part: number) => {}};
    const module = await factory({
      wasmBinary: await new Response(new XzReadableStream(packed)).arrayBuffer(), parseYaml, onProgress: (part: number) => hooks.onProgress(part), print: () => {}, printErr: () => {},
    });
    return new Saltus(module, hooks);
  }

  set onProgress(f: (part: number) => void) {
    this.hooks.onProgress = f;
  }

  call(verb: string, request: Request = {}): Reply {
    const v = this.text(verb), r = this.text(JSON.stringify(request));
    try {
      return JSON.parse(this.read(this.module._saltus_call(v, r))) as Reply;
    } finally {
      this.module._free(v);
      this.module._free(r);
    }
  }

  /** Copies of the arrays of the reply to the last call. */
  arrays(reply: Reply): Arrays {
    const of = <T>(name: string, make: (bytes: ArrayBuffer) => T, size: number): T => {
      const {at, count} = reply.arrays[name];
      return make(this.module.HEAPU8.slice(at, at + count * size).buffer as ArrayBuffer);
    };
    return {
      samples: of('samples', b => new Float64Array(b), 8),
      frame_times: of('frame_times', b => new Float64Array(b), 8),
      frames: of('frames', b => new Float32Array(b), 4),
      act_start: of('act_start', b => new Int32Array(b), 4),
      acts: of('acts', b => new Float32Array(b), 4),
    };
  }

  /** Samples for the verb `show`. */
  give(samples: Samples): void {
    [samples.t, samples.q, samples.u, samples.dense, samples.events, samples.contacts].forEach((x, k) => {
      const at = this.module._saltus_room(k, x.length);
      if (at === 0 && x.length > 0) throw new Error('the file is too large for the memory of a page');
      new Float64Array(this.module.HEAPU8.buffer, at, x.length).set(x);
    });
  }

  private text(s: string): number {
    const bytes = new TextEncoder().encode(s);
    const at = this.module._malloc(bytes.length + 1);
    if (at === 0) throw new Error('out of memory');
    this.module.HEAPU8.set(bytes, at);
    this.module.HEAPU8[at + bytes.length] = 0;
    return at;
  }
  private read(at: number): string {
    const end = this.module.HEAPU8.indexOf(0, at);
    return new TextDecoder().decode(this.module.HEAPU8.subarray(at, end));
  }
}
