// Runs of the scene in the editor.
import {$, box, say} from './dom';
import {lab} from './lab';
import {chosenMethod} from './method_pane';
import {player, showRun} from './result_pane';
import {Run, short} from './run';
import {checkAgain, editor, plural, showComplaints} from './scene_pane';

let again = false;

/** `quiet`: a knob was turned; time and camera stay where they are. */
export async function run(quiet = false): Promise<void> {
  lab.expect('running');
  if (lab.running) {
    again = true;
    return;
  }
  lab.running = true;
  $('progress').hidden = quiet;
  $<HTMLProgressElement>('progress').value = 0;
  if (!quiet) say('running…');
  const keepFrame = quiet && lab.last && !lab.another ? player.frame : -1;
  const started = performance.now();
  const {reply, arrays} = await lab.client.ask('run', {scene: editor.text, file: 'scene', ...chosenMethod()}, part => {
    $<HTMLProgressElement>('progress').value = part;
    if (!quiet) say(part < 1 ? `running… ${Math.floor(100 * part)} %` : 'running… once more, for the error bar');
  });
  lab.running = false;
  lab.take(reply);
  if (arrays) {
    const r = new Run(reply, arrays);
    lab.add(r, box('keep').checked);
    showRun(keepFrame);
    const warned = (reply.warnings ?? []).length > 0;
    say(reply.status === 'finished' ? `finished: ${plural(r.events.length, 'event')}, ${short(performance.now() - started, 3)} ms${warned ? '; see the warnings' : ''}` : `${reply.status}: ${reply.message}`,
      reply.status !== 'finished' ? 'bad' : warned ? 'warn' : 'good');
    showComplaints([]);
  } else {
    showComplaints(reply.complaints ?? [], reply.complaints || reply.status === 'stopped' ? '' : reply.message);
    say(reply.complaints ? `${plural(reply.complaints.length, 'error')} in the scene` : reply.status === 'stopped' ? 'stopped' : `${reply.status}: ${reply.message}`, reply.status === 'stopped' ? '' : 'bad');
  }
  if (again && reply.status !== 'stopped') {
    again = false;
    void run(quiet);
  } else {
    again = false;
    checkAgain();
  }
}
