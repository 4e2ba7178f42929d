// The worker as the page sees it: jobs with promises. A worker that is stopped or broken is replaced by a new one.
import type {Arrays, Reply, Request} from './saltus';
import type {Job, Message} from './worker';

export interface Done {reply: Reply; arrays?: Arrays}
interface Waiting {resolve: (d: Done) => void; progress?: (part: number) => void}

export class Client {
  private worker!: Worker;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private readyPromise!: Promise<void>;

  constructor(private readonly onBroken: (message: string) => void) {
    this.start();
  }
  ready(): Promise<void> {
    return this.readyPromise;
  }
  private start(): void {
    this.worker = new Worker(new URL('./worker.ts', import.meta.url), {type: 'module', name: 'saltus'});
    this.readyPromise = new Promise(resolve => {
      this.worker.onmessage = (e: MessageEvent<Message>) => this.take(e.data, resolve);
      this.worker.onerror = e => this.onBroken(e.message || 'the worker could not be started');
    });
  }
  private take(m: Message, ready: () => void): void {
    if (m.kind === 'ready') return ready();
    if (m.kind === 'broken') return this.onBroken(m.message);
    const w = this.waiting.get(m.id);
    if (!w) return;
    if (m.kind === 'progress') return w.progress?.(m.part);
    this.waiting.delete(m.id);
    w.resolve({reply: m.reply, arrays: m.arrays});
    if (m.reply.broken) this.stop('the module was started again');
  }
  ask(verb: string, request: Request, progress?: (part: number) => void, file?: ArrayBuffer): Promise<Done> {
    const job: Job = {id: this.next++, verb, request, file};
    return new Promise(resolve => {
      this.waiting.set(job.id, {resolve, progress});
      this.worker.postMessage(job, file ? [file] : []);
    });
  }
  /** Ends what is running; all that waits gets this message. */
  stop(message = 'stopped'): void {
    this.worker.terminate();
    const all = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    for (const w of all) w.resolve({reply: {status: 'stopped', message}});
  }
}
