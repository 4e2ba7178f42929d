// The keyboard, where no text is typed.
import {lab} from './lab';
import {actions, player} from './result_pane';

function key(e: KeyboardEvent): void {
  const target = e.target as HTMLElement;
  if (e.key === 'Escape' && lab.running) return lab.client.stop();
  if (target.closest('.cm-editor, input:not([type=checkbox], #timeline), select, textarea') || e.ctrlKey || e.metaKey || e.altKey) return;
  const last = (lab.last?.motion.frames ?? 1) - 1;
  const known: Record<string, () => void> = {
    ' ': () => player.toggle(), ArrowRight: () => actions.step(e.shiftKey ? 10 : 1), ArrowLeft: () => actions.step(e.shiftKey ? -10 : -1),
    ']': () => actions.event(1), '[': () => actions.event(-1), Home: () => player.seek(0), End: () => player.seek(last), f: actions.fit, F: actions.fit,
  };
  if (!known[e.key] || (e.key === ' ' && target.closest('button, summary, a, label'))) return;
  e.preventDefault();
  known[e.key]();
}
export const wireKeys = (): void => document.addEventListener('keydown', key);
