import { CtxError } from '#base/errors.js';
import { asString, type JsonObject, listObjects } from '#base/json.js';
import { once } from '#base/memoize.js';
import { readPatch } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { hashEnvelope } from '#context/replay/hash.js';
import type { ReadPatch } from '#context/replay/patch-op.js';
import { findRepeatedTransform } from '#context/replay/selection.js';
import { replayPath } from '#context/walk.js';
import { copyHead, formatId, type Head, quoteId, toHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';
import { describeVersion } from '#session/scan/header.js';
import type { Session } from '#session/session.js';
import { activePath, buildTree, findLastResult, parentOf, pathTo, type Tree } from '#session/tree/tree.js';
import { hashSource } from '../bytes/rope.js';
import type { Plan } from './plan.js';

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
 * Appends entries to a session in memory, and compares with the context at `from`. Takes as long as reading the
 * session: it replays the context before and after. Throws a CtxError: refused for a session that nothing can be appended to, input where it, or what is appended,
 * cannot be replayed.
 */
export function buildDraft(session: Session, entries: readonly JsonObject[], from = session.tree.leaf): Draft {
  assertAppendable(session);
  return redraft({ session, from, before: buildEnvelope(session, from, readPatch) }, entries);
}

/** Another draft for the session of a draft, whose context before is not built again. */
export function redraft(
  { session, from, before }: Pick<Draft, 'session' | 'from' | 'before'>,
  wanted: readonly JsonObject[],
): Draft {
  // As they will be read again.
  const entries = wanted.map((entry) => JSON.parse(JSON.stringify(entry)) as JsonObject);
  const longer = appendInMemory(session, entries);
  const after = entries.length === 0 ? before : buildEnvelope(longer, longer.tree.leaf, readPatch);
  return { session, entries, longer, from, before, after, predicted: once(() => predictionOf(longer, after)) };
}

function predictionOf(longer: Session, after: ContextEnvelope): Plan['predicted'] {
  const sha256 = hashEnvelope(after);
  const hasTransforms = !longer.tree.heads.ofType('context_transform').next().done;
  const stockSha256 = hasTransforms ? hashEnvelope(stockContent(longer, longer.tree.leaf)) : sha256;
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

const NEWLINE = 0x0a;
const CURRENT_VERSION = 3;

/** Throws a CtxError (refused) for a session that Pi would rewrite, or that has no place to append to. */
export function assertAppendable({ header, file, tree }: Session): void {
  if (!(header.version >= CURRENT_VERSION)) {
    throw new CtxError('refused', `ctx cannot append to a session of ${describeVersion(header.version)}`, {
      where: file,
      hint: 'convert it first: ctx migrate --output NEW.jsonl (Pi gives its entries new ids when it opens it)',
    });
  }
  const { last } = tree.heads;
  if (last === undefined) return;
  // An entry whose parent is '' is a root for Pi.
  if (typeof last.id !== 'string' || last.id === '')
    throw unfit('the last entry has no id, so no entry can follow it', `${file}:${last.line}`);
  const [root] = pathTo(tree, last);
  if (root && parentOf(tree, root)) throw unfit('the parents of the last entry form a cycle', `${file}:${root.line}`);
}

function unfit(what: string, where: string): CtxError {
  const hint = 'repair the session first: ctx repair --output NEW.jsonl';
  return new CtxError('refused', what, { where, hint });
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

/** Throws a CtxError (refused) for a change that parts a tool call from its result. A patch may begin a branch between them. */
export function assertPairsIntact({ session, entries, before, after }: Parting, command: string): void {
  const results = resultsBelow(session.tree, asString(entries[0]?.['parentId']));
  const { cached } = before.messages;
  // The results of the last calls are in the file if they are below the entry where a branch begins.
  const isBetween = results !== null && command !== 'apply';
  const end = isBetween
    ? Math.max(
        0,
        cached.findLastIndex(({ role }) => role === 'assistant'),
      )
    : cached.length;
  const [first, ...others] = findSeparatedIds(cached.slice(0, end), after.messages.cached);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  const instead = results === null ? 'change both or neither' : `use --at ${results}, the last result of its calls`;
  throw new CtxError('refused', `this would separate the tool call ${quoteId(first)} from its result${more}`, {
    where: session.file,
    hint: `${instead}; --force writes it anyway, but most providers reject the next request`,
  });
}

type Parting = Pick<Draft, 'entries'> & {
  readonly session: Pick<Session, 'file' | 'tree'>;
  readonly before: EnvelopeContent;
  readonly after: EnvelopeContent;
};

/** The last result of the calls of the entry where a branch begins; null: there is none after it. */
function resultsBelow(tree: Tree, id: string | null): string | null {
  const from = id === null ? undefined : tree.heads.find(id);
  if (!from) return null;
  const last = findLastResult(
    tree.heads,
    activePath(tree).map(({ index }) => index),
    from.index,
  );
  return last === from.index ? null : formatId(tree.heads.at(last)?.id);
}

/**
 * The ids of tool calls and results that stand alone in one list of messages but not in the other: what a change
 * would separate. A result only counts after its call.
 */
export function findSeparatedIds(before: readonly LlmMessage[], after: readonly LlmMessage[]): readonly string[] {
  const known = aloneIn(before);
  return [...aloneIn(after)].filter((id) => !known.has(id));
}

function aloneIn(messages: readonly LlmMessage[]): ReadonlySet<string> {
  const open = new Set<string>();
  const answered = new Set<string>();
  const alone = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const { type, id } of listObjects(message['content']))
        if (type === 'toolCall' && typeof id === 'string') open.add(id);
    } else if (message.role === 'toolResult') {
      const id = asString(message['toolCallId']);
      if (id === null) continue;
      if (open.delete(id)) answered.add(id);
      else if (!answered.has(id)) alone.add(id);
    }
  }
  return new Set([...alone, ...open]);
}

