import { buildReadingBlocks } from '#analysis/reading/reading-blocks.js';
import { asString, asText, isObject, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { describeEdit, describeKept } from '#context/words/describe-changes.js';
import { describeEntry, nameEntry } from '#context/words/entry-text.js';
import { type Entry, readTransformerName } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import { type Block, cutLine, line, span, verbatim } from '../doc/doc.js';
import { type Conversation, type Part, renderFold, renderLine, renderMark } from './conversation-part.js';
import { renderReading } from './message-view.js';

/** A compaction or the return from another branch, with its summary. */
export function listSummaryParts(conversation: Conversation, head: Head, entry: Entry): readonly Part[] {
  const kept = describeKept(formatId(head.id), asString(entry.firstKeptEntryId));
  const mark =
    entry.type === 'compaction'
      ? renderMark(conversation, head, 'compaction', `from here on the context ${kept}, after a summary`)
      : renderMark(conversation, head, 'branch', 'the conversation comes back from another branch');
  const text = asText(entry.summary ?? '');
  if (text.trim() === '') return [mark];
  return [mark, renderFold(conversation, head, 'summary', { text, body: [verbatim(text, 'markdown')] })];
}

/** An entry that is no message: a change of the context, or of a setting. */
export function listOtherParts(conversation: Conversation, head: Head, entry: Entry): readonly Part[] {
  const { session, hasHidden, isOpen } = conversation;
  if (entry.type === 'context_edit') return [renderEdit(conversation, head, entry)];
  const isTransform = entry.type === 'context_transform';
  // A compaction of Pi has an entry of its own.
  if (isTransform && session.agent && readTransformerName(entry) === 'compaction') {
    const messages = listObjects(entry.patch).flatMap((op) => listObjects(op.messages));
    const what = `from here on the context has ${pluralize(messages.length, 'message')} instead`;
    return [renderMark(conversation, head, 'compaction', what)];
  }
  const isShown = isTransform || (hasHidden && (isOpen || !UNSEEN.has(entry.type ?? '')));
  if (!isShown) return [];
  const preview = describeEntry(entry);
  const name = nameEntry(head, session).replaceAll('_', ' ');
  return [renderLine(conversation, head, [span(preview === '' ? name : `${name}: ${preview}`, 'faint')])];
}

/** Entries that say nothing about the conversation. */
const UNSEEN: ReadonlySet<string> = new Set(['custom', 'usage', 'model_usage']);

function renderEdit(conversation: Conversation, head: Head, { replacement }: Entry): Part {
  const what = describeEdit(asText(head.target), !isObject(replacement));
  const blocks = isObject(replacement) ? buildReadingBlocks({ role: 'user', content: replacement.content }) : [];
  const title = [span('edit', 'strong'), span(`: ${what}`)];
  return renderLine(conversation, head, title, () => renderReading(blocks, true));
}

/** The first entries of other branches, which begin at an entry. */
export function renderForks(conversation: Conversation, forks: readonly Head[]): Part {
  return { kind: 'mark', blocks: forks.map((fork) => renderFork(conversation, fork)) };
}

function renderFork({ session, isDocument, hasHidden }: Conversation, fork: Head): Block {
  const id = span(formatId(fork.id) ?? `line ${fork.line}`, 'id');
  if (isDocument) return line('Another branch begins here: ', id);
  const preview = hasHidden ? `  ${describeEntry(session.entry(fork))}` : '';
  return cutLine(span('  another branch from here: ', 'faint'), id, span(preview, 'faint'));
}
