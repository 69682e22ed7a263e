import type { JsonObject } from '#base/json.js';
import { objectsIn, isObject } from '#base/json.js';
import { timeOf } from '#base/time.js';
import { attachmentMessage, isSent, op, SNAPSHOT, snapshotOps } from './attachments.js';
import { answerMessage, contentOf, providerOf, resultMessage, textOf, userContent } from './content.js';
import type { CompactionLines } from './grow.js';
import { type Node, Nodes } from './node.js';
import type { ChainRecord } from './record.js';
import type { RecordedLines } from './records.js';
import type { Answer } from './shape.js';

/** Writes the entries of records. */
export class Writer {
  readonly nodes = new Nodes();
  private readonly first = new Map<ChainRecord, Node>();
  /** The entries of results, by the ids of their calls. */
  private readonly results = new Map<string, Node>();

  constructor(private readonly records: RecordedLines) {}

  /** The first entry of a record. */
  firstOf(record: ChainRecord): Node | undefined {
    return this.first.get(record);
  }

  /** Adds the title of the session, before all other entries; null if there is none. */
  writeTitle(): Node | null {
    const { title, chain } = this.records;
    const [first] = chain.values();
    if (!title || !first) return null;
    const { text, span } = title;
    const { timestamp, span: at } = first;
    return this.nodes.add(null, {
      type: 'session_info',
      uuid: 'title',
      place: 1,
      timestamp,
      lines: [span],
      at,
      fields: () => ({ name: text }),
    });
  }

  /** Adds the entries of a record after an entry, and returns the last one; null for a record without entries. */
  write(parent: Node | null, record: ChainRecord, answer?: Answer): Node | null {
    if (record.type === 'assistant') return this.writeAnswer(parent, answer?.lines ?? [record]);
    if (record.type === 'user') return this.writeUser(parent, record);
    if (record.type === 'attachment') return this.writeAttachment(parent, record);
    return record.cleared.length > 0 ? this.clear(parent, record) : null;
  }

  /** Adds a compaction that keeps the entries from `kept` on, or nothing. */
  compact(parent: Node | null, { boundary, summary }: CompactionLines, kept: Node | null): Node {
    const { uuid, timestamp, span, boundary: facts } = boundary;
    if (!summary) return this.reset(parent, boundary);
    const tokens = facts?.tokensBefore ?? null;
    const node = this.nodes.add(parent, {
      type: 'compaction',
      uuid,
      timestamp,
      lines: [span, summary.span],
      message: summary,
      target: kept ?? 'itself',
      reset: { kept },
      fields: ([metadata, record], firstKeptEntryId) => ({
        summary: textOf(contentOf(record ?? {})),
        firstKeptEntryId,
        ...(tokens === null ? {} : { tokensBefore: tokens }),
        details: { ...(isObject(metadata?.['compactMetadata']) ? metadata['compactMetadata'] : {}) },
      }),
    });
    this.first.set(summary, node);
    return node;
  }

  /** Adds a transform that removes all messages. Not named compaction, for which the next one would be its shadow. */
  reset(parent: Node | null, { uuid, timestamp, span }: ChainRecord): Node {
    return this.nodes.add(parent, {
      type: 'context_transform',
      uuid,
      timestamp,
      lines: [span],
      reset: { kept: null },
      fields: () => transform('boundary', [op('messages_cached_replace', { messages: [] })]),
    });
  }

  private writeAnswer(parent: Node | null, lines: readonly ChainRecord[]): Node {
    const record = lines[0] as ChainRecord;
    const { model, uuid, timestamp } = record;
    const spans = lines.map(({ span }) => span);
    const isAnswer = model !== null && model !== '<synthetic>';
    const above = isAnswer && model !== parent?.model ? this.changeModel(parent, record, model) : parent;
    return this.keep(
      record,
      this.nodes.add(above, {
        type: 'message',
        role: 'assistant',
        uuid,
        timestamp,
        lines: spans,
        message: record,
        hasUsage: true,
        ...(isAnswer ? { model } : {}),
        fields: (values) => ({ message: answerMessage(values) }),
      }),
    );
  }

  private changeModel(parent: Node | null, { uuid, timestamp, span }: ChainRecord, model: string): Node {
    return this.nodes.add(parent, {
      type: 'model_change',
      uuid,
      place: 1,
      timestamp,
      lines: [span],
      model,
      fields: ([value]) => ({
        provider: providerOf(isObject(value?.['message']) ? value['message'] : {}),
        modelId: model,
      }),
    });
  }

