// Scenes to start from: those of examples/scenes and examples/space, and a scene for each problem of the catalog.
import type {Example} from './catalog';

const files = import.meta.glob<string>('../../examples/{scenes,space}/*.yaml', {query: '?raw', import: 'default', eager: true});

const titleOf = (text: string) => /^title:\s*(.+)$/m.exec(text)?.[1].replace(/^["']|["']$/g, '') ?? '';

export const scenes: Example[] = Object.entries(files).map(([path, text]) => {
  const [group, file] = path.split('/').slice(-2) as ['scenes' | 'space', string], name = file.replace('.yaml', '');
  return {name: group === 'space' ? `space/${name}` : name, title: titleOf(text) || name, text, group};
}).sort((a, b) => a.name.localeCompare(b.name));

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
