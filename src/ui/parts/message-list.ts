import { sortLargestFirst } from '#base/lists.js';
import { formatCount } from '#base/numbers.js';
import { isFailedAnswer, readSentRole } from '#context/replay/convert.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { formatCall, previewMessage } from '#context/words/message-text.js';
import { type Block, type Doc, flexible, left, line, right, type Span, span, table } from '../doc/doc.js';
import { describeOrigin, findAnsweredCall } from './message-view.js';

/** The number of first messages that stay on the screen: the summary or the task is among them. */
const FIRST_MESSAGES = 2;

/** The way in which messages are listed. */
export interface MessageListing {
  readonly rows: number;
  /** The largest first, instead of in order. */
  readonly bySize?: boolean;
}

/** The messages as one line each, at most `rows` of them. */
export function renderMessages(envelope: EnvelopeOverview, { rows, bySize = false }: MessageListing): Doc {
  const { messages, meta, session } = envelope;
  const length = messages.cached.length + messages.uncached.length;
  if (length === 0) return [line(span('  no messages', 'faint'))];
  // Clients of other agents have rules of their own.
  const notes = !session.agent && hasFailed(messages, Math.max(0, length - rows)) ? [UNSENT] : [];
  const inOrder = Array.from({ length }, (_, at) => at);
  const all = bySize ? sortLargestFirst(inOrder, (at) => meta.composition.messages[at]?.tokens ?? 0) : inOrder;
  if (length <= rows) return [buildMessageTable(renderMessageRows(envelope, all)), ...notes];
  const first = bySize ? rows - 1 : FIRST_MESSAGES;
  const newest = rows - first - 1;
  const hidden = length - first - newest;
  const more = [
    span(`… ${formatCount(hidden)} more: use --part messages to list all, --message N to show one`, 'faint'),
  ];
  const shown = [
    ...renderMessageRows(envelope, all.slice(0, first)),
    more,
    ...renderMessageRows(envelope, all.slice(length - newest)),
  ];
  return [buildMessageTable(shown), ...notes];
}

const UNSENT = line(span('  Pi leaves answers marked (aborted) or (error) out of every request.', 'faint'));

/** Whether one of the messages from an index on failed. */
function hasFailed(messages: EnvelopeOverview['messages'], from: number): boolean {
  for (let at = from; at < messages.cached.length; at += 1) {
    const message = messages.cached.at(at)?.message;
    if (message && isFailedAnswer(message)) return true;
  }
  return false;
}

/** The tokens of messages are shares of the size of the context: no provider counts one alone. */
function buildMessageTable(rows: readonly (readonly Span[])[]): Block {
  return table([right('#'), left('role'), left('entry'), right('~tokens'), flexible('preview')], rows);
}

/** An envelope whose messages are listed, with their shares of its size. */
type ListedEnvelope = Pick<EnvelopeOverview, 'messages'> & {
  readonly meta: Pick<EnvelopeOverview['meta'], 'composition'>;
  readonly session: Pick<EnvelopeOverview['session'], 'cwd'>;
};

function renderMessageRows(envelope: ListedEnvelope, places: readonly number[]): readonly (readonly Span[])[] {
  return places.map((at) => {
    const row = buildMessageRow(envelope, at);
    if (!row) return [];
    const role = span(row.role, row.isOfUser ? 'strong' : 'plain');
    return [span(row.number, 'faint'), role, span(row.entryId, 'id'), span(row.tokens), span(row.preview)];
  });
}

/** The message at a place. `index` counts the cached messages from 0, then the others. */
export function findMessageAt({ cached, uncached }: EnvelopeOverview['messages'], index: number) {
  const isCached = index < cached.length;
  const found = isCached ? cached.at(index) : uncached.at(index - cached.length);
  return found && { ...found, isCached };
}

/** A message on one line. */
export interface MessageRow {
  readonly number: string;
  /** The role that the model sees. */
  readonly role: string;
  /** Whether it is a message of the user, whatever role the model sees. */
  readonly isOfUser: boolean;
  /** The id of its entry; empty for a message without one. */
  readonly entryId: string;
  readonly tokens: string;
  readonly preview: string;
}

/** The row of the message at a place: see `findMessageAt`. */
export function buildMessageRow({ messages, meta, session }: ListedEnvelope, index: number): MessageRow | null {
  const found = findMessageAt(messages, index);
  if (!found) return null;
  const { message, from, isCached } = found;
  const cwd = session.cwd ?? '';
  const origin = describeOrigin({ provenance: from, isCached });
  const call = findAnsweredCall((at) => messages.cached.at(at)?.message, index, messages.cached.roleAt, message);
  const preview = previewMessage(message, call ? formatCall(call, cwd) : null, cwd);
  return {
    number: String(index + 1),
    role: readSentRole(message),
    isOfUser: message.role === 'user',
    entryId: from?.entryId ?? '',
    tokens: formatCount(meta.composition.messages[index]?.tokens ?? 0),
    preview: origin === '' ? preview : `[${origin}] ${preview}`,
  };
}
