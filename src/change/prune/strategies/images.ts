import * as z from 'zod/mini';
import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { defineStrategy } from '../define.js';
import { ageOf, type History, type Item } from '../history.js';
import { turnsOld, whereIs } from '../notes.js';
import { pictureIn } from '../pictures.js';
import { shorter } from '../shorter.js';
import { nameOfUse } from '../tool-kinds.js';

const options = z.strictObject({
  afterTurns: z._default(z.int().check(z.positive()), 2).register(z.globalRegistry, {
    description: 'How many turns old a picture must be; the newest turn is 0 turns old',
  }),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'images',
  summary: 'Replace pictures of older turns by a line that says what and when they were',
  help:
    'A picture costs the same in every request, long after it has been looked at. One that is at least `afterTurns` ' +
    'turns old becomes a line of text in its place: its media type, width and height, bytes, who sent it (the user, an ' +
    'extension, or a tool with its file or command), the turn, the time, and the entry that still holds it. The other ' +
    'blocks of the message stay as they are.\n\n' +
    'Messages of the user, of extensions and results of tools are looked at. Only the beginning of a picture is decoded.',
  options,
  *propose(history, { afterTurns }) {
    const uses = new Map(history.uses.map((use) => [use.resultAt, use]));
    for (const item of history.items) {
      const age = ageOf(history, item);
      if (item.message.role === 'assistant' || item.isFrozen || age < afterTurns) continue;
      const pictures = picturesIn(item.message);
      if (pictures === 0) continue;
      const change = shorter(item, withoutPictures(history, item, uses.get(item.at)));
      const what = pictures === 1 ? 'a picture' : `${pictures} pictures`;
      if (change) yield { changes: [change], reason: `${what}, ${turnsOld(age)}` };
    }
  },
});

function picturesIn({ content }: LlmMessage): number {
  return Array.isArray(content) ? content.filter(isPicture).length : 0;
}

function isPicture(block: unknown): block is JsonObject {
  return isObject(block) && block['type'] === 'image';
}

function withoutPictures({ turns }: History, item: Item, use: ToolUse | undefined): LlmMessage {
  const { message, turn } = item;
  const blocks: readonly unknown[] = Array.isArray(message['content']) ? message['content'] : [];
  const inTurn = turn < 0 ? [] : [`turn ${turn + 1} of ${turns}`];
  const about = [senderOf(item, use), ...inTurn, ...timeIn(message)].join(', ');
  const content = blocks.map((block) =>
    isPicture(block)
      ? { type: 'text', text: `[picture left out: ${kindOf(block)}, ${about}; it is in ${whereIs(item)}]` }
      : block,
  );
  return { ...message, content };
}

function senderOf({ kind }: Item, use: ToolUse | undefined): string {
  if (use) return `from ${nameOfUse(use)}`;
  return kind === 'custom' ? 'from an extension' : 'from the user';
}

function timeIn({ timestamp }: LlmMessage): readonly string[] {
  if (typeof timestamp !== 'number' || !(Math.abs(timestamp) <= LAST_DATE)) return [];
  return [`${new Date(timestamp).toISOString().slice(0, -8).replace('T', ' ')} UTC`];
}

/** The last millisecond that a Date can stand for. */
const LAST_DATE = 8_640_000_000_000_000;

function kindOf({ mimeType, data }: JsonObject): string {
  const named = asString(mimeType) ?? '';
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(named) ? named : 'of no known type';
  if (typeof data !== 'string') return `${type}, without data`;
  const { width, height, bytes } = pictureIn(data);
  const size = width === null ? [] : [`${width} x ${height} pixels`];
  return [type, ...size, `${bytes} bytes`].join(', ');
}
