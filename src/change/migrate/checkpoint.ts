import { isJsonEqual } from '#base/canonical-json.js';
import type { JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { applySystemMessage } from '#context/replay/system-messages.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { PathWriter } from './path-writer.js';

interface Checkpoint {
  readonly session: Session;
  readonly writer: PathWriter;
  /** The context before the entry that the file begins with. */
  readonly envelope: ContextEnvelope;
  /** The entries before it, by their lines. */
  readonly byLine: ReadonlyMap<number, Head>;
  readonly timestamp: unknown;
  newId(): string;
}

/** Writes entries that rebuild a context: the thinking level, the declarations, the present messages, and the model. */
export function writeCheckpoint(checkpoint: Checkpoint): void {
  const { writer, envelope, timestamp, newId } = checkpoint;
  const { model, thinkingLevel } = envelope.meta;
  if (thinkingLevel !== 'off') writer.addNew('thinking_level_change', newId(), { timestamp, thinkingLevel });
  writeDeclarations(checkpoint);
  for (const [at, message] of envelope.messages.cached.entries()) writeMessage(checkpoint, message, at);
  if (model?.provider !== undefined && model.modelId !== undefined)
    writer.addNew('model_change', newId(), { timestamp, provider: model.provider, modelId: model.modelId });
}

/** Pi reads a system message too, so a transform only declares what no system message can. */
function writeDeclarations({ writer, envelope, timestamp, newId }: Checkpoint): void {
  const { system, tools } = envelope;
  const options = listOptionsToSet(envelope);
  const message = buildSystemMessage(envelope, timestamp);
  const declared = applySystemMessage(EMPTY_ENVELOPE, message);
  const isDeclared = isJsonEqual(declared.system.parts, system.parts) && isJsonEqual(declared.tools, tools);
  const isEmpty = system.parts.length === 0 && tools.length === 0;
  if (isDeclared && !isEmpty) writer.addNew('message', newId(), { timestamp, message });
  const reason = { scope: 'cached', invalidateCacheReason: 'extract' };
  const patch: JsonObject[] = [];
  if (!isDeclared) {
    patch.push({ op: 'system_parts_replace', ...reason, parts: system.parts });
    patch.push({ op: 'tools_replace', ...reason, tools });
  }
  if (Object.keys(options).length > 0) patch.push({ op: 'options_set', ...reason, ...options });
  if (patch.length === 0) return;
  const fields = { timestamp, schemaVersion: 1, transformerName: 'extract', patch, display: { title: 'Extract' } };
  writer.addNew('context_transform', newId(), fields);
}

/** The options beside the reasoning that the thinking level sets. */
function listOptionsToSet({ options, meta: { thinkingLevel } }: ContextEnvelope): JsonObject {
  const { reasoning = null, ...others } = options;
  const byLevel = thinkingLevel === 'off' ? null : thinkingLevel;
  return reasoning === byLevel ? others : { ...others, reasoning };
}

function buildSystemMessage({ system: { parts }, tools }: EnvelopeContent, timestamp: unknown): JsonObject {
  const content = parts.find(({ kind }) => kind === 'content')?.text ?? '';
  const sections = Object.fromEntries(
    parts.filter(({ kind }) => kind !== 'content').map(({ name, text }) => [name, text]),
  );
  const time = parseTimestamp(timestamp);
  return { role: 'system', content, sections, toolsAdded: tools, timestamp: Number.isNaN(time) ? 0 : time };
}

/**
 * Copies an entry that the context shows unchanged. Of any other, writes the message that the context shows, with its
 * id.
 */
function writeMessage(checkpoint: Checkpoint, message: LlmMessage, at: number): void {
  const { session, writer, envelope, byLine, newId } = checkpoint;
  const { line = 0, origin } = envelope.meta.provenance[at] ?? {};
  const head = byLine.get(line);
  const isOwn = head !== undefined && head.type !== 'context_transform' && !writer.has(head.id);
  if (head && isOwn && origin === 'entry') return writer.add(head);
  const { timestamp } = head ? session.entry(head) : checkpoint;
  const id: RawId = isOwn && head.id ? head.id : newId();
  writer.addNew('message', id, { timestamp, message: (head && findSummary(session, head, message)) ?? message });
}

/** The summary of a compaction, as Pi keeps it, if it equals the one in the context. */
function findSummary(session: Session, head: Head, message: LlmMessage): JsonObject | null {
  if (head.type !== 'compaction') return null;
  const { summary, tokensBefore, timestamp } = session.entry(head);
  const stored = { role: 'compactionSummary', summary, tokensBefore, timestamp: parseTimestamp(timestamp) } as const;
  return isJsonEqual(toLlmMessage(stored) ?? undefined, message) ? stored : null;
}
