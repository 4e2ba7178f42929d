// Problems of the catalog as scenes.
export interface Example {name: string; title: string; text: string; group: 'scenes' | 'space' | 'catalog'}

/** `steps`: by tolerance it would take minutes. */
interface Problem {name: string; summary: string; presets: string[]; t_end: number; steps: {scheme: string; h: number} | null; parameters: {name: string; default: number | string; unit: string; help: string}[]}

/** A catalog problem as a scene with all of its parameters. */
export function sceneOf(p: Problem): Example {
  const lines = [`# ${p.summary}`, 'saltus: 1', `title: ${JSON.stringify(p.name)}`, 'ready:', `  problem: ${p.name}`];
  if (p.presets.length > 0) lines.push(`  # preset: ${p.presets.join(' | ')}`);
  const shown = p.parameters.filter(x => x.default !== '' && x.default !== null);
  if (shown.length > 0) lines.push('  parameters:', ...shown.map(x => `    ${x.name}: ${x.default}    # ${x.help}${x.unit ? ` [${x.unit}]` : ''}`));
  if (p.steps) lines.push('# so many contacts that change all the time are stepped over: with rtol: 1e-6 instead it takes minutes',
    `run: {t_end: ${p.t_end}, scheme: ${p.steps.scheme}, h: ${p.steps.h}}`, '');
  else lines.push(`run: {t_end: ${p.t_end}}`, '');
  return {name: `catalog/${p.name}`, title: p.summary, text: lines.join('\n'), group: 'catalog'};
}
