import { CtxError } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { isEqualJson, isSameContent } from '#context/replay/hash.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import type { ReadPatch } from '#context/replay/patch-op.js';
import { applySystemMessage } from '#context/replay/system.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { readSession, type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { contextChangedError, FileBuilder, isObjectLine, PathWriter } from './file-builder.js';

export interface ExtractRequest {
  /** The first entry; null for the root. */
  readonly from: Head | null;
  readonly to: Head;
  /** The fields of the new header. */
  readonly header: JsonObject;
  readonly readPatch: ReadPatch;
  /** Gives ids that the session does not have. */
  newId(): string;
}

/** A part of a session as a file of its own, which is not written yet. */
export interface Extraction {
  readonly result: ByteSource;
  /** Entries of the path that are in the file, as they were but for their parents. */
  readonly entries: number;
  /** The number of entries that represent the context before the first one. */
  readonly checkpoint: number;
  readonly labels: number;
  /** Entries of the path before the first one. The checkpoint has their context, and nothing else of them. */
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
  if (start === -1) throw notAbove(session, request);
  const part = start > 0 ? extracted(session, path, start, request) : null;
  if (part && keepsContext(session, part.result, request)) return part;
  const whole = { ...extracted(session, path, 0, request), tookWholePath: part !== null };
  if (keepsContext(session, whole.result, request)) return whole;
  throw contextChangedError(session);
}

function notAbove({ file }: Session, { from, to }: ExtractRequest): CtxError {
  return new CtxError('usage', `entry ${formatId(from?.id)} is not an ancestor of entry ${formatId(to.id)}`, {
    where: file,
    hint: 'list the branches: ctx tree',
  });
}

function extracted(session: Session, path: readonly Head[], start: number, request: ExtractRequest): Extraction {
  const { header, newId } = request;
  const builder = new FileBuilder(session.source);
  builder.addEntry(header);
  const places = new Map(path.map(({ id }, at) => [id, at]));
  const chain: PathWriter = new PathWriter(session, builder, (target) => {
    // The checkpoint begins with the earlier entries that are still in the context.
    const place = places.get(target);
    if (place === undefined || place >= start) return target;
    const kept = path.slice(place, start).find(({ id, type }) => type !== 'compaction' && chain.has(id));
    return (kept ?? path[start])?.id;
  });
  const last = path[start - 1];
  if (last) {
    writeCheckpoint({
      session,
      chain,
      envelope: buildEnvelope(session, last, request.readPatch, { lenient: true }),
      byLine: new Map(path.slice(0, start).map((head) => [head.line, head])),
      timestamp: session.entry(last)['timestamp'],
      newId,
    });
  }
  const checkpoint = chain.length;
  for (const head of path.slice(start)) chain.add(head);
  const entries = chain.length - checkpoint;
  const labels = labelsOn(session, chain);
  for (const { timestamp, targetId, label } of labels) chain.addNew('label', newId(), { timestamp, targetId, label });
  return { result: builder.end(), entries, checkpoint, labels: labels.length, leftOut: start, tookWholePath: false };
}

interface Label {
  readonly timestamp: unknown;
  readonly targetId: RawId;
  readonly label: string;
}

function labelsOn(session: Session, chain: PathWriter): readonly Label[] {
  const labels = new Map<RawId, Label>();
  for (const head of session.tree.heads.ofType('label')) {
    const { label, timestamp } = session.entry(head);
    labels.delete(head.target);
    const text = asString(label);
    if (text && chain.has(head.target)) labels.set(head.target, { timestamp, targetId: head.target, label: text });
  }
  return [...labels.values()];
}

function keepsContext(session: Session, result: ByteSource, { to, readPatch }: ExtractRequest): boolean {
  const options = { lenient: true };
  const made = readSession(result, session.file);
  const old = buildEnvelope(session, to, readPatch, options);
  const next = buildEnvelope(made, made.tree.leaf, readPatch, options);
  const isSameModel = JSON.stringify(old.meta.model) === JSON.stringify(next.meta.model);
  return isSameModel && old.meta.thinkingLevel === next.meta.thinkingLevel && isSameContent(old, next);
}

