import { readMessageText } from '#analysis/facts/text.js';
import { asObject, asText, listObjects } from '#base/json.js';
import type { LlmMessage, ToolDefinition } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { toMessage } from '#session/entry.js';
import type { CallToolParams, CallToolResult, TranscriptEntry } from '../../contract.js';

/** The tool by which a model opens a shortened message again. */
const READ_RESULT: ToolDefinition = {
  name: 'read_result',
  description:
    'Returns the full text of an earlier message that is shortened in this conversation, such as a long tool result. ' +
    'The note in a shortened message ends with "ctx cat SESSION ENTRY"; pass its ENTRY.',
  parameters: {
    type: 'object',
    properties: {
      entry: { type: 'string', description: 'The id of the entry' },
      offset: { type: 'integer', description: 'The first line to return, counted from 1 (default: 1)' },
      limit: { type: 'integer', description: 'The number of lines to return (default: all that fit)' },
    },
    required: ['entry'],
  },
};

/** Tools with `read_result`, unless one of them has that name, or there are none. */
export function addReadResultTool(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const isAdded = tools.length > 0 && !tools.some(({ name }) => name === READ_RESULT.name);
  return isAdded ? [...tools, READ_RESULT] : tools;
}

/** Answers a call of `read_result` from the transcript. The answer is never long enough to be shortened itself. */
export function answerReadResult(
  transcript: readonly TranscriptEntry[],
  { toolName, input }: CallToolParams,
): CallToolResult {
  if (toolName !== READ_RESULT.name) return toFailedResult(`there is no tool ${toolName}`);
  const { entry, offset, limit } = input;
  const found = transcript.find(({ entryId, message }) => entryId === entry && message !== null)?.message;
  const message = found ? toLlmMessage(toMessage(found)) : null;
  if (!message) return toFailedResult(`no message of this session has the entry ${asText(entry) || '(none)'}`);
  const lines = readFullText(message).replace(/\n$/, '').split('\n');
  const text = cutExcerpt(lines, readCount(offset, 1), readCount(limit, Infinity));
  return {
    content: [{ type: 'text', text }, ...listObjects(message.content).filter(({ type }) => type === 'image')],
  };
}

function toFailedResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function readCount(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 1 ? Math.floor(value) : otherwise;
}

/** The text of a message, with the arguments of its calls. */
function readFullText(message: LlmMessage): string {
  const calls = listObjects(message.content).filter(({ type }) => type === 'toolCall');
  const texts = calls.map(
    ({ name, arguments: given }) => `${asText(name)} ${JSON.stringify(asObject(given), null, 2)}`,
  );
  return [readMessageText(message), ...texts].filter((text) => text !== '').join('\n');
}

/** Whole lines up to a size, and a note in the words of Pi on the lines that follow. */
function cutExcerpt(lines: readonly string[], from: number, most: number): string {
  let room = LONGEST;
  const shown: string[] = [];
  for (const line of lines.slice(from - 1)) {
    room -= line.length + 1;
    if (shown.length > 0 && (room < 0 || shown.length >= most)) break;
    shown.push(line.slice(0, LONGEST));
  }
  const next = from + shown.length;
  if (next > lines.length) return shown.join('\n');
  return [...shown, `[Lines ${from}-${next - 1} of ${lines.length}. Use offset=${next} to continue.]`].join('\n');
}

/** The most UTF-16 code units of a text, below the 3,000 tokens from which a new result is shortened. */
const LONGEST = 11_000;
