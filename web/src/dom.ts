// Elements of the page by their ids. All text of users goes through textContent.
export const $ = <T extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as T;
export const button = (id: string) => $<HTMLButtonElement>(id);
export const select = (id: string) => $<HTMLSelectElement>(id);
export const box = (id: string) => $<HTMLInputElement>(id);

export function element<K extends keyof HTMLElementTagNameMap>(name: K, text = '', className = ''): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  if (text) e.textContent = text;
  if (className) e.className = className;
  return e;
}
export function option(value: string, text = value, title = ''): HTMLOptionElement {
  const o = element('option', text);
  o.value = value;
  if (title) o.title = title;
  return o;
}
/** New options; the choice stays where it can. */
export function refill(s: HTMLSelectElement, options: HTMLOptionElement[], otherwise: string): void {
  const old = s.value;
  s.replaceChildren(...options);
  s.value = options.some(o => o.value === old) ? old : otherwise;
}
export function say(text: string, kind: '' | 'good' | 'bad' | 'warn' = ''): void {
  const s = $('status');
  s.textContent = text;
  s.title = text;
  s.className = kind;
}
/** Gives the user a file. */
export function save(name: string, text: string, type: string): void {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([text], {type}));
  a.download = name;
  a.click();
  window.setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
