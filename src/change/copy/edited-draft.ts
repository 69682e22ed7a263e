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
  const bodies = buildBodies(session, draft, findOrigins(before, after));
  const edited = redraft(draft, buildEntryChain(session, formatId(from?.id), bodies, stamps));
  if (findDifference(after, edited.after) === null) return edited;
  throw buildUnfitEditError(
    session,
    'it does more than edit messages, replace the first ones by a text, and add one at the end',
  );
}

/**
 * The place of the old message that each new one was; null for a message that was none. One that is unchanged keeps its origin;
 * between such messages, one of the same role and call takes the place of another.
 */
function findOrigins(before: ContextEnvelope, after: ContextEnvelope): readonly (number | null)[] {
  const places = groupPlaces(before);
  const origins: (number | null)[] = after.meta.provenance.map((from, at) => {
    const own = places.get(nameSource(from)) ?? [];
    const message = after.messages.cached[at];
    // A history that is recorded as a whole has many messages from one entry.
    const found = own.length > 1 ? own.findIndex((place) => isJsonEqual(before.messages.cached[place], message)) : 0;
    return own.splice(Math.max(found, 0), 1)[0] ?? null;
  });
  const taken = new Set(origins);
  // A text before all that stay replaces what was there, which may be a summary itself.
  const hasSummary = (origins[1] ?? 0) > 1 && origins[0] === null;
  let least = 0;
  for (const [at, message] of after.messages.cached.entries()) {
    const own = origins[at] ?? null;
    if (own !== null) least = own + 1;
    if (own !== null || (hasSummary && at === 0)) continue;
    const next = origins.slice(at).find((origin) => origin !== null) ?? before.messages.cached.length;
    for (let place = least; place < next; place += 1) {
      const old = before.messages.cached[place];
      if (!old || taken.has(place) || !canBecome(old, message)) continue;
      origins[at] = place;
      taken.add(place);
      least = place + 1;
      break;
    }
  }
  return origins;
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

function canBecome(old: LlmMessage, message: LlmMessage): boolean {
  return old.role === message.role && old.toolCallId === message.toolCallId;
}

function buildBodies(
  session: Session,
  { before, after }: Draft,
  origins: ReturnType<typeof findOrigins>,
): readonly EntryBody[] {
  const old = before.messages.cached;
  const messages = after.messages.cached;
  const first = origins.findIndex((origin) => origin !== null);
  const last = origins.findLastIndex((origin) => origin !== null);
  const isInOrder = origins.every((origin, at) => origin === null || at === first || origin > (origins[at - 1] ?? -1));
  if (first === -1 || !isInOrder) throw buildUnfitEditError(session, 'it leaves none of the messages, or moves them');
  const [summary, ...others] = messages.slice(0, first);
  const added = messages.slice(last + 1);
  if (others.length > 0 || origins.slice(first, last).includes(null))
    throw buildUnfitEditError(session, 'it adds a message before others');
  const kept = new Set(origins);
  const start = summary ? (origins[first] ?? 0) : 0;
  const bodies: EntryBody[] = summary ? [buildSummary(session, before, { summary, start })] : [];
  for (const [place, message] of old.entries()) {
    if (place < start) continue;
    const now = kept.has(place) ? messages[origins.indexOf(place)] : null;
    if (now && isJsonEqual({ content: listBlocks(message) }, { content: listBlocks(now) })) continue;
    const targetId = findEntryAt(session, before, place);
    bodies.push({ type: 'context_edit', targetId, replacement: now ? { content: now.content } : null });
  }
  return [
    ...bodies,
    ...added.map((message) => ({ type: 'custom_message', content: readText(session, message), display: false })),
  ];
}

/** A text instead of all messages before one. */
function buildSummary(
  session: Session,
  before: ContextEnvelope,
  { summary, start }: { readonly summary: LlmMessage; readonly start: number },
): EntryBody {
  const { tokens } = before.meta.size;
  return {
    type: 'compaction',
    summary: readText(session, summary),
    firstKeptEntryId: findEntryAt(session, before, start),
    tokensBefore: tokens,
    sentVerbatim: true,
  };
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
