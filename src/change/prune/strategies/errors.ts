import * as z from 'zod/mini';
import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { isObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { option } from '#base/schema.js';
import { sliceStart } from '#base/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { defineStrategy } from '../define.js';
import { ageOf, type History, type HistoryItem } from '../history.js';
import { mapTexts } from '../map-texts.js';
import { describeAge, describeLocation } from '../message-notes.js';
import { mapBlocks, proposeShorter } from '../shorter-messages.js';

const options = z.strictObject({
  afterTurns: option(z.int().check(z.positive()), 2, 'Minimum age of a call in turns (the newest turn is 0)'),
  overCharacters: option(
    z.int().check(z.minimum(300)),
    400,
    'Maximum characters of a text in the input of a failed call',
  ),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'errors',
  summary: 'Shorten the inputs of failed calls of older turns',
  help:
    'After a call has failed, its error is useful, but its input is not. If a call is at least `afterTurns` turns ' +
    'old and its result is an error, texts in its arguments that are longer than `overCharacters` are shortened to ' +
    'their first 100 characters. A note names the entry with the full text. The call keeps its name and all its ' +
    'arguments, and the result with the error is kept.\n\n' +
    'A signed call (`thoughtSignature`, as Gemini sends it) stays unchanged.',
  options,
  *propose(history, { afterTurns, overCharacters }) {
    for (const [callAt, uses] of groupFailedUses(history)) {
      const item = history.items[callAt];
      if (!item || item.isFrozen || ageOf(history, item) < afterTurns) continue;
      const change = proposeShorter(item, shortenCalls(item, uses, overCharacters));
      const names = [...new Set(uses.map(({ name }) => name))].join(', ');
      if (change) yield { changes: [change], reason: `failed call of ${names}, ${describeAge(ageOf(history, item))}` };
    }
  },
});

function groupFailedUses({ uses }: History): ReadonlyMap<number, readonly ToolUse[]> {
  const failed = new Map<number, ToolUse[]>();
  for (const use of uses) {
    if (!use.isError || use.callAt < 0 || use.id === null) continue;
    addTo(failed, use.callAt, use);
  }
  return failed;
}

function shortenCalls(item: HistoryItem, failed: readonly ToolUse[], most: number): LlmMessage {
  const { message } = item;
  const ids = new Set<unknown>(failed.map(({ id }) => id));
  const location = describeLocation(item);
  return mapBlocks(message, (block) =>
    isObject(block) && block.type === 'toolCall' && ids.has(block.id) && !block.thoughtSignature
      ? { ...block, arguments: mapTexts(block.arguments, (text) => shortenText(text, location, most)) }
      : block,
  );
}

const HEAD_CHARACTERS = 100;

function shortenText(text: string, location: string, most: number): string {
  if (text.length <= most) return text;
  const start = sliceStart(text, HEAD_CHARACTERS);
  const omitted = text.length - start.length;
  return `${start} … [${omitted} more characters of the input of this failed call: ${location}]`;
}
