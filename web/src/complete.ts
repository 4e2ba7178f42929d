// Completion from the JSON Schema of scene files: fields where a field stands, choices and units where a value stands.
export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  items?: Schema;
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
}
export interface Option {label: string; detail?: string; info?: string; type: 'property' | 'enum' | 'constant'}
/** `present`: keys of the same map; `names`: those of a map above, by its path. */
export interface Place {path: string[]; inKey: boolean; key: string; word: string; present: string[]; names: (path: string) => string[]}

interface Level {indent: number; key: string}

/** Where the end of `before` stands: the path of keys that enclose it, and whether a key or a value is written there. */
export function placeOf(before: string): Place {
  const linesBefore = before.split('\n');
  const line = linesBefore.pop() ?? '';
  const levels: Level[] = [];
  const present = new Map<string, string[]>();
  const stack: string[] = [];  // levels within the line
  const note = (key: string) => {
    const at = [...levels.map(l => l.key), ...stack].join('.');
    present.set(at, [...(present.get(at) ?? []), key]);
  };
  for (const l of linesBefore) {
    const m = /^(\s*)(?:- +)?([A-Za-z_][\w.]*) *:(?: |$)/.exec(l);
    if (!m || l.trimStart().startsWith('#')) continue;
    while (levels.length > 0 && levels[levels.length - 1].indent >= m[1].length) levels.pop();
    note(m[2]);
    levels.push({indent: m[1].length, key: m[2]});
  }
  const indent = /^\s*/.exec(line)![0].length;
  while (levels.length > 0 && levels[levels.length - 1].indent >= Math.max(indent, 0) && line.trim() !== '') levels.pop();
  while (levels.length > 0 && line.trim() === '' && levels[levels.length - 1].indent >= indent) levels.pop();
  const path = levels.map(l => l.key);
  // within the line: "key: {a: 1, b: {c" opens levels
  let word = '', key = '', inKey = true;
  for (const c of line) {
    if (c === '#') break;
    if (c === '{') {
      if (key) stack.push(key);
      [key, word, inKey] = ['', '', true];
    } else if (c === '}') {
      key = stack.pop() ?? '';
      [word, inKey] = ['', false];
    } else if (c === ',' && stack.length > 0) {
      [key, word, inKey] = ['', '', true];
    } else if (c === ':' && inKey) {
      key = word.trim();
      note(key);
      [word, inKey] = ['', false];
    } else if (c === ' ' || c === '[' || c === '-') {
      if (word.trim() !== '' && inKey) word += c;
      else word = '';
    } else {
      word += c;
    }
  }
  const full = [...path, ...stack];
  return {path: full, inKey, key, word: word.trim(), present: present.get(full.join('.')) ?? [], names: at => present.get(at) ?? []};
}

/** The parts of a schema that may hold at a key below it. */
function below(schemas: Schema[], key: string): Schema[] {
  const out: Schema[] = [];
  for (const s of alternatives(schemas)) {
    const known = s.properties?.[key];
    if (known) out.push(known);
    else if (typeof s.additionalProperties === 'object') out.push(s.additionalProperties);
    if (s.items) out.push(...below([s.items], key));
  }
  return out;
}
function alternatives(schemas: Schema[]): Schema[] {
  return schemas.flatMap(s => s.anyOf ? [s, ...alternatives(s.anyOf)] : [s]);
}

const units: Record<string, string[]> = {
  m: ['m', 'mm', 'cm', 'km'], s: ['s', 'ms', 'us', 'min', 'h'], kg: ['kg', 'g', 't'], rad: ['rad', 'deg'],
  N: ['N', 'kN', 'mN'], 'N/m': ['N/m', 'kN/m'], Pa: ['Pa', 'MPa', 'GPa'], 'm/s': ['m/s', 'mm/s', 'km/h'],
  'rad/s': ['rad/s', 'deg/s'], 'm/s^2': ['m/s^2'],
};

/** Words that a description lists: "disk, box or polygon", "support of node 0: clamped, hinged or free (when left out)". */
function wordsOf(description: string): string[] {
  const words = description.replace(/\([^)]*\)/g, '').replace(/^[^:]*: /, '').replace(/;.*/, '').trim().split(/, | or /).map(w => w.trim());
  return words.length > 1 && / or /.test(description) && words.every(w => /^[a-z][a-z-]*$/.test(w)) ? words : [];
}
/** Names that stand elsewhere in the text: of materials, of bodies. */
function namesFor(description: string, place: Place): string[] {
  const inSpace = place.path[0] === 'space' ? 'space.' : '';
  if (description.includes('a name of `materials`')) return place.names('materials');
  return /^(a body|another body)\b/.test(description) ? place.names(`${inSpace}bodies`) : [];
}

export function complete(root: Schema, place: Place): Option[] {
  let at = [root];
  for (const key of place.path) at = below(at, key);
  if (place.inKey) {
    const seen = new Map<string, Option>();
    for (const s of alternatives(at))
      for (const [name, field] of Object.entries(s.properties ?? {}))
        if (!place.present.includes(name) && !seen.has(name)) seen.set(name, {label: name, info: field.description, type: 'property'});
    return [...seen.values()];
  }
  const out: Option[] = [];
  const here = below(at, place.key);
  for (const s of alternatives(here)) {
    const named = s.properties?.name?.const;
    if (typeof named === 'string') out.push({label: named, info: s.description, type: 'enum'});
    if (typeof s.const === 'string' || typeof s.const === 'number') out.push({label: String(s.const), info: s.description, type: 'enum'});
    for (const e of s.enum ?? []) out.push({label: String(e), type: 'enum'});
    if (s.description) for (const w of [...(s.type === 'string' ? wordsOf(s.description) : []), ...namesFor(s.description, place)]) out.push({label: w, type: 'enum'});
    if (s.type === 'boolean') out.push({label: 'true', type: 'enum'}, {label: 'false', type: 'enum'});
  }
  if (place.key === 'name')  // of a choice that is written {name: …}
    for (const s of alternatives(at)) {
      const named = s.properties?.name?.const;
      if (typeof named === 'string') out.push({label: named, info: s.description, type: 'enum'});
    }
  if (/^-?[\d.]+(e-?\d+)?$/.test(place.word) || place.word === '') {
    const unit = here.map(s => /\[([^\]]+)\]$/.exec(s.description ?? '')?.[1]).find(u => u !== undefined);
    for (const u of unit ? units[unit] ?? [unit] : place.word ? Object.values(units).flat() : [])
      out.push({label: place.word ? `${place.word} ${u}` : u, detail: 'unit', type: 'constant'});
  }
  return [...new Map(out.map(o => [o.label, o])).values()];
}
