import { isJsonEqual } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import { addTo } from '#base/maps.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Draft, redraft } from '../plan/draft.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain, type EntryBody } from '../plan/new-entries.js';
import { findDifference } from './build-copy.js';

/**
 * A draft with the same context, whose entries a copy can hold: edits of messages, a summary before them, and texts of the
 * user after them. Throws a CtxError (refused) where no such entries lead to that context.
 */
export function toEditedDraft(draft: Draft, stamps: EntryStamps): Draft {
  const { session, before, after, from } = draft;
  if (!isJsonEqual(before.system.parts, after.system.parts) || !isJsonEqual(before.tools, after.tools))
    throw buildUnfitEditError(session, 'the prompt and the tools are those with which the agent starts');
  const bodies = buildBodies(session, before, splitContext(session, before, after));
  const edited = redraft(draft, buildEntryChain(session, formatId(from?.id), bodies, stamps));
  if (findDifference(after, edited.after) === null) return edited;
  throw buildUnfitEditError(
    session,
    'it does more than edit messages, replace the first ones by a text, and add one at the end',
  );
}

/** A new context in parts: what replaces the first old messages, those that stay, and what follows them. */
interface ContextParts {
  /** The text that replaces the messages before the first one that stays; null if none does. */
  readonly summary: LlmMessage | null;
  /** The messages that stay, as they are now, by the places of the old ones. */
  readonly kept: ReadonlyMap<number, LlmMessage>;
  /** The messages after those. */
  readonly added: readonly LlmMessage[];
}

/** Throws a CtxError (refused) for a context that edits, a summary and added texts do not lead to. */
function splitContext(session: Session, before: ContextEnvelope, after: ContextEnvelope): ContextParts {
  const messages = after.messages.cached;
  const origins = findOrigins(before, after);
  const first = origins.findIndex((origin) => origin !== null);
  const last = origins.findLastIndex((origin) => origin !== null);
  const isInOrder = origins.every((origin, at) => origin === null || at === first || origin > (origins[at - 1] ?? -1));
  if (first === -1 || !isInOrder) throw buildUnfitEditError(session, 'it leaves none of the messages, or moves them');

  const [summary = null, ...others] = messages.slice(0, first);
  const kept = origins.slice(first, last + 1);
  if (others.length > 0 || kept.includes(null)) throw buildUnfitEditError(session, 'it adds a message before others');
  return {
    summary,
    kept: new Map(messages.slice(first, last + 1).map((message, at) => [kept[at] ?? -1, message])),
    added: messages.slice(last + 1),
  };
}

/**
 * The place of the old message that each new one was; null for a message that was none. One that is unchanged keeps its origin;
 * between such messages, one of the same role and call takes the place of another.
 */
function findOrigins(before: ContextEnvelope, after: ContextEnvelope): readonly (number | null)[] {
  const old = before.messages.cached;
  const origins = findUnchangedOrigins(before, after);
  const taken = new Set(origins);
  // A text before all that stay replaces several messages, one of which may be a summary itself. It is none of them.
  const hasSummary = origins[0] === null && (origins[1] ?? 0) > 1;
  /** The place after the origin of the last message. */
  let from = 0;
  for (const [at, message] of after.messages.cached.entries()) {
    const isChanged = origins[at] === null && !(hasSummary && at === 0);
    if (isChanged) {
      const until = origins.slice(at).find((origin) => origin !== null) ?? old.length;
      const candidates = old.slice(from, until);
      const alike = candidates.findIndex((one, place) => !taken.has(from + place) && isAlike(one, message));
      if (alike !== -1) origins[at] = from + alike;
    }
    const origin = origins[at] ?? null;
    if (origin === null) continue;
    taken.add(origin);
    from = origin + 1;
  }
  return origins;
}

/** The places of the old messages from the same entries. */
function findUnchangedOrigins(before: ContextEnvelope, after: ContextEnvelope): (number | null)[] {
  const places = groupPlaces(before);
  return after.meta.provenance.map((from, at) => {
    const own = places.get(nameSource(from)) ?? [];
    const message = after.messages.cached[at];
    // A history that is recorded as a whole has many messages from one entry: an equal one comes before the first one.
    const equal = own.length > 1 ? own.findIndex((place) => isJsonEqual(before.messages.cached[place], message)) : 0;
    const [origin = null] = own.splice(Math.max(equal, 0), 1);
    return origin;
  });
}

/** The places of the messages that come from an entry, in their order. */
function groupPlaces({ meta }: ContextEnvelope): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, from] of meta.provenance.entries()) addTo(places, nameSource(from), place);
  return places;
}

function nameSource({ origin, line, entryId }: Provenance): string {
  return `${origin} ${line} ${entryId}`;
}

function isAlike(one: LlmMessage, other: LlmMessage): boolean {
  return one.role === other.role && one.toolCallId === other.toolCallId;
}

/** The fields of the new entries: a compaction for the summary, edits, and messages of the user. */
function buildBodies(
  session: Session,
  before: ContextEnvelope,
  { summary, kept, added }: ContextParts,
): readonly EntryBody[] {
  const bodies: EntryBody[] = [];
  const [firstKept = 0] = kept.keys();
  const start = summary ? firstKept : 0;
  if (summary) {
    bodies.push({
      type: 'compaction',
      summary: readText(session, summary),
      firstKeptEntryId: findEntryAt(session, before, start),
      tokensBefore: before.meta.size.tokens,
      sentVerbatim: true,
    });
  }
  for (const [place, message] of before.messages.cached.entries()) {
    const keptMessage = kept.get(place);
    if (place < start || (keptMessage && hasSameContent(message, keptMessage))) continue;
    const targetId = findEntryAt(session, before, place);
    bodies.push({ type: 'context_edit', targetId, replacement: keptMessage ? { content: keptMessage.content } : null });
  }
  for (const message of added)
    bodies.push({ type: 'custom_message', content: readText(session, message), display: false });
  return bodies;
}

function hasSameContent(one: LlmMessage, other: LlmMessage): boolean {
  return isJsonEqual({ content: listBlocks(one) }, { content: listBlocks(other) });
}

function readText(session: Session, message: LlmMessage): string {
  const [block, ...others] = listBlocks(message);
  if (message.role === 'user' && block?.type === 'text' && others.length === 0) return String(block.text);
  throw buildUnfitEditError(session, 'it adds a message that is no text of the user');
}

/** The entry of a message. A summary, or a history that a client recorded as a whole, is no message of its own. */
function findEntryAt(session: Session, { meta }: ContextEnvelope, place: number): string | null {
  const from = meta.provenance[place];
  if (from && (from.origin === 'entry' || from.origin === 'edit')) return from.entryId;
  throw buildUnfitEditError(session, 'it changes what a compaction of the agent wrote');
}

function buildUnfitEditError({ agent, file }: Session, why: string): CtxError {
  return new CtxError('refused', `a copy for ${agent?.title ?? 'this agent'} cannot hold this patch: ${why}`, {
    where: file,
    hint: 'a patch may edit and drop messages, replace the first ones by a text, and add a text at the end',
  });
}
