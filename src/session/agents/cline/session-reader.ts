import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildPromptDeclaration, buildReplacement, inferStopReason } from '../blocks.js';
import { type EntryLines, EntryList } from '../entry-list.js';
import { readOnce } from '../one-document.js';
import { buildClineUsage, CLEANED, listBodies, listCalls, readModel } from './parts.js';

/** A message of Pi that is made of one message of Cline. */
interface ConvertedMessage {
  readonly body: JsonObject;
  /** The message of Cline. */
  readonly stored: JsonObject;
  /** The number of messages of Cline up to this one. */
  readonly count: number;
}

/** The messages of a session, and those with which a compaction replaced the first ones. */
const listSession = readOnce((document): readonly ConvertedMessage[] =>
  placeMessages(listObjects(document['messages'])),
);
const listCompacted = readOnce((document): readonly ConvertedMessage[] =>
  placeMessages(listObjects(asObject(document['compaction'])['messages'])),
);

function placeMessages(messages: readonly JsonObject[]): readonly ConvertedMessage[] {
  const toolNames = new Map(messages.flatMap(listCalls));
  return messages.flatMap((stored, at) =>
    listBodies(stored, toolNames, CLEANED).map((body) => ({ body, stored, count: at + 1 })),
  );
}

/** Makes entries of a session of Cline 4. */
export class SessionReader {
  readonly list: EntryList;

  constructor(
    private readonly span: LineSpan,
    sessionId: string,
    private readonly document: JsonObject,
  ) {
    this.list = new EntryList(sessionId);
  }

  readAll(begin: number): void {
    const { title } = asObject(this.document['manifest']);
    if (typeof title === 'string')
      this.list.add({ type: 'session_info', ...this.at(begin), build: () => ({ name: title }) });
    if (typeof this.document['system_prompt'] === 'string')
      this.list.add({
        type: 'context_transform',
        ...this.at(begin),
        build: ([document]) =>
          buildPromptDeclaration(asString(document?.['system_prompt']) ?? '', 'the prompt of the session'),
      });
    const compacted = countCompacted(this.document);
    let isCompacted = compacted === null;
    for (const [index, placed] of listSession(this.document).entries()) {
      if (!isCompacted && compacted !== null && placed.count > compacted) {
        this.compact();
        isCompacted = true;
      }
      this.take(index, placed);
    }
    if (!isCompacted && countMessages(this.document) >= (compacted ?? 0)) this.compact();
  }

  private take(index: number, { body, stored }: ConvertedMessage): void {
    const time = asCount(stored['ts']) ?? Number.NaN;
    const role = asString(body['role']) ?? 'user';
    const model = role === 'assistant' ? readModel(stored) : null;
    if (model) this.list.addModel(model.provider, model.model, this.at(time));
    const hasUsage = role === 'assistant' && buildUsage(stored) !== null;
    this.list.addMessage(role, this.at(time), ([document]) => buildMessage(listSession(document)[index]), hasUsage);
  }

  /** Removes the older messages. The file keeps only the newest compaction. */
  private compact(): void {
    const { updated_at: updated } = asObject(this.document['compaction']);
    const time = parseTimestamp(updated ?? Number.NaN);
    this.list.add({
      type: 'context_transform',
      ...this.at(time),
      build: ([document]) => buildReplacement(listCompacted(document).map(buildMessage)),
    });
  }

  private at(time: number): EntryLines {
    return { lines: [this.span], time };
  }
}

/** The number of messages that the compaction replaced; null without one. */
export function countCompacted({ compaction }: JsonObject): number | null {
  return isObject(compaction) && Array.isArray(compaction['messages'])
    ? asCount(compaction['source_message_count'])
    : null;
}

export function countMessages({ messages }: JsonObject): number {
  return listObjects(messages).length;
}

function buildMessage(placed: ConvertedMessage | undefined): JsonObject {
  const { body = {}, stored = {} } = placed ?? {};
  const time = { timestamp: asCount(stored['ts']) ?? Number.NaN };
  if (body['role'] !== 'assistant') return { ...body, ...time };
  const usage = buildUsage(stored);
  const model = readModel(stored) ?? { provider: 'unknown', model: 'unknown' };
  const stopReason = inferStopReason(listObjects(body['content']));
  return { ...body, ...model, ...(usage === null ? {} : { usage }), stopReason, ...time };
}

function buildUsage({ metrics }: JsonObject): JsonObject | null {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost } = asObject(metrics);
  return buildClineUsage({
    prompt: inputTokens,
    output: outputTokens,
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
    cost,
  });
}
