// The page's parser of YAML as a source of records for the module (web/wasm/yaml_bridge.cpp): what stands in the text, in its
// order, with places. Limits and messages are the module's.
import {Composer, isAlias, isMap, isScalar, isSeq, LineCounter, Parser, type Document, type Node, type ParsedNode} from 'yaml';

class Writer {
  private bytes = new Uint8Array(4096);
  private size = 0;
  private view = new DataView(this.bytes.buffer);
  private readonly encoder = new TextEncoder();

  record(what: string, place: {line: number; col: number}, tag = '', text = '', anchored = false): void {
    const t = this.encoder.encode(tag), x = this.encoder.encode(text);
    this.need(18 + t.length + x.length);
    this.bytes[this.size] = what.charCodeAt(0);
    this.bytes[this.size + 1] = anchored ? 1 : 0;
    [place.line, place.col, t.length, x.length].forEach((n, k) => this.view.setUint32(this.size + 2 + 4 * k, n, true));
    this.bytes.set(t, this.size + 18);
    this.bytes.set(x, this.size + 18 + t.length);
    this.size += 18 + t.length + x.length;
  }
  result(): Uint8Array {
    return this.bytes.subarray(0, this.size);
  }
  private need(more: number): void {
    if (this.size + more <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.size + more));
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}

/** One document of the text as records. Throws what the parser says, with a place. */
class Trouble {
  constructor(readonly message: string, readonly offset: number) {}
}

function walk(node: Node | null | undefined, at: number, lines: LineCounter, out: Writer): void {
  const place = lines.linePos(node?.range ? node.range[0] : at);
  if (!node) return out.record('N', place, '?');
  const anchored = Boolean((node as {anchor?: string}).anchor);
  if (isAlias(node)) return out.record('A', place);
  if (isScalar(node)) {
    const plain = node.type === 'PLAIN' || !node.type;
    return out.record('S', place, node.tag ?? (plain ? '?' : '!'), String(node.source ?? node.value ?? ''), anchored);
  }
  if (isSeq(node)) {
    out.record('L', place, node.tag ?? '?', '', anchored);
    for (const item of node.items) walk(item as Node | null, node.range?.[0] ?? at, lines, out);
    return out.record('E', place);
  }
  if (isMap(node)) {
    out.record('M', place, node.tag ?? '?', '', anchored);
    for (const pair of node.items) {
      const key = pair.key as Node | null;
      walk(key, node.range?.[0] ?? at, lines, out);
      walk(pair.value as Node | null, key?.range?.[1] ?? at, lines, out);
    }
    return out.record('E', place);
  }
}

function records(text: string, lines: LineCounter, out: Writer): void {
  const composer = new Composer({schema: 'failsafe', uniqueKeys: false, keepSourceTokens: false, merge: false});
  const parser = new Parser(lines.addNewLine);
  let count = 0;
  const put = (doc: Document<ParsedNode>): boolean => {
    if (doc.errors.length > 0) throw new Trouble(doc.errors[0].message, doc.errors[0].pos[0]);
    if (doc.contents === null && text.trim() === '') return false;
    out.record('D', {line: 1, col: 1});
    walk(doc.contents, doc.range?.[0] ?? 0, lines, out);
    out.record('d', {line: 1, col: 1});
    return ++count < 2;
  };
  for (const doc of composer.compose(parser.parse(text), false, text.length))
    if (!put(doc as Document<ParsedNode>)) return;
}

/** The text's records; what is no YAML ends them with a record X. */
export function parseYaml(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const lines = new LineCounter();
  const out = new Writer();
  try {
    records(text, lines, out);
  } catch (e) {
    const offset = e instanceof Trouble ? e.offset : 0;
    const message = e instanceof Trouble ? e.message.split('\n')[0].replace(/ at line \d+, column \d+:?$/, '')
      : 'lists and maps are nested too deeply';
    const place = lines.linePos(offset);
    out.record('X', {line: Math.max(place.line, 1), col: Math.max(place.col, 1)}, '', message);
  }
  return out.result();
}