/**
 * Whether the agent that reads a path knows transforms: the path holds one that no stock compaction repeats. Stock Pi
 * never writes a transform, and `ctx` writes both halves of a dual write for sessions of stock Pi.
 */
export function hasLoneTransform(session: Session, path: readonly Head[]): boolean {
  return path.some(({ type }, at) => type === 'context_transform' && !isDualWritten(session, path, at));
}

/** Whether the transform at a place of a path is the first half of a dual write. */
export function isDualWritten(session: Session, path: readonly Head[], at: number): boolean {
  return path[at + 1]?.type === 'compaction' && findRepeatedTransform(session, path, at + 1) !== null;
}

/** The ids of new entries that stock Pi ignores; a transform that a stock compaction repeats is honoured through it. */
export function listIgnoredByStock(entries: readonly JsonObject[]): readonly string[] {
  return entries.flatMap((entry, at) =>
    UNKNOWN_TO_STOCK.has(entry['type']) && !isRepeatedBy(entry, entries[at + 1]) ? (asString(entry['id']) ?? []) : [],
  );
}

const UNKNOWN_TO_STOCK: ReadonlySet<unknown> = new Set(['context_transform', 'ephemeral']);

function isRepeatedBy({ id, transformerName }: JsonObject, next: JsonObject | undefined): boolean {
  return transformerName === 'compaction' && next?.['type'] === 'compaction' && next['parentId'] === id;
}

/** The context that Pi, which knows no transforms, shows at an entry. */
function stockContent(session: Session, at: Head | null): EnvelopeContent {
  const path = (at ? pathTo(session.tree, at) : []).map(withoutTransform);
  return replayPath(session, path, { readPatch: ignorePatches }).content();
}

/** An entry that does nothing and shadows no compaction. */
function withoutTransform(head: Head): Head {
  return head.type === 'context_transform' ? { ...copyHead(head), index: head.index, type: 'custom' } : head;
}

/** A session as Pi sees it, which knows no transforms: none shadows a compaction. */
export function hideTransforms(session: Session): Session {
  return { ...session, entry: (head) => (head.type === 'context_transform' ? {} : session.entry(head)) };
}

/** Transforms do nothing. */
export const ignorePatches: ReadPatch = () => [];
