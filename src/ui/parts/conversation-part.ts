import type { CallResults } from '#analysis/reading/call-results.js';
import { formatMinute } from '#base/time.js';
import type { CallFinder } from '#context/words/tool-call.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Doc, line, type Span, span } from '../doc/doc.js';
import { describeFold, type LineStyle } from './call-line.js';

/** A part of an entry: its heading, words that were said, what is folded, or a mark that another context begins. */
export interface Part {
  readonly kind: 'heading' | 'text' | 'fold' | 'mark';
  readonly blocks: Doc;
  /** Changes the speaker. null: the answer after it gets a heading. */
  readonly speaker?: Speaker | null;
}

/** The side that speaks. A change of it gets a heading. */
export type Speaker = 'user' | 'assistant';

/** A conversation, with all that its entries are rendered with. */
export interface Conversation extends LineStyle {
  readonly session: Session;
  /** Calls with their arguments and results; otherwise, each is one line. */
  readonly isOpen: boolean;
  /** Whether thinking, the agent's additions to the input, and changes of settings are rendered. */
  readonly hasHidden: boolean;
  /** Gives a call its result; each result is given once. */
  readonly results: CallResults;
  readonly calls: CallFinder;
  /** The edits of entries, by the entry that they edit. */
  readonly edits: ReadonlyMap<RawId, string | null>;
}

/** The edit of an entry; empty for one that no edit names. */
export function describeEdited({ edits }: Conversation, head: Head): string {
  const edit = head.id === undefined ? null : edits.get(head.id);
  return edit ? `edited by ${edit}` : '';
}

/** A mark that another context begins here. */
export function renderMark({ isDocument }: Conversation, head: Head, name: string, what: string): Part {
  if (isDocument) {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    return { kind: 'mark', blocks: [line(span(title, 'strong'), `: ${what}.`)], speaker: null };
  }
  const time = formatMinute(head.time);
  const facts = span(time === '' ? '' : `  ${time}`, 'faint');
  const title = line(span(name, 'strong'), '  ', span(formatId(head.id) ?? '', 'id'), facts);
  return { kind: 'mark', blocks: [title, line(`  ${what}`)], speaker: null };
}

/** A text that is folded, and what is below it if it is unfolded; neither for what has no text. */
export function renderFold(
  conversation: Conversation,
  head: Head,
  name: string,
  folded?: { readonly text: string; readonly body: Doc },
): Part {
  if (!folded) return renderLine(conversation, head, [span(name, 'faint')]);
  const title = describeFold(name, folded.text, conversation);
  return renderLine(conversation, head, [span(title, 'faint')], () => folded.body);
}

/** A line, and what is below it if it is unfolded. */
export function renderLine(
  { isDocument, isOpen }: Conversation,
  head: Head,
  title: readonly Span[],
  body: () => Doc = () => [],
): Part {
  const below = isDocument || isOpen ? body() : [];
  const id = isDocument ? [] : [span('  '), span(formatId(head.id) ?? '', 'id'), span('  ')];
  return { kind: 'fold', blocks: [{ kind: 'fold', summary: [...id, ...title], body: below }] };
}
