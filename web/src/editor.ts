// The scene's text: CodeMirror with the schema's completion and the module's complaints at their lines.
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap, indentWithTab} from '@codemirror/commands';
import {yaml} from '@codemirror/lang-yaml';
import {defaultHighlightStyle, HighlightStyle, syntaxHighlighting} from '@codemirror/language';
import {lintGutter, lintKeymap, setDiagnostics, type Diagnostic} from '@codemirror/lint';
import {Compartment, EditorState} from '@codemirror/state';
import {drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers} from '@codemirror/view';
import {tags} from '@lezer/highlight';
import {complete, placeOf, type Schema} from './complete';
import type {Complaint} from './saltus';

const dark = HighlightStyle.define([
  {tag: tags.comment, color: '#8b98a5'}, {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: '#7db8f0'},
  {tag: tags.string, color: '#c8d3a0'}, {tag: tags.content, color: '#dfe5ea'}, {tag: tags.separator, color: '#8b98a5'},
  {tag: [tags.squareBracket, tags.brace], color: '#a9b4be'},
]);

/** Chromium keeps the look of a text that is typed over by an inline style, which the page's policy refuses: done without it. */
function typedOverSelection(e: InputEvent, view: EditorView): boolean {
  const {from, to} = view.state.selection.main, text = e.data;
  if (e.inputType !== 'insertText' || !text || from === to || view.composing) return false;
  const insert = () => view.state.update(view.state.replaceSelection(text), {userEvent: 'input.type', scrollIntoView: true});
  if (!view.state.facet(EditorView.inputHandler).some(handle => handle(view, from, to, text, insert))) view.dispatch(insert());
  e.preventDefault();
  return true;
}

export class Editor {
  readonly view: EditorView;
  private schema: Schema | null = null;
  private readonly colours = new Compartment();

  constructor(parent: HTMLElement, onChange: () => void, onRun: () => void) {
    const sources = (context: CompletionContext) => this.options(context);
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: '',
        extensions: [
          lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), closeBrackets(), lintGutter(), yaml(),
          EditorView.cspNonce.of('saltus-editor'), EditorView.lineWrapping, EditorState.tabSize.of(2), this.colours.of(syntaxHighlighting(defaultHighlightStyle)),
          autocompletion({override: [sources], activateOnTyping: true}),
          keymap.of([{key: 'Mod-Enter', run: () => (onRun(), true)}, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap,
            ...completionKeymap, ...lintKeymap, indentWithTab]),
          EditorView.domEventHandlers({beforeinput: typedOverSelection}),
          EditorView.contentAttributes.of({'aria-label': 'Scene in YAML; Escape, then Tab leaves the editor'}),
          EditorView.updateListener.of(u => {
            if (u.docChanged) onChange();
          }),
        ],
      }),
    });
  }
  get text(): string {
    return this.view.state.doc.toString();
  }
  set text(text: string) {
    this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: text}, selection: {anchor: 0}});
  }
  setSchema(schema: Schema): void {
    this.schema = schema;
  }
  setDark(on: boolean): void {
    this.view.dispatch({effects: this.colours.reconfigure(syntaxHighlighting(on ? dark : defaultHighlightStyle))});
  }
  /** Underlines what is wrong. */
  show(complaints: Complaint[]): void {
    const doc = this.view.state.doc;
    const list: Diagnostic[] = complaints.map(c => {
      const line = doc.line(Math.min(Math.max(c.line, 1), doc.lines));
      const from = Math.min(line.from + Math.max(c.column - 1, 0), line.to);
      const word = /^[^\s,{}[\]]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 0;
      return {from, to: Math.min(from + Math.max(word, 1), doc.length), severity: 'error', message: c.path ? `${c.path}: ${c.message}` : c.message};
    });
    this.view.dispatch(setDiagnostics(this.view.state, list));
  }
  goTo(c: Complaint): void {
    const doc = this.view.state.doc;
    const line = doc.line(Math.min(Math.max(c.line, 1), doc.lines));
    const at = Math.min(line.from + Math.max(c.column - 1, 0), line.to);
    this.view.dispatch({selection: {anchor: at}, effects: EditorView.scrollIntoView(at, {y: 'center'})});
    this.view.focus();
  }
  private options(context: CompletionContext): CompletionResult | null {
    if (!this.schema) return null;
    const place = placeOf(context.state.doc.sliceString(0, context.pos));
    if (!context.explicit && place.word === '') return null;
    const options = complete(this.schema, place).filter(o => o.label.startsWith(place.word));
    if (options.length === 0) return null;
    return {from: context.pos - place.word.length, options: options.map(o => ({label: o.label, type: o.type, detail: o.detail, info: o.info,
      apply: o.type === 'property' ? `${o.label}: ` : o.label}))};
  }
}
