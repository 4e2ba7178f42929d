// Sliders for the scene's parameters. A slider changes the text of the scene, so that what is seen is what runs and is shared.
export interface Parameter {name: string; value: string; unit: string; number: boolean}

const entry = (name: string) => new RegExp(`(^|[{,\\s])(${name.replace(/[.]/g, '\\.')}\\s*:\\s*)([^\\s,}#][^,}#\\n]*)`);

/** The section `parameters` of a text, its own or that of `ready`: where it begins and ends. */
function section(text: string): [number, number] | null {
  const m = /^parameters:/m.exec(text) ?? /^ +parameters:/m.exec(/^ready:/m.test(text) ? text : '');
  if (!m) return null;
  const indent = /^ */.exec(m[0])![0].length;
  const rest = text.slice(m.index + m[0].length), end = new RegExp(`\\n(?= {0,${indent}}[^\\s#])`).exec(rest);
  return [m.index + m[0].length, m.index + m[0].length + (end ? end.index : rest.length)];
}

/** A plain number of the section with its unit, or null: a formula, or not there. */
export function numberOf(text: string, name: string): {value: number; unit: string} | null {
  const s = section(text);
  const m = s && entry(name).exec(text.slice(...s));
  const n = m && /^(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([A-Za-z%][\w^*/ .-]*)?$/i.exec(m[3].trim());
  return n ? {value: Number(n[1]), unit: (n[2] ?? '').trim()} : null;
}

/** Names in the section of a `ready` problem, which the scene itself does not know as parameters. */
export function readyNames(text: string): string[] {
  const s = /^parameters:/m.test(text) ? null : section(text);
  return s ? [...text.slice(...s).matchAll(/([A-Za-z_]\w*)\s*:/g)].map(m => m[1]) : [];
}

export function withNumber(text: string, name: string, value: number, digits = 4): string {
  const s = section(text), old = numberOf(text, name);
  if (!s || !old) return text;
  const part = text.slice(...s);
  const changed = part.replace(entry(name), (_, before: string, key: string, rest: string) => {
    const tail = /\s*$/.exec(rest)![0];
    return `${before}${key}${Number(value.toPrecision(digits))}${old.unit ? ` ${old.unit}` : ''}${tail}`;
  });
  return text.slice(0, s[0]) + changed + text.slice(s[1]);
}

export function showSliders(parent: HTMLElement, text: string, names: string[], onChange: (name: string, value: number) => void): void {
  const found = names.map(name => ({name, number: numberOf(text, name)})).filter(x => x.number !== null).slice(0, 30);
  const key = found.map(x => `${x.name}|${x.number!.unit}`).join(';');
  if (parent.dataset.key === key) {  // the same sliders: only their values
    for (const x of found) {
      const row = parent.querySelector<HTMLElement>(`[data-name="${CSS.escape(x.name)}"]`);
      const input = row?.querySelector('input'), out = row?.querySelector('output');
      if (!input || !out || document.activeElement === input) continue;
      input.value = String(x.number!.value);
      out.textContent = `${x.number!.value} ${x.number!.unit}`;
    }
    return;
  }
  parent.dataset.key = key;
  parent.replaceChildren(...found.map(({name, number}) => {
    const {value, unit} = number!;
    const row = document.createElement('div');
    row.className = 'row';
    row.dataset.name = name;
    const label = document.createElement('label'), input = document.createElement('input'), out = document.createElement('output');
    label.textContent = name;
    label.title = name;
    input.type = 'range';
    const isShare = value >= 0 && value <= 1 && unit === '' && value !== 0;
    const high = isShare ? Math.max(1, value) : value === 0 ? 1 : value > 0 ? 3 * value : 0;
    const low = value < 0 ? 3 * value : value === 0 ? -1 : 0;
    const counts = Number.isInteger(value) && value > 1 && unit === '';  // may have to stay whole
    [input.min, input.max, input.step] = [String(low), String(high), String(counts ? Math.max(1, Math.round((high - low) / 300)) : (high - low) / 300)];
    input.value = String(value);
    input.id = `p-${name}`;
    label.htmlFor = input.id;
    out.textContent = `${value} ${unit}`;
    input.addEventListener('input', () => {
      out.textContent = `${Number(Number(input.value).toPrecision(4))} ${unit}`;
      onChange(name, Number(input.value));
    });
    row.append(label, input, out);
    return row;
  }));
}
