import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { isSameContent } from '#context/replay/equality.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { writeCheckpoint } from './checkpoint.js';
import { FileBuilder } from './file-builder.js';
import { PathWriter } from './path-writer.js';
import { buildContextChangedError } from './same-context.js';

export interface ExtractRequest {
  /** The first entry; null for the root. */
  readonly from: Head | null;
  readonly to: Head;
  /** The fields of the new header. */
  readonly header: JsonObject;
  /** Gives ids that the session does not have. */
  newId(): string;
}

/** A part of a session as a file of its own, which is not written yet. */
export interface Extraction {
  readonly result: ByteSource;
  /** The number of entries of the path that are in the file, unchanged except for their parents. */
  readonly entries: number;
  /** The number of entries that represent the context before the first one. */
  readonly checkpoint: number;
  readonly labels: number;
  /** The number of entries of the path before the first one; the checkpoint has only their context. */
  readonly leftOut: number;
  /** The context could only be kept with the whole path. */
  readonly tookWholePath: boolean;
}

/**
 * Plans a file that holds a path, or its end, with the context that the session has there. Throws a CtxError: usage
 * where the entries are on no path, input where the context cannot be kept.
 */
export function planExtract(session: Session, request: ExtractRequest): Extraction {
  const path = pathTo(session.tree, request.to).filter((head) => isObjectLine(session, head));
  const start = request.from ? path.findIndex(({ index }) => index === request.from?.index) : 0;
  if (start === -1) throw buildNoAncestorError(session, request);
  const part = start > 0 ? buildExtraction(session, path, start, request) : null;
  if (part && keepsContext(session, part.result, request)) return part;
  const whole = { ...buildExtraction(session, path, 0, request), tookWholePath: part !== null };
  if (keepsContext(session, whole.result, request)) return whole;
  throw buildContextChangedError(session);
}

function buildNoAncestorError({ file }: Session, { from, to }: ExtractRequest): CtxError {
  return new CtxError('usage', `entry ${formatId(from?.id)} is not an ancestor of entry ${formatId(to.id)}`, {
    where: file,
    hint: 'list the branches: ctx tree',
  });
}

function buildExtraction(session: Session, path: readonly Head[], start: number, request: ExtractRequest): Extraction {
  const { header, newId } = request;
  const builder = new FileBuilder(session.source);
  builder.addEntry(header);
  const places = new Map(path.map(({ id }, at) => [id, at]));
  const writer: PathWriter = new PathWriter(session, builder, (target) => {
    // The checkpoint begins with the earlier entries that are still in the context.
    const place = places.get(target);
    if (place === undefined || place >= start) return target;
    const kept = path.slice(place, start).find(({ id, type }) => type !== 'compaction' && writer.has(id));
    return (kept ?? path[start])?.id;
  });
  const last = path[start - 1];
  if (last) {
    const { timestamp } = session.entry(last);
    writeCheckpoint({
      session,
      writer,
      envelope: buildEnvelope(toLenient(attachPatchReader(session)), last),
      byLine: new Map(path.slice(0, start).map((head) => [head.line, head])),
      timestamp,
      newId,
    });
  }
  const checkpoint = writer.length;
  for (const head of path.slice(start)) writer.add(head);
  const entries = writer.length - checkpoint;
  const labels = listLabels(session, writer);
  for (const { timestamp, targetId, label } of labels) writer.addNew('label', newId(), { timestamp, targetId, label });
  return { result: builder.finish(), entries, checkpoint, labels: labels.length, leftOut: start, tookWholePath: false };
}

interface Label {
  readonly timestamp: unknown;
  readonly targetId: RawId;
  readonly label: string;
}

function listLabels(session: Session, writer: PathWriter): readonly Label[] {
  const labels = new Map<RawId, Label>();
  for (const head of session.tree.heads.ofType('label')) {
    const { label, timestamp } = session.entry(head);
    labels.delete(head.target);
    const text = asString(label);
    if (text && writer.has(head.target)) labels.set(head.target, { timestamp, targetId: head.target, label: text });
  }
  return [...labels.values()];
}

function keepsContext(session: Session, result: ByteSource, { to }: ExtractRequest): boolean {
  const extracted = readSession(result, session.file);
  const old = buildEnvelope(toLenient(attachPatchReader(session)), to);
  const next = buildEnvelope(toLenient(attachPatchReader(extracted)), extracted.tree.leaf);
  const isSameModel = JSON.stringify(old.meta.model) === JSON.stringify(next.meta.model);
  return isSameModel && old.meta.thinkingLevel === next.meta.thinkingLevel && isSameContent(old, next);
}

/** A new session id as Pi makes it. `now` is in milliseconds since 1970; `newId` gives eight hex digits. */
export function buildSessionId(now: number, newId: () => string): string {
  const time = Math.max(0, now).toString(16).padStart(12, '0').slice(-12);
  const a = newId();
  const b = newId();
  const c = newId();
  const variant = ((Number.parseInt(b[0] ?? '0', 16) & 3) | 8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${a.slice(0, 3)}-${variant}${b.slice(1, 4)}-${b.slice(4)}${c}`;
}

/** Whether a line of the session holds an object. */
function isObjectLine(session: Session, head: Head): boolean {
  return head.type !== null || (isObject(session.entry(head)) && Object.keys(session.entry(head)).length > 0);
}
