// A scene in a link: deflated with a checksum, in the fragment, which no browser sends to a server.
/** The scene's text, and what was chosen beside it: a tolerance, or a scheme and its step. */
export interface Shared {scene: string; rtol?: string; scheme?: string; h?: string}

const largest = 1_000_000;  // bytes of a scene, as in the library

function toText(bytes: Uint8Array): string {
  let s = '';
  for (let i = 0; i < bytes.length; i += 4096) s += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(s).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
function fromText(text: string): Uint8Array<ArrayBuffer> {
  const s = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  const out = new Uint8Array(s.length);
  for (let i = 0; i < s.length; ++i) out[i] = s.charCodeAt(i);
  return out;
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: {readable: ReadableStream; writable: WritableStream}, most: number): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {  // a link may hold gigabytes of zeros
      reader.cancel().catch(() => {});
      throw new Error('the link holds too much');
    }
    parts.push(value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

/** "#s=…" */
export async function toFragment(shared: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  return '#s=' + toText(await through(bytes, new CompressionStream('deflate'), largest * 2));
}

/** Null where the fragment holds none; throws Error for one that is damaged or too large. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith('#s=')) return null;
  let value: unknown;
  try {
    const bytes = await through(fromText(fragment.slice(3)), new DecompressionStream('deflate'), largest + 10_000);
    value = JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(bytes));
  } catch (e) {
    const why = e instanceof Error && e.message.includes('too much') ? 'holds too much' : 'is damaged';
    throw new Error(`the link ${why}: ask for a new one`);
  }
  const v = value as Shared;
  const isText = (x: unknown) => x === undefined || typeof x === 'string';
  if (typeof v !== 'object' || v === null || typeof v.scene !== 'string' || !isText(v.rtol) || !isText(v.scheme) || !isText(v.h))
    throw new Error('the link is damaged: ask for a new one');
  return {scene: v.scene, rtol: v.rtol, scheme: v.scheme, h: v.h};
}

/** "#example=NAME&p=e=0.8&p=m=2": an example with values of its parameters; null where the fragment is none. */
export function exampleOf(fragment: string): {name: string; values: [string, number][]} | null {
  const m = /^#example=([\w./-]+)((?:&p=[A-Za-z_]\w*=[-+.\deE]+){0,50})$/.exec(fragment);
  if (!m) return null;
  return {name: m[1], values: m[2].split('&p=').slice(1).map(x => [x.slice(0, x.indexOf('=')), Number(x.slice(x.indexOf('=') + 1))])};
}