/** A new session id as Pi makes it, of the time in milliseconds and some ids of eight hex digits. */
export function buildSessionId(now: number, newId: () => string): string {
  const time = Math.max(0, now).toString(16).padStart(12, '0').slice(-12);
  const [a, b, c] = [newId(), newId(), newId()];
  const variant = ((Number.parseInt(b[0] ?? '0', 16) & 3) | 8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${a.slice(0, 3)}-${variant}${b.slice(1, 4)}-${b.slice(4)}${c}`;
}

interface Beginning {
  readonly session: Session;
  readonly chain: PathWriter;
  /** The context before the entry that the file begins with. */
  readonly envelope: ContextEnvelope;
  /** The entries above, by their lines. */
  readonly byLine: ReadonlyMap<number, Head>;
  readonly timestamp: unknown;
  newId(): string;
}

/** Writes entries that make up a context: the thinking level, what is declared, the messages as they are now, and the model. */
function writeCheckpoint(beginning: Beginning): void {
  const { chain, envelope, timestamp, newId } = beginning;
  const { model, thinkingLevel } = envelope.meta;
  if (thinkingLevel !== 'off') chain.addNew('thinking_level_change', newId(), { timestamp, thinkingLevel });
  writeDeclarations(beginning);
  for (const [at, message] of envelope.messages.cached.entries()) writeMessage(beginning, message, at);
  if (model?.provider !== undefined && model.modelId !== undefined)
    chain.addNew('model_change', newId(), { timestamp, provider: model.provider, modelId: model.modelId });
}

/** A system message tells Pi, too; a transform holds what no system message can. */
function writeDeclarations({ chain, envelope, timestamp, newId }: Beginning): void {
  const { system, tools } = envelope;
  const options = optionsToSet(envelope);
  const message = systemMessageFor(envelope, timestamp);
  const said = applySystemMessage(EMPTY_ENVELOPE, message);
  const isSaid = isEqualJson(said.system.parts, system.parts) && isEqualJson(said.tools, tools);
  const isEmpty = system.parts.length === 0 && tools.length === 0;
  if (isSaid && !isEmpty) chain.addNew('message', newId(), { timestamp, message });
  const reason = { scope: 'cached', invalidateCacheReason: 'extract' };
  const patch = [
    ...(isSaid
      ? []
      : [
          { op: 'system_parts_replace', ...reason, parts: system.parts },
          { op: 'tools_replace', ...reason, tools },
        ]),
    ...(Object.keys(options).length > 0 ? [{ op: 'options_set', ...reason, ...options }] : []),
  ];
  if (patch.length === 0) return;
  const fields = { timestamp, schemaVersion: 1, transformerName: 'extract', patch, display: { title: 'Extract' } };
  chain.addNew('context_transform', newId(), fields);
}

/** The options beside the reasoning that the thinking level sets; null where it is not to be set. */
function optionsToSet({ options, meta: { thinkingLevel } }: ContextEnvelope): JsonObject {
  const { reasoning = null, ...others } = options;
  const byLevel = thinkingLevel === 'off' ? null : thinkingLevel;
  return reasoning === byLevel ? others : { ...others, reasoning };
}

function systemMessageFor({ system: { parts }, tools }: EnvelopeContent, timestamp: unknown): JsonObject {
  const content = parts.find(({ kind }) => kind === 'content')?.text ?? '';
  const sections = Object.fromEntries(
    parts.filter(({ kind }) => kind !== 'content').map(({ name, text }) => [name, text]),
  );
  const time = parseTimestamp(timestamp);
  return { role: 'system', content, sections, toolsAdded: tools, timestamp: Number.isNaN(time) ? 0 : time };
}

/** An entry that the context shows as it is stays; another gets its id and what the context shows of it. */
function writeMessage(beginning: Beginning, message: LlmMessage, at: number): void {
  const { session, chain, envelope, byLine, newId } = beginning;
  const { line = 0, origin } = envelope.meta.provenance[at] ?? {};
  const head = byLine.get(line);
  const isOwn = head !== undefined && head.type !== 'context_transform' && !chain.has(head.id);
  if (head && isOwn && origin === 'entry') return chain.add(head);
  const timestamp = head ? session.entry(head)['timestamp'] : beginning.timestamp;
  const id: RawId = isOwn && head.id ? head.id : newId();
  chain.addNew('message', id, { timestamp, message: (head && summaryOf(session, head, message)) ?? message });
}

/** The summary of a compaction, as Pi keeps it, if it equals the one in the context. */
function summaryOf(session: Session, head: Head, message: LlmMessage): JsonObject | null {
  if (head.type !== 'compaction') return null;
  const { summary, tokensBefore, timestamp } = session.entry(head);
  const stored = { role: 'compactionSummary', summary, tokensBefore, timestamp: parseTimestamp(timestamp) } as const;
  return isEqualJson(toLlmMessage(stored) ?? undefined, message) ? stored : null;
}
