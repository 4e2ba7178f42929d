// Colours of the page's theme, for canvases.
export interface Colours {ink: string; quiet: string; line: string; panel: string; soft: string; accent: string; force: string; wall: string; ground: string; palette: string[]}

export function colours(): Colours {
  const css = getComputedStyle(document.documentElement);
  const get = (name: string) => css.getPropertyValue(`--${name}`).trim();
  return {ink: get('ink'), quiet: get('quiet'), line: get('line'), panel: get('panel'), soft: get('soft'), accent: get('accent'), force: get('force'), wall: get('wall'), ground: get('ground'),
    palette: [0, 1, 2, 3, 4, 5, 6, 7].map(k => get(`c${k}`))};
}
export const eventColour = (kind: string, c: Colours): string =>
  ({impact: c.force, close: c.palette[2], open: c.palette[0], stick: c.palette[4], slip: c.palette[1], reverse: c.palette[6], accumulation: c.palette[3]})[kind] ?? c.quiet;
/** Modes of contacts, as the library numbers them, each with its colour of the style sheet. */
export const modes: [string, string][] = [['open', 'quiet'], ['closed', 'force'], ['stick', 'c4'], ['slip', 'c1'], ['slip back', 'c2'], ['roll', 'c5']];
export const modeColour = (mode: number, c: Colours): string => [c.quiet, c.force, c.palette[4], c.palette[1], c.palette[2], c.palette[5]][mode] ?? c.force;
