import type { FactsDocument, ListedFact, ResumeCause } from '#analysis/facts/document.js';
import { readStatedFacts } from '#analysis/facts/fact-reader.js';
import { ALL_FACTS, collectFacts } from '#analysis/facts/facts.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hasPacket } from '#context/replay/ctx-entries.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { resolvePath } from '#session/tree/revision.js';
import { answersRequest } from '#session/tree/turns.js';
import { buildHistory } from './history.js';
import { formatPacket, toPacketMessage, type Whereabouts } from './packet.js';
import { buildFactTest } from './prepare-history.js';

/** The options of `buildFactsDocument`. */
export interface FactsOptions {
  /** The entry up to which messages are read (default: the leaf). */
  readonly revision?: string | undefined;
  /** The largest packet. */
  readonly packetTokens?: number | undefined;
  /** After a compaction or a move in the tree, the packet holds only what left the context. */
  readonly isResuming?: boolean | undefined;
}

/** The size of a packet, where none is given, in tokens. */
export const PACKET_TOKENS = 2000;

/**
 * The goal, constraints, decisions, tasks and blockers of a conversation, and a packet that states them for a model, as
 * `ctx facts --json` prints them. Throws a CtxError (usage) for an unknown revision.
 */
export function buildFactsDocument(session: OpenSession, options: FactsOptions = {}): FactsDocument {
  const { revision, packetTokens = PACKET_TOKENS, isResuming } = options;
  const { at, path } = resolvePath(session, revision);
  const facts = [...readStatedFacts(session, path)];
  const resume = findResumeCause(session, path);
  const whereabouts =
    isResuming && resume ? buildResumeWhereabouts(session, buildEnvelope(session, at), at) : undefined;
  const text = formatPacket(collectFacts(facts, ALL_FACTS), {
    maxTokens: packetTokens,
    ...(whereabouts && { whereabouts }),
  });
  return {
    schema: 'ctx/ledger',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    at: { entryId: formatId(at?.id), line: at?.line ?? null },
    ...collectFacts(facts),
    resume,
    packet: { text, tokens: countMessageTokens(toPacketMessage(text, 0)) },
  };
}

/**
 * The compaction or the move in the tree that no request has followed yet, so that the next one needs a packet. null: the
 * next request goes on where the last one ended.
 */
function findResumeCause(session: Session, path: readonly Head[]): ResumeCause | null {
  const last = path.at(-1);
  if (!last) return null;
  const entries = path.slice(path.findLastIndex(answersRequest) + 1);
  const compaction = entries.findLast((head) => head.type === 'compaction' && !hasPacket(session.entry(head)));
  if (compaction) return toResumeCause('compaction', compaction);
  const isMove = (head: Head): boolean =>
    head.type === 'branch_summary' || head.index !== findIndexAfterParent(path, head);
  const move = entries.findLast(isMove) ?? (last.index < session.tree.heads.length - 1 ? last : null);
  return move && toResumeCause('move', move);
}

/** The position of an entry that was written right after its parent. */
function findIndexAfterParent(path: readonly Head[], head: Head): number {
  const at = path.indexOf(head);
  return at === 0 ? head.index : (path[at - 1]?.index ?? -1) + 1;
}

function toResumeCause(by: ResumeCause['by'], { id, line }: Head): ResumeCause {
  return { by, entryId: formatId(id), line };
}

/**
 * Selects the facts that a packet for resuming needs: all but those of messages in the context, without raw summaries.
 */
function buildResumeWhereabouts(
  session: Session,
  envelope: ContextEnvelope,
  at: Head | null,
): (fact: ListedFact) => Whereabouts {
  const { items } = buildHistory(session, envelope, at);
  const stays = buildFactTest({ items: items.filter(({ kind }) => !kind.endsWith('-summary')) });
  return (fact) => (stays(fact) ? 'stays' : 'leaves');
}
