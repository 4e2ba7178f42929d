// What the parts of the page share: the worker, the runs that are shown, and what goes on.
import {Client} from './client';
import {button, $, say} from './dom';
import type {Run} from './run';
import type {Reply} from './saltus';

/** What `window.saltusLab.state()` returns. */
export interface LabState {status: string; message: string; t: number | null; q: number[]; u: number[]; events: unknown[]}

class Lab {
  readonly client = new Client(message => say(`the module could not be loaded: ${message}`, 'bad'));
  runs: Run[] = [];  // the last is the one that is played
  another = false;  // the text is another scene than that of the runs
  good = false;  // the text in the editor is a scene without errors
  fromFile = false;
  state: LabState = {status: 'idle', message: '', t: null, q: [], u: [], events: []};
  firstRun = NaN;  // milliseconds from the beginning of the page until its first run was shown
  private busy = false;

  get last(): Run | undefined {
    return this.runs[this.runs.length - 1];
  }
  get running(): boolean {
    return this.busy;
  }
  set running(on: boolean) {
    this.busy = on;
    button('run').disabled = button('converge').disabled = on;
    button('stop').disabled = !on;
    if (!on) $('progress').hidden = true;
  }
  /** From when a run is asked for until it has ended nobody takes the last one's result for it. */
  expect(status: 'running' | 'idle'): void {
    this.state = status === 'running' ? {...this.state, status, message: ''} : {status, message: '', t: null, q: [], u: [], events: []};
  }
  take(reply: Reply): void {
    this.state = {status: reply.status, message: reply.message ?? '', t: reply.t ?? null, q: reply.q ?? [], u: reply.u ?? [], events: reply.events ?? []};
  }
  /** Beside earlier ones, or instead of them. */
  add(run: Run, keep: boolean): void {
    this.runs = keep && !this.another && this.runs.length > 0 ? [...this.runs.slice(-4), run] : [run];
    this.another = false;
  }
}
export const lab = new Lab();
