import path from 'node:path';
import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { toLineSpan } from '../scan/scan.js';
import { buildPiHeader, buildReplacement } from './blocks.js';
import { type AgentFormat, type AgentSession } from './define.js';
import { type EntryLines, EntryList } from './entry-list.js';
import {
  buildGeminiAnswer,
  isErrorResponse,
  listParts,
  toGeminiBlocks,
  toGeminiUsage,
  toResultBlocks,
} from './gemini-cli/parts.js';
import type { AgentRecord } from './native-records.js';
import { buildPartsWithoutPrompt } from './versions.js';

/** Qwen Code: one record a line, a tree by `uuid` and `parentUuid`, with the contents of the Gemini API. */
export const qwenCode: AgentFormat = {
  name: 'qwen-code',
  title: 'Qwen Code',
  knownVersions: ['0.1', '0.24'],
  detect: (first) => first.some(isRecord),
  folders: (_env, home) => [path.join(home, '.qwen', 'projects')],
  isSession: (file) => /[\\/]chats[\\/][^\\/]+\.jsonl$/.test(file),
  read,
};

/** Records of Claude Code have the same ids, but no parts. */
function isRecord({ uuid, message, systemPayload }: JsonObject): boolean {
  if (typeof uuid !== 'string') return false;
  return isObject(systemPayload) || (isObject(message) && Array.isArray(message['parts']));
}

function read(lines: Iterable<AgentRecord>, file: string): AgentSession {
  let unusedLines = 0;
  let records: Records | null = null;
  let first: JsonObject = {};
  let newestVersion: unknown = null;
  for (const line of lines) {
    const { sessionId, timestamp, cwd, version } = line.value;
    newestVersion = version ?? newestVersion;
    if (records === null) {
      first = { sessionId, timestamp, cwd };
      records = new Records(asString(sessionId) ?? file);
    }
    if (!records.take(line)) unusedLines += 1;
  }
  const { sessionId, timestamp, cwd } = first;
  return {
    header: buildPiHeader({
      id: asString(sessionId) ?? path.basename(file, '.jsonl'),
      timestamp: asString(timestamp),
      cwd,
    }),
    version: asString(newestVersion),
    entries: records?.list.entries ?? [],
    leafId: records?.list.leafId ?? null,
    unusedLines,
    problems: [],
    // The client sends reminders with the prompts, such as the date and a list of skills, which it does not record.
    parts: { ...buildPartsWithoutPrompt(records?.list.hasUsage ?? false), messages: 'approximate' },
  };
}

class Records {
  readonly list: EntryList;
  /** The last entry of a record, or of its nearest ancestor that has one, by uuid. */
  private readonly leaves = new Map<unknown, string | null>();

  constructor(sessionId: string) {
    this.list = new EntryList(sessionId);
  }

  /** Adds the entries of a record after those of its parent; false if it has none. */
  take(line: AgentRecord): boolean {
    const { uuid, parentUuid } = line.value;
    // A record that none can follow has no place in the tree.
    if (typeof uuid !== 'string') return false;
    const before = this.list.entries.length;
    this.list.leafId = this.leaves.get(parentUuid) ?? null;
    this.add(line, line.value);
    this.leaves.set(uuid, this.list.leafId);
    return this.list.entries.length > before;
  }

  private add(line: AgentRecord, record: JsonObject): void {
    const at = { lines: [toLineSpan(line)], time: parseTimestamp(record['timestamp'] ?? Number.NaN) };
    switch (record['type']) {
      case 'user':
        this.list.addMessage('user', at, ([value]) => ({
          role: 'user',
          content: toGeminiBlocks(listMessageParts(value), String),
          timestamp: readTime(value),
        }));
        break;
      case 'assistant':
        this.list.addModel('qwen', asString(record['model']), at);
        this.list.addMessage('assistant', at, ([value]) => buildAnswer(value ?? {}), findUsage(record) !== null);
        break;
      case 'tool_result':
        for (const [index] of listMessageParts(record).entries())
          this.list.addMessage('toolResult', at, ([value]) => buildResult(value, index));
        break;
      case 'system':
        this.addSystem(at, record);
        break;
    }
  }

  private addSystem(at: EntryLines, { subtype }: JsonObject): void {
    if (subtype === 'custom_title')
      this.list.add({ ...at, type: 'session_info', build: ([value]) => ({ name: payloadOf(value)['customTitle'] }) });
    else if (subtype === 'chat_compression')
      this.list.add({
        ...at,
        type: 'context_transform',
        build: ([value]) => buildReplacement(buildHistory(value ?? {})),
      });
  }
}

function listMessageParts(record: JsonObject | undefined): readonly JsonObject[] {
  return listParts(asObject(record?.['message'])['parts']);
}

function payloadOf(record: JsonObject | undefined): JsonObject {
  return asObject(record?.['systemPayload']);
}

function readTime(record: JsonObject | undefined): number {
  return parseTimestamp(record?.['timestamp'] ?? Number.NaN);
}

function buildAnswer(record: JsonObject): JsonObject {
  const content = toGeminiBlocks(listMessageParts(record), (index) => `${asString(record['uuid']) ?? ''}-${index}`);
  const message = { ...buildGeminiAnswer(content, asString(record['model']), readTime(record)), provider: 'qwen' };
  const usage = findUsage(record);
  return usage === null ? message : { ...message, usage };
}

/** Unlike Gemini, the candidates of Qwen include the thoughts. */
function findUsage({ usageMetadata }: JsonObject): JsonObject | null {
  if (!isObject(usageMetadata)) return null;
  const { promptTokenCount: prompt, cachedContentTokenCount: cached, totalTokenCount: total } = usageMetadata;
  const thoughts = asCount(usageMetadata['thoughtsTokenCount']) ?? 0;
  const answer = (asCount(usageMetadata['candidatesTokenCount']) ?? 0) - thoughts;
  return toGeminiUsage({ prompt, cached, answer, thoughts, total });
}

function buildResult(record: JsonObject | undefined, index: number): JsonObject {
  const parts = listMessageParts(record).slice(index, index + 1);
  const { id, name } = asObject(parts[0]?.['functionResponse']);
  const call = asObject(record?.['toolCallResult']);
  const toolCallId = asString(call['callId']) ?? asString(id) ?? asString(record?.['uuid']) ?? '';
  const isError = call['status'] === 'failed' || call['status'] === 'error' || isErrorResponse(parts);
  const toolName = asString(name) ?? '';
  const content = toResultBlocks(parts);
  return { role: 'toolResult', toolCallId, toolName, content, isError, timestamp: readTime(record) };
}

/** The messages after a compression. */
function buildHistory(record: JsonObject): readonly JsonObject[] {
  return listObjects(payloadOf(record)['compressedHistory']).map(({ role, parts }, index) => {
    const content = toGeminiBlocks(listParts(parts), (part) => `${index}-${part}`);
    if (role !== 'model') return { role: 'user', content, timestamp: readTime(record) };
    return { ...buildGeminiAnswer(content, null, readTime(record)), provider: 'qwen' };
  });
}
