import type { JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { isEqualJson } from '#context/replay/hash.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { applySystemMessage } from '#context/replay/system.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { PathWriter } from './path-writer.js';

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
export function writeCheckpoint(beginning: Beginning): void {
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
