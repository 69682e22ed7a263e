import type { JsonObject } from '#base/json.js';
import { once } from '#base/memoize.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { formatId, type Head, toHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';
import type { Session } from '#session/session.js';
import { buildTree } from '#session/tree/tree.js';
import { NEWLINE } from '../bytes/ascii.js';
import { hashSource } from '../bytes/hash-source.js';
import { assertAppendable } from './appendable.js';
import type { Plan } from './plan.js';
import { buildStockContent, listIgnoredByStock } from './stock-view.js';

/** A session and entries to append to it, with the context before and after. */
export interface Draft {
  readonly session: Session;
  readonly entries: readonly JsonObject[];
  /** The session with the entries appended. */
  readonly longer: Session;
  /** The entry whose context the draft is compared with: the leaf, or the entry where a branch begins. */
  readonly from: Head | null;
  /** The context at that entry. */
  readonly before: ContextEnvelope;
  /** The context at the last entry appended. */
  readonly after: ContextEnvelope;
  /** The hashes of the context after; computed when first asked for. */
  readonly predicted: () => Plan['predicted'];
}

/**
 * Appends entries to a session in memory, and compares with the context at `from`. It replays the context before and
 * after, so it takes as long as reading the session. Throws a CtxError: refused for a session that nothing can be appended
 * to, input if the session or the entries cannot be replayed.
 */
export function buildDraft(session: Session, entries: readonly JsonObject[], from = session.tree.leaf): Draft {
  assertAppendable(session);
  return redraft({ session, from, before: buildEnvelope(attachPatchReader(session), from) }, entries);
}

/** Drafts other entries for the session of a draft, and reuses its context before them. */
export function redraft(
  { session, from, before }: Pick<Draft, 'session' | 'from' | 'before'>,
  newEntries: readonly JsonObject[],
): Draft {
  // Readers parse JSON, which lacks undefined values, so the draft has the entries as they will be read.
  const entries = newEntries.map((entry) => JSON.parse(JSON.stringify(entry)) as JsonObject);
  const longer = appendInMemory(session, entries);
  const after = entries.length === 0 ? before : buildEnvelope(attachPatchReader(longer), longer.tree.leaf);
  return { session, entries, longer, from, before, after, predicted: once(() => predictHashes(longer, after)) };
}

/** The tokens of the provider by which a draft makes the context smaller. */
export function countSavedTokens({ before, after }: Pick<Draft, 'before' | 'after'>): number {
  return before.meta.size.tokens - after.meta.size.tokens;
}

function predictHashes(longer: Session, after: ContextEnvelope): Plan['predicted'] {
  const sha256 = hashEnvelope(after);
  const hasTransforms = !longer.tree.heads.ofType('context_transform').next().done;
  const stockSha256 = hasTransforms ? hashEnvelope(buildStockContent(longer, longer.tree.leaf)) : sha256;
  return { sha256, stockSha256 };
}

/** The plan that writes a draft, for the command that made it. Hashes the whole file of the session. */
export function buildPlan({ session, entries, before, after, predicted }: Draft, command: string): Plan {
  const { source, header, tree } = session;
  return {
    schema: 'ctx/plan',
    schemaVersion: 1,
    command,
    session: {
      file: session.file,
      id: header.id,
      size: source.size,
      sha256: hashSource(source),
      leafId: formatId(tree.leaf?.id),
      endsWithNewline: source.size === 0 || source.read(source.size - 1, source.size)[0] === NEWLINE,
    },
    entries,
    ignoredByStock: listIgnoredByStock(entries),
    predicted: predicted(),
    tokens: { before: before.meta.tokens, after: after.meta.tokens },
    size: { before: before.meta.size, after: after.meta.size },
  };
}

/** A session with entries appended: what reading the longer file would give, without the file. */
export function appendInMemory(session: Session, entries: readonly JsonObject[]): Session {
  if (entries.length === 0) return session;
  const { heads } = session.tree;
  const first = heads.length;
  const all = new Heads(entries.length, heads);
  let line = session.scan.isWhole ? heads.length + 1 : 1;
  if (first > 0) line = Math.max(line, heads.lineAt(first - 1));
  for (const entry of entries) {
    line += 1;
    all.push(toHead(entry, { line, offset: session.source.size, length: 0 }));
  }
  return {
    ...session,
    tree: buildTree(all),
    entry: (head) => (head.index < first ? session.entry(head) : (entries[head.index - first] ?? {})),
  };
}
