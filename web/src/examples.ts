// Scenes to start from: those of examples/scenes and examples/space, and a scene for each problem of the catalog.
const files = import.meta.glob<string>('../../examples/{scenes,space}/*.yaml', {query: '?raw', import: 'default', eager: true});

export interface Example {name: string; title: string; text: string; group: 'scenes' | 'space' | 'catalog'}

const titleOf = (text: string) => /^title:\s*(.+)$/m.exec(text)?.[1].replace(/^["']|["']$/g, '') ?? '';

export const scenes: Example[] = Object.entries(files).map(([path, text]) => {
  const [group, file] = path.split('/').slice(-2) as ['scenes' | 'space', string], name = file.replace('.yaml', '');
  return {name: group === 'space' ? `space/${name}` : name, title: titleOf(text) || name, text, group};
}).sort((a, b) => a.name.localeCompare(b.name));

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

export function fillMenu(select: HTMLSelectElement, examples: Example[]): void {
  const group = (label: string, of: Example['group']) => {
    const g = document.createElement('optgroup');
    g.label = label;
    for (const e of examples.filter(x => x.group === of)) {
      const o = document.createElement('option');
      o.value = e.name;
      o.textContent = e.name.replace(/^.*\//, '');
      o.title = e.title;
      g.append(o);
    }
    return g;
  };
  const chosen = select.value, own = document.createElement('option');
  own.value = '';
  own.textContent = '(your scene)';
  select.replaceChildren(own, group('Scenes', 'scenes'), group('In space', 'space'), ...(examples.some(e => e.group === 'catalog') ? [group('Catalog', 'catalog')] : []));
  select.value = chosen;
}
