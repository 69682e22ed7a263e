import type { ReadingBlock } from '#analysis/reading/reading-block.js';
import { buildEntryBlocks } from '#analysis/reading/reading-blocks.js';
import { asText, type JsonObject } from '#base/json.js';
import { readEntryMessage } from '#context/replay/convert.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { verbatim } from '../doc/doc.js';
import { type CallWords, describeArguments, isCutOnLine, readResult, renderCallLine } from './call-line.js';
import { type Conversation, describeEdited, type Part, renderLine } from './conversation-part.js';
import { renderReading } from './message-view.js';

/** A call in words, and the blocks of its arguments. */
export interface ReadCall {
  readonly words: CallWords;
  readonly below: readonly ReadingBlock[];
}

/** A call with its result, as one line or with all that belongs to it. */
export function renderCall(conversation: Conversation, head: Head, call: JsonObject, { words, below }: ReadCall): Part {
  const { results, isShort, cwd } = conversation;
  const found = results.take(call.id);
  const result = found && readResult(found.entry, call, cwd);
  const note = found ? describeEdited(conversation, found.head) : '';
  // Details that a line shows describe the call well enough.
  const hasDetails = !isShort && words.details.length > 0;
  const subject = words.subject === '' && !hasDetails ? describeArguments(call, cwd) : words.subject;
  const title = renderCallLine({ ...words, subject }, { result, note }, conversation);
  return renderLine(conversation, found?.head ?? head, title, () => {
    const blocks = renderReading([...below, ...(result?.blocks ?? [])], true);
    return isCutOnLine(words.subject) ? [verbatim(words.subject), ...blocks] : blocks;
  });
}

/** A result whose call is not among the entries. */
export function renderLoneResult(conversation: Conversation, head: Head, entry: Entry): Part {
  const { calls, cwd } = conversation;
  const call = calls.findCall(head, entry);
  const result = readResult(entry, call ?? undefined, cwd);
  const words = {
    tool: asText(call?.name ?? readEntryMessage(entry)?.toolName ?? '?'),
    subject: call ? describeArguments(call, cwd) : '',
    details: [],
  };
  const title = renderCallLine(words, { result, note: describeEdited(conversation, head) }, conversation);
  return renderLine(conversation, head, title, () => renderReading(result.blocks, true));
}

/** A command that the user ran. */
export function renderShell(conversation: Conversation, head: Head, entry: Entry): Part {
  const [first, ...blocks] = buildEntryBlocks(entry, { cwd: conversation.cwd }) ?? [];
  const { subject, details } = first?.kind === 'call' ? first : { subject: '', details: [] };
  const text = blocks.map((block) => (block.kind === 'output' ? block.content.text : '')).join('');
  const result = { blocks, text, isFailed: details.length > 0, images: 0 };
  const words = { tool: '$', subject, details: [] };
  const title = renderCallLine(words, { result, note: details.join(', ') }, conversation);
  return renderLine(conversation, head, title, () => renderReading(blocks, true));
}
