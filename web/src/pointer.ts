// Mouse and fingers on the view: drag, wheel, two fingers. In space one finger turns, two (or shift) move.
import type {Eye} from './eye';

export function handlePointer(parent: HTMLElement, eye: Eye, changed: (moved: boolean) => void): void {
  const pointers = new Map<number, {x: number; y: number}>();
  parent.addEventListener('pointerdown', e => {
    pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
    parent.setPointerCapture(e.pointerId);
  });
  parent.addEventListener('contextmenu', e => {
    if (eye.inSpace) e.preventDefault();
  });
  parent.addEventListener('pointermove', e => {
    const p = pointers.get(e.pointerId);
    if (!p) return;
    const [dx, dy] = [e.clientX - p.x, e.clientY - p.y], other = [...pointers].find(([id]) => id !== e.pointerId)?.[1];
    if (other) {
      const before = Math.hypot(p.x - other.x, p.y - other.y), now = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      if (before > 0 && now > 0) eye.zoom(before / now);
      eye.move(dx / 2, dy / 2);
    } else if (eye.inSpace && !e.shiftKey && e.buttons !== 2) {
      eye.turn(dx, dy);
    } else {
      eye.move(dx, dy);
    }
    pointers.set(e.pointerId, {x: e.clientX, y: e.clientY});
    changed(other !== undefined || !eye.inSpace || e.shiftKey || e.buttons === 2);
  });
  for (const name of ['pointerup', 'pointercancel'] as const) parent.addEventListener(name, e => pointers.delete(e.pointerId));
  parent.addEventListener('wheel', e => {
    e.preventDefault();
    const box = parent.getBoundingClientRect();
    eye.zoom(Math.exp(Math.max(-300, Math.min(300, e.deltaY)) * 0.0012), e.clientX - box.left - box.width / 2, box.height / 2 - (e.clientY - box.top));
    changed(false);
  }, {passive: false});
}
