import { createHash } from 'node:crypto';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { hashEnvelope } from '#context/replay/hash.js';
import type { ByteSource } from '#session/scan/bytes.js';
import type { Session } from '#session/session.js';
import { idText } from '#session/table/head.js';
import { parentOf, pathTo } from '#session/tree/tree.js';
import { extended } from './extended.js';
import type { Plan } from './plan.js';
import { ignoredByStock } from './reader.js';
import { stockContent } from './stock.js';

export interface PlanRequest {
  /** The command that asks. */
  readonly command: string;
  /** What is appended, in order. */
  readonly entries: readonly JsonObject[];
}

/**
 * Says what appending entries will make of a session. Throws a CtxError: refused for a session that nothing can be
 * appended to, input where it, or what is appended, cannot be replayed.
 */
export function makePlan(session: Session, { command, entries: wanted }: PlanRequest): Plan {
  refuseUnfit(session);
  // As they will be read again.
  const entries = wanted.map((entry) => JSON.parse(JSON.stringify(entry)) as JsonObject);
  const { source, header, tree } = session;
  return {
    schema: 'ctx/plan',
    schemaVersion: 1,
    command,
    session: {
      file: session.file,
      id: header.id,
      size: source.size,
      sha256: knownSha256Of(source),
      leafId: idText(tree.leaf?.id),
      endsWithNewline: source.size === 0 || source.read(source.size - 1, source.size)[0] === NEWLINE,
    },
    entries,
    ignoredByStock: ignoredByStock(entries),
    ...effectOf(session, entries),
  };
}

const NEWLINE = 0x0a;
const CURRENT_VERSION = 3;

/** Throws a CtxError (refused) for a session that Pi would rewrite, or that has no place to append to. */
export function refuseUnfit({ header, file, tree }: Session): void {
  if (!(header.version >= CURRENT_VERSION)) {
    throw new CtxError('refused', `a session of version ${header.version} is never appended to`, {
      where: file,
      hint: 'Pi gives its entries new ids when it opens it: write it anew with ctx migrate --output NEW.jsonl',
    });
  }
  const { last } = tree.heads;
  if (last === undefined) return;
  // An entry whose parent is '' stands at the root for Pi.
  if (typeof last.id !== 'string' || last.id === '')
    throw unfit('the last entry has no id, so nothing can stand below it', `${file}:${last.line}`);
  const [root] = pathTo(tree, last);
  if (root && parentOf(tree, root))
    throw unfit('the parents of the last entry go round in a circle', `${file}:${root.line}`);
}

function unfit(what: string, where: string): CtxError {
  const hint = 'mend the session first: ctx check --fix --output NEW.jsonl';
  return new CtxError('refused', what, { where, hint });
}

/** The context at the leaf of a session, and at the last entry of a plan for it. */
export interface BeforeAndAfter {
  readonly before: ContextEnvelope;
  readonly after: ContextEnvelope;
}

/** To build them takes as long as to read the session. */
const envelopes = new WeakMap<readonly JsonObject[], BeforeAndAfter>();

/** What a plan makes of the context. */
export function beforeAndAfter(session: Session, { entries }: Pick<Plan, 'entries'>): BeforeAndAfter {
  const known = envelopes.get(entries);
  if (known) return known;
  const before = buildEnvelope(session, session.tree.leaf, readPatch);
  const longer = extended(session, entries);
  const after = entries.length === 0 ? before : buildEnvelope(longer, longer.tree.leaf, readPatch);
  envelopes.set(entries, { before, after });
  return { before, after };
}

function effectOf(session: Session, entries: readonly JsonObject[]): Pick<Plan, 'predicted' | 'tokens' | 'size'> {
  const { before, after } = beforeAndAfter(session, { entries });
  const longer = extended(session, entries);
  const sha256 = hashEnvelope(after);
  const hasTransforms = !longer.tree.heads.ofType('context_transform').next().done;
  const stockSha256 = hasTransforms ? hashEnvelope(stockContent(longer, longer.tree.leaf)) : sha256;
  return {
    predicted: { sha256, stockSha256 },
    tokens: { before: before.meta.tokens, after: after.meta.tokens },
    size: { before: before.meta.size, after: after.meta.size },
  };
}

const PIECE_BYTES = 1 << 22;

/** A session may be planned for several times, and may be big. */
const known = new WeakMap<ByteSource, string>();

/** SHA-256, in hex, of all the bytes of a source, read once. */
function knownSha256Of(source: ByteSource): string {
  const found = known.get(source) ?? sha256Of(source);
  known.set(source, found);
  return found;
}

/** SHA-256, in hex, of all the bytes of a source. */
export function sha256Of(source: ByteSource): string {
  const hash = createHash('sha256');
  for (let at = 0; at < source.size; at += PIECE_BYTES)
    hash.update(source.read(at, Math.min(at + PIECE_BYTES, source.size)));
  return hash.digest('hex');
}
