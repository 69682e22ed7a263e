import { asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { incrementCount } from '#base/maps.js';
import { formatTime } from '#base/time.js';
import type { OpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { PortableMessage } from '#session/agents/conversation.js';
import type { AgentFormat } from '#session/agents/define.js';
import { formatId } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { type Loss, LossCounter } from './losses.js';
import { pairCalls, toProviderName } from './pair-calls.js';

/** The messages that another agent goes on with, and what it does not get. */
export interface CarriedMessages {
  readonly messages: readonly PortableMessage[];
  readonly losses: readonly Loss[];
  /** The tools that the messages call, with the number of calls. */
  readonly tools: ReadonlyMap<string, number>;
  /** The number of results that come directly after their calls, where a message was between. */
  readonly movedResults: number;
}

/** The abilities of the reader and the writer of a conversation. */
interface Carriers {
  /** The format that the session is read from; null for Pi. */
  readonly from: AgentFormat | null;
  /** See `ConversationWriter`. */
  readonly marksFailures: boolean;
  /** The time of messages that record none: ISO 8601. */
  readonly timestamp: string;
}

/** Takes the messages of a context that any agent can hold. `envelope`: the context at the leaf of the session. */
export function carryMessages(session: OpenSession, envelope: ContextEnvelope, carriers: Carriers): CarriedMessages {
  const losses = new LossCounter();
  const { system, tools, messages, meta } = envelope;
  const portable = messages.cached.flatMap((message, at) => {
    const carried = carryMessage(message, findCustomType(session, meta.provenance[at]), carriers, losses);
    return carried ?? [];
  });
  const { messages: paired, moved } = pairCalls(portable, losses);
  const startsWithSummary = meta.provenance[0]?.origin === 'compaction';
  const carried = paired.map((message, at) =>
    at === 0 && startsWithSummary && isSingleText(message) ? { ...message, isSummary: true } : message,
  );
  losses.add('prompt', system.parts.length + tools.length);
  losses.add('usage', activePath(session.tree).filter(({ usageLength }) => usageLength > 0).length);
  losses.add('history', countHidden(session, meta.provenance));
  const calls = countCalls(carried);
  losses.add('tools', calls.size);
  return { messages: carried, losses: losses.list(), tools: calls, movedResults: moved };
}

function findCustomType({ tree, entry }: OpenSession, provenance: Provenance | undefined): string | null {
  const isOfEntry = provenance?.origin === 'entry' || provenance?.origin === 'edit';
  const head = isOfEntry ? tree.heads.find(provenance.entryId) : null;
  return head?.type === 'custom_message' ? asString(entry(head).customType) : null;
}

/** The messages of the session that are not in the context. */
function countHidden({ tree: { heads } }: OpenSession, provenance: readonly Provenance[]): number {
  const shown = new Set(provenance.map(({ entryId }) => entryId));
  return Array.from(heads).filter(({ type, id }) => type === 'message' && !shown.has(formatId(id))).length;
}

function isSingleText(message: PortableMessage): message is Extract<PortableMessage, { role: 'user' }> {
  return message.role === 'user' && message.content.length === 1 && message.content[0]?.type === 'text';
}

/** Takes a message, without its blocks that do not carry over; null if nothing is left. */
function carryMessage(
  message: LlmMessage,
  customType: string | null,
  { from, marksFailures, timestamp: now }: Carriers,
  losses: LossCounter,
): PortableMessage | null {
  const unportable = from?.findUnportable?.(message, customType) ?? null;
  if (unportable !== null || isFailedAnswer(message)) {
    losses.add(unportable ?? 'answers');
    return null;
  }
  const content = listBlocks(message).flatMap((block) => carryBlock(block, message.role, losses));
  const timestamp = formatTime(Number(message.timestamp ?? Number.NaN)) ?? now;
  if (message.role === 'toolResult') {
    const { toolCallId, toolName, isError } = message;
    if (isError === true && !marksFailures) losses.add('failures');
    return {
      role: 'toolResult',
      toolCallId: asString(toolCallId) ?? '',
      toolName: asString(toolName) ?? '',
      isError: isError === true && marksFailures,
      // A result without content is an empty text.
      content: content.length === 0 ? [{ type: 'text', text: '' }] : content,
      timestamp,
    };
  }
  if (content.length === 0) return null;
  return message.role === 'user'
    ? { role: 'user', content, timestamp, isSummary: false }
    : { role: 'assistant', content, timestamp };
}

/** A block without what only its model accepts, such as signatures; none if it does not carry over. */
function carryBlock(block: JsonObject, role: LlmMessage['role'], losses: LossCounter): readonly JsonObject[] {
  const { type, text, data, mimeType, id, name, arguments: given } = block;
  if (type === 'text') return typeof text === 'string' && text.trim() !== '' ? [{ type, text }] : [];
  if (type === 'toolCall' && role === 'assistant') {
    const input = isObject(given) ? given : { input: given };
    return [{ type, id, name: toProviderName(asString(name) ?? '') || 'tool', arguments: input }];
  }
  if (type === 'image' && role !== 'assistant' && isPicture(data, mimeType)) return [{ type, data, mimeType }];
  if (type === 'thinking') losses.add('thinking');
  else losses.add(type === 'image' ? 'images' : 'other');
  return [];
}

/** Whether providers take an image: of these types, and with its bytes. */
function isPicture(data: unknown, mimeType: unknown): boolean {
  return typeof data === 'string' && data !== '' && PICTURES.has(mimeType);
}

const PICTURES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function countCalls(messages: readonly PortableMessage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of messages.flatMap(({ content }) => content).map(asObject)) {
    if (typeof name === 'string') incrementCount(counts, name);
  }
  return counts;
}
