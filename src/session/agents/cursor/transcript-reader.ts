import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { inferStopReason } from '../blocks.js';
import { EntryList } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { readOnce } from '../one-document.js';
import { listTranscriptResults, toTranscriptBlocks } from './conversation.js';

const listResults = readOnce(({ message }) => listTranscriptResults(asObject(message)['content']));

/** Makes entries of the lines of a transcript. */
export class TranscriptReader {
  readonly list: EntryList;
  private readonly tools = new Map<string, string>();

  constructor(sessionId: string) {
    this.list = new EntryList(sessionId);
  }

  /** Returns false for a line that is no message, such as the end of a turn. */
  take(line: AgentRecord): boolean {
    const { role, message, model, timestamp } = line.value;
    const { content } = asObject(message);
    const at = {
      lines: [toLineSpan(line)],
      time: timestamp === undefined ? readTag(content) : parseTimestamp(timestamp),
    };
    if (role !== 'user' && role !== 'assistant' && role !== 'tool') return false;
    const results = listResults(line.value);
    for (const [index, { toolCallId }] of results.entries()) {
      const toolName = this.tools.get(String(toolCallId)) ?? '';
      this.list.addMessage('toolResult', at, ([value]) => {
        return { ...listResults(value)[index], toolName, timestamp: at.time };
      });
    }
    if (toTranscriptBlocks(content).length === 0) return results.length > 0;
    if (role !== 'assistant')
      this.list.addMessage('user', at, ([value]) => ({
        role: 'user',
        content: toTranscriptBlocks(asObject(value?.['message'])['content']),
        timestamp: at.time,
      }));
    else this.takeAnswer(asString(model), content, at);
    return true;
  }

  private takeAnswer(
    model: string | null,
    content: unknown,
    at: { readonly lines: LineSpan[]; readonly time: number },
  ): void {
    this.list.addModel('cursor', model, at);
    const calls = listObjects(content).filter(({ type }) => type === 'tool_use');
    for (const { id, name } of calls) this.tools.set(asString(id) ?? '', asString(name) ?? '');
    this.list.addMessage('assistant', at, ([value]) => buildAnswer(value ?? {}, at.time));
  }
}

/** The time in the tag before the words of the user, in milliseconds since 1970; NaN without one. */
function readTag(content: unknown): number {
  const [text] = listObjects(content).map(({ text: words }) => asString(words) ?? '');
  const [, date, time, sign = '+', hours = '0', minutes = '0'] = TAG.exec((text ?? '').slice(0, TAG_CHARACTERS)) ?? [];
  if (date === undefined) return Number.NaN;
  return Date.parse(`${date} ${time} GMT${sign}${hours.padStart(2, '0')}${minutes.padStart(2, '0')}`);
}

/** A time such as `Sunday, Sep 20, 2026, 12:31 AM (UTC+3)`. */
const TAG = /^\s*<timestamp>\w+, (\w+ \d+, \d+), (\d+:\d+ [AP]M) \(UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?\)<\/timestamp>/;
const TAG_CHARACTERS = 100;

function buildAnswer({ message, model }: JsonObject, time: number): JsonObject {
  const content = toTranscriptBlocks(asObject(message)['content']);
  return {
    role: 'assistant',
    content,
    provider: 'cursor',
    model: asString(model) ?? 'unknown',
    stopReason: inferStopReason(content),
    timestamp: time,
  };
}