  private writeUser(parent: Node | null, record: ChainRecord): Node | null {
    let tail = parent;
    for (const place of record.results.keys()) tail = this.writeResult(tail, record, place);
    return record.hasOtherContent ? this.writeText(tail, record) : tail;
  }

  private writeText(parent: Node | null, record: ChainRecord): Node {
    const { uuid, timestamp, span, results, isMeta } = record;
    const place = results.length;
    const base = { uuid, place, timestamp, lines: [span], message: record };
    if (isMeta)
      return this.keep(
        record,
        this.nodes.add(parent, {
          ...base,
          type: 'custom_message',
          fields: ([value]) => ({
            customType: 'claude-code:meta',
            content: userContent(contentOf(value ?? {})),
            display: false,
          }),
        }),
      );
    return this.keep(
      record,
      this.nodes.add(parent, {
        ...base,
        type: 'message',
        role: 'user',
        fields: ([value]) => ({
          message: { role: 'user', content: userContent(contentOf(value ?? {})), timestamp: timeOf(timestamp) },
        }),
      }),
    );
  }

  private writeResult(parent: Node | null, record: ChainRecord, place: number): Node {
    const { uuid, timestamp, span, results } = record;
    const callId = results[place] ?? '';
    const name = this.records.toolNames.get(callId) ?? '';
    const node = this.keep(
      record,
      this.nodes.add(parent, {
        type: 'message',
        role: 'toolResult',
        uuid,
        place,
        timestamp,
        lines: [span],
        message: record,
        fields: ([value]) => ({ message: resultMessage(value ?? {}, place, name) }),
      }),
    );
    this.results.set(callId, node);
    return this.replaceResult(node, record, place);
  }

  /** The model saw the replacement of a big result from the start. */
  private replaceResult(node: Node, { uuid, timestamp, results, span }: ChainRecord, place: number): Node {
    const replaced = this.records.replacements.get(results[place] ?? '');
    if (!replaced) return node;
    return this.nodes.add(node, {
      type: 'context_edit',
      uuid,
      place: EDITS + place,
      timestamp,
      lines: [replaced.span],
      at: span,
      target: node,
      fields: ([value], targetId) => {
        const text = objectsIn(value?.['replacements'])[replaced.place]?.['replacement'];
        return { targetId, replacement: { content: [{ type: 'text', text: typeof text === 'string' ? text : '' }] } };
      },
    });
  }

  /** A microcompaction: the results that it cleared. The words that replace them are not recorded. */
  private clear(parent: Node | null, { uuid, timestamp, span, cleared }: ChainRecord): Node | null {
    let tail = parent;
    for (const [place, callId] of cleared.entries()) {
      const target = this.results.get(callId);
      if (!target) continue;
      tail = this.nodes.add(tail, {
        type: 'context_edit',
        uuid,
        place,
        timestamp,
        lines: [span],
        target,
        fields: (_, targetId) => ({ targetId, replacement: { content: [{ type: 'text', text: CLEARED }] } }),
      });
    }
    return tail === parent ? null : tail;
  }

  private writeAttachment(parent: Node | null, record: ChainRecord): Node | null {
    const { uuid, timestamp, span, kind } = record;
    const base = { uuid, timestamp, lines: [span] };
    if (kind === SNAPSHOT)
      return this.nodes.add(parent, {
        ...base,
        type: 'context_transform',
        fields: ([value]) => transform('prompt-snapshot', snapshotOps(value ?? {})),
      });
    if (!isSent(kind)) return null;
    return this.nodes.add(parent, {
      ...base,
      type: 'custom_message',
      fields: ([value]) => attachmentMessage(value ?? {}),
    });
  }

  private keep(record: ChainRecord, node: Node): Node {
    if (!this.first.has(record)) this.first.set(record, node);
    return node;
  }
}

/** The text that the client sends instead of a result that it cleared. */
const CLEARED = '[Old tool result content cleared]';
/** The places of edits come after those of results. */
const EDITS = 1_000_000;

const TITLES = { boundary: 'no message before it is kept', 'prompt-snapshot': 'prompt and tools' };

function transform(transformerName: keyof typeof TITLES, patch: readonly JsonObject[]): JsonObject {
  return { schemaVersion: 1, transformerName, patch, display: { title: TITLES[transformerName] } };
}
