/**
 * Owns: the SQL editor: CodeMirror in a shadow root, where its style sheet passes the page's policy.
 * Leaves: when it is loaded, and what is done with the text, to SqlEditor.svelte.
 * Invariant: Tab leaves it, until something is typed; after Esc it leaves again (WCAG 2.1.2).
 */
import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentMore } from '@codemirror/commands';
import { sql, SQLite } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { SchemaTable } from '../../bridge/console-answer.ts';

export interface Editor {
  setText(text: string): void;
  setSchema(tables: readonly SchemaTable[]): void;
  select(start: number, length: number): void;
  focus(): void;
  destroy(): void;
}

export interface EditorOptions {
  readonly text: string;
  readonly tables: readonly SchemaTable[];
  changed(text: string): void;
  run(): void;
}

export type OpenEditor = typeof openEditor;

export function openEditor(host: HTMLElement, { text, tables, changed, run }: EditorOptions): Editor {
  const language = new Compartment();
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view: EditorView = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: 'Mod-Enter', preventDefault: true, run: () => (closeCompletion(view), run(), true) },
          // Also when it closes the list of completions.
          { key: 'Escape', run: () => (view.setTabFocusMode(true), false) },
          { key: 'Tab', run: acceptCompletion },
          ...completionKeymap,
          { key: 'Tab', run: indentMore },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        language.of(languageFor(tables)),
        history(),
        lineNumbers(),
        bracketMatching(),
        autocompletion({ icons: false }),
        syntaxHighlighting(colours),
        look,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'SQL', spellcheck: 'false', autocapitalize: 'off' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          changed(update.state.doc.toString());
          if (update.transactions.some((one) => one.isUserEvent('input') || one.isUserEvent('delete'))) {
            view.setTabFocusMode(false);
          }
        }),
        EditorView.domEventHandlers({ blur: () => view.setTabFocusMode(true), beforeinput: replaced }),
      ],
    }),
  });
  view.setTabFocusMode(true);
  // Outside the shadow root the lab would take a letter that is typed here for a command.
  const keep = (event: Event): void => event.stopPropagation();
  host.addEventListener('keydown', keep);
  return {
    setText: (next) => {
      if (next === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        selection: { anchor: next.length },
      });
    },
    setSchema: (now) => view.dispatch({ effects: language.reconfigure(languageFor(now)) }),
    select: (start, length) => {
      const end = Math.min(start + length, view.state.doc.length);
      view.dispatch({ selection: { anchor: Math.min(start, end), head: end }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => {
      host.removeEventListener('keydown', keep);
      view.destroy();
    },
  };
}

/**
 * Typing over a selection: the browser would keep how the replaced text looked, in a style attribute, which the page's
 * policy refuses and reports.
 */
function replaced(event: InputEvent, view: EditorView): boolean {
  const { state, composing } = view;
  if (event.inputType !== 'insertText' || event.data === null || composing || state.selection.main.empty) {
    return false;
  }
  view.dispatch(
    state.update(state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true }),
  );
  return true;
}

function languageFor(tables: readonly SchemaTable[]): Extension {
  const schema = Object.fromEntries(
    tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]),
  );
  return sql({ dialect: SQLite, schema, upperCaseKeywords: true });
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--session-2)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--session-3)' },
]);

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', maxHeight: '22rem' },
  '.cm-content, .cm-gutter': { minHeight: '8rem' },
  '.cm-content': { caretColor: 'var(--ink)', paddingBlock: '0.5rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    border: 'none',
    borderInlineEnd: '1px solid var(--line)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection':
    { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--warn-soft)',
    outline: '1px solid var(--warn)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.6rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.85' },
});
