import { candidatesIn } from '#analysis/ledger/candidates.js';
import type { LedgerDocument } from '#analysis/ledger/document.js';
import { ALL, ledgerOf } from '#analysis/ledger/ledger.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build.js';
import { tokensOfMessage } from '#context/replay/tokens.js';
import { idText } from '#session/table/head.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { packetMessage, packetText } from './packet.js';
import { resumeCause, resumeWhereabouts } from './resume.js';

/** The options of `factsOf`. */
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
export function factsOf(session: OpenSession, options: FactsOptions = {}): LedgerDocument {
  const { revision = 'HEAD', packetTokens = PACKET_TOKENS, isResuming } = options;
  const at = resolveRevision(session, revision);
  const path = at ? pathTo(session.tree, at) : [];
  const candidates = [...candidatesIn(session, path)];
  const resume = resumeCause(session, path);
  const whereabouts =
    isResuming && resume ? resumeWhereabouts(session, buildEnvelope(session, at, session.readPatch), at) : undefined;
  const text = packetText(ledgerOf(candidates, ALL), { maxTokens: packetTokens, ...(whereabouts && { whereabouts }) });
  return {
    schema: 'ctx/ledger',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    at: { entryId: idText(at?.id), line: at?.line ?? null },
    ...ledgerOf(candidates),
    resume,
    packet: { text, tokens: tokensOfMessage(packetMessage(text, 0)) },
  };
}
