// Where runs happen: the page stays responsive, and a run is stopped by ending the worker.
import {Saltus, type Arrays, type Factory, type Reply, type Request} from './saltus';

export interface Job {id: number; verb: string; request: Request; file?: ArrayBuffer}
export type Message =
  | {kind: 'ready'}
  | {kind: 'broken'; message: string}
  | {kind: 'progress'; id: number; part: number}
  | {kind: 'done'; id: number; reply: Reply; arrays?: Arrays};

const base = new URL(import.meta.env.BASE_URL, self.location.href);
const scope = self as unknown as {postMessage(m: Message, transfer?: Transferable[]): void; onmessage: ((e: MessageEvent<Job>) => void) | null};

async function load(): Promise<Saltus> {
  const folder = new URL('../module/', self.location.href);
  const at = import.meta.env.DEV ? new URL('module/', base) : folder;
  const [{default: factory}, answer] = await Promise.all([
    import(/* @vite-ignore */ new URL('saltus.mjs', at).href) as Promise<{default: Factory}>, fetch(new URL('saltus.wasm.xz', at))]);
  if (!answer.ok || !answer.body) throw new Error(`${answer.url}: ${answer.status} ${answer.statusText}`);
  return Saltus.load(factory, answer.body);
}

const ready = load();
ready.then(() => scope.postMessage({kind: 'ready'}),
  e => scope.postMessage({kind: 'broken', message: e instanceof Error ? e.message : String(e)}));

async function answer(saltus: Saltus, job: Job): Promise<void> {
  saltus.onProgress = part => scope.postMessage({kind: 'progress', id: job.id, part});
  let reply: Reply, arrays: Arrays | undefined;
  try {
    if (job.verb === 'file') {
      const {showFile} = await import('./result');
      reply = await showFile(saltus, job.file!);
    } else {
      reply = saltus.call(job.verb, job.request);
    }
    if (reply.arrays) arrays = saltus.arrays(reply);
  } catch (e) {  // of the module itself: an address out of range, too deep a recursion
    const message = e instanceof Error ? e.message : String(e);
    scope.postMessage({kind: 'done', id: job.id, reply: {status: 'failed', message: `the module stopped: ${message}`, broken: true}});
    return;
  }
  scope.postMessage({kind: 'done', id: job.id, reply, arrays}, arrays ? Object.values(arrays).map(a => a.buffer) : []);
}

let queue: Promise<unknown> = Promise.resolve();
scope.onmessage = e => {
  queue = queue.then(async () => answer(await ready, e.data)).catch(() => {});
};
