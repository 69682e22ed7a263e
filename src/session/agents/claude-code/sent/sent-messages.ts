import type { JsonObject } from '#base/json.js';
import { NONE } from '../../../heads/id-index.js';
import { toTextBlock } from '../../blocks.js';
import { buildClaudeAnswer, buildClaudeResult, joinContent } from '../content/content.js';
import type { ClaudeEntry, SentMessage } from '../entries/entries.js';
import { RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';

/** The messages of a request. Those that entries show are equal to theirs. */
export function buildSentMessages(
  records: ClaudeRecords,
  entry: ClaudeEntry,
  values: readonly JsonObject[],
): readonly JsonObject[] {
  let start = 0;
  return entry.messages.flatMap((message) => {
    const own = values.slice(start, start + message.lines.length);
    start += message.lines.length;
    return message.role === RECORD_TYPE.assistant
      ? [buildSentAnswer(records, entry, message, own)]
      : buildUserMessages(records, entry, message, own);
  });
}

/** An answer that is recorded in full was changed before it was sent again: it names no model. */
function buildSentAnswer(
  records: ClaudeRecords,
  { record }: ClaudeEntry,
  { lines: [line = NONE] }: SentMessage,
  values: readonly JsonObject[],
): JsonObject {
  const answer = buildClaudeAnswer(values);
  if (records.types[line] === RECORD_TYPE.assistant) return answer;
  return { ...answer, model: records.fields.text(records.model(record)), timestamp: records.time(record) };
}

function buildUserMessages(
  records: ClaudeRecords,
  { record }: ClaudeEntry,
  { lines, entries: shown }: SentMessage,
  values: readonly JsonObject[],
): readonly JsonObject[] {
  const { blocks } = records;
  // A line that records a message in full has no time: it was sent with the answer.
  const timeAt = (line: number): number => records.time(records.types[line] === 0 ? record : line);
  const messages: JsonObject[] = values.flatMap((value, at) => {
    const line = lines[at] ?? NONE;
    const timestamp = timeAt(line);
    return blocks
      .listAnsweredCalls(line)
      .map((call, place) => ({ ...buildClaudeResult(value, place, blocks.toolNameOf(call)), timestamp }));
  });
  const rest = values.filter((_, at) => blocks.hasMoreThanResults(lines[at] ?? NONE));
  if (rest.length > 0) {
    const line = lines.find((each) => blocks.hasMoreThanResults(each)) ?? NONE;
    const content = joinContent(rest);
    const isMessage = isPrompt(records, shown.at(-1), line);
    messages.push({ role: 'user', content: isMessage ? content : toBlocks(content), timestamp: timeAt(line) });
  }
  return messages.map((message, at) => {
    const own = shown[at];
    return own ? { ...message, timestamp: records.time(own.record) } : message;
  });
}

/** Whether a text is shown as the prompt of the user: by its entry, or by its line if it has none. */
function isPrompt(records: ClaudeRecords, entry: ClaudeEntry | undefined, line: number): boolean {
  if (!entry) return records.types[line] === RECORD_TYPE.user && !records.isMeta(line);
  return entry.form === 'text' || entry.form === 'prompt';
}

function toBlocks(content: unknown): unknown {
  return typeof content === 'string' ? [toTextBlock(content)] : content;
}
