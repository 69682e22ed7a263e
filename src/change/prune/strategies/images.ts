import * as z from 'zod/mini';
import { readMessageText, toOneLine, truncateText } from '#analysis/facts/text.js';
import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { option } from '#base/schema.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readPicture } from '#context/size/picture.js';
import { defineStrategy } from '../define.js';
import { describeUse } from '../describe-use.js';
import { ageOf, type History, type HistoryItem } from '../history.js';
import { describeAge, describeLocation } from '../message-notes.js';
import { mapBlocks, proposeShorter } from '../shorter-messages.js';

const options = z.strictObject({
  afterTurns: option(z.int().check(z.positive()), 3, 'Minimum age of an image in turns (the newest turn is 0)'),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'images',
  summary: 'Replace images of older turns by a description',
  help:
    'An image costs tokens in every request, long after the model has seen it. This strategy replaces each image ' +
    'that is at least `afterTurns` turns old by a line of text: its turn; its source (the user, an extension, or a tool ' +
    'with its file or command); what the conversation says of it; media type, width and height, bytes, time; and the ' +
    'command that prints the entry with the image. The other blocks of the message are kept.\n\n' +
    'What the conversation says of an image is the text of the message that contains it. If that has none, as the ' +
    'result of a tool, it is the beginning of the next answer.\n\n' +
    'It covers messages of the user and of extensions, and tool results. Only the beginning of an image is decoded.',
  options,
  *propose(history, { afterTurns }) {
    const uses = new Map(history.uses.map((use) => [use.resultAt, use]));
    for (const item of history.items) {
      const age = ageOf(history, item);
      if (item.message.role === 'assistant' || item.isFrozen || age < afterTurns) continue;
      const pictures = listObjects(item.message.content).filter(isPicture).length;
      if (pictures === 0) continue;
      const change = proposeShorter(item, replacePictures(history, item, uses.get(item.at)));
      const what = pictures === 1 ? 'an image' : `${pictures} images`;
      if (change) yield { changes: [change], reason: `${what}, ${describeAge(age)}` };
    }
  },
});

function isPicture(block: unknown): block is JsonObject {
  return isObject(block) && block.type === 'image';
}

function replacePictures(history: History, item: HistoryItem, use: ToolUse | undefined): LlmMessage {
  const { message, turnNumber } = item;
  const context = describeContext(history, item);
  const about = `[Image at Turn ${turnNumber}: ${describeSender(item, use)}${context === null ? '' : `, ${context}`}`;
  return mapBlocks(message, (block) => {
    if (!isPicture(block)) return block;
    const facts = [describePicture(block), ...describeTime(message)].join(', ');
    return { type: 'text', text: `${about}; ${facts}; ${describeLocation(item)}]` };
  });
}

/** The words of the conversation about the pictures of a message: its own, else those of the next answer. */
function describeContext({ items }: History, { at, message, kind }: HistoryItem): string | null {
  const own = kind === 'toolResult' ? '' : toOneLine(readMessageText(message));
  if (own !== '') return JSON.stringify(truncateText(own, LONGEST_WORDS));
  const answer = items.slice(at + 1).find((item) => item.kind !== 'toolResult');
  const words = answer?.kind === 'assistant' ? toOneLine(readMessageText(answer.message)) : '';
  return words === '' ? null : `of which the assistant said ${JSON.stringify(truncateText(words, LONGEST_WORDS))}`;
}

const LONGEST_WORDS = 160;

function describeSender({ kind }: HistoryItem, use: ToolUse | undefined): string {
  if (use) return `from ${describeUse(use)}`;
  return kind === 'custom' ? 'from an extension' : 'from the user';
}

function describeTime({ timestamp }: LlmMessage): readonly string[] {
  if (typeof timestamp !== 'number' || !(Math.abs(timestamp) <= LAST_DATE)) return [];
  return [`${new Date(timestamp).toISOString().slice(0, -8).replace('T', ' ')} UTC`];
}

/** The last millisecond that a Date can represent. */
const LAST_DATE = 8_640_000_000_000_000;

function describePicture({ mimeType, data }: JsonObject): string {
  const named = asString(mimeType) ?? '';
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(named) ? named : 'of unknown type';
  if (typeof data !== 'string') return `${type}, without data`;
  const { width, height, bytes } = readPicture(data);
  const size = width === null ? [] : [`${width} x ${height} pixels`];
  return [type, ...size, `${bytes} bytes`].join(', ');
}
