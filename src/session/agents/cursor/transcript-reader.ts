import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { toLineSpan } from '../../scan/scan.js';
import type { AgentRecord } from '../define.js';
import { EntryList } from '../entry-list.js';
import { listOnce } from '../list-once.js';
import { listTranscriptResults, toTranscriptBlocks } from './conversation.js';

const listResults = listOnce(({ message }) => listTranscriptResults(asObject(message)['content']));

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
    const at = { lines: [toLineSpan(line)], time: parseTimestamp(timestamp ?? Number.NaN) };
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
    at: { readonly lines: ReturnType<typeof toLineSpan>[]; readonly time: number },
  ): void {
    this.list.addModel('cursor', model, at);
    const calls = listObjects(content).filter(({ type }) => type === 'tool_use');
    for (const { id, name } of calls) this.tools.set(asString(id) ?? '', asString(name) ?? '');
    this.list.addMessage('assistant', at, ([value]) => buildAnswer(value ?? {}, at.time));
  }
}

function buildAnswer({ message, model }: JsonObject, time: number): JsonObject {
  const content = toTranscriptBlocks(asObject(message)['content']);
  return {
    role: 'assistant',
    content,
    provider: 'cursor',
    model: asString(model) ?? 'unknown',
    stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop',
    timestamp: time,
  };
}
