import * as z from 'zod/mini';
import { readMessageText } from '#analysis/facts/text.js';
import { option } from '#base/schema.js';
import { countMessageTokens, countValueTokens } from '#context/size/tokens.js';
import { defineStrategy, type Proposal } from '../define.js';
import { ageOf, type HistoryItem } from '../history.js';
import { describeAge, describeHash, describeLocation, describeSize, describeTokens } from '../message-notes.js';
import { replaceTexts } from '../shorter-messages.js';

const options = z.strictObject({
  afterTurns: option(z.int().check(z.positive()), 2, 'Minimum age of a result in turns (the newest turn is 0)'),
  overTokens: option(z.int().check(z.nonnegative()), 1000, 'Maximum estimated tokens of a result'),
  headCharacters: option(z.int().check(z.nonnegative()), 1500, 'Maximum to keep of the beginning'),
  tailCharacters: option(z.int().check(z.nonnegative()), 1000, 'Maximum to keep of the end'),
});

type Options = z.infer<typeof options>;

export default defineStrategy<Options>({
  name: 'distill',
  summary: 'Shorten long results of older turns to beginning and end',
  help:
    'Shortens each tool result that is at least `afterTurns` turns old and longer than `overTokens` to its beginning ' +
    'and its end, at line breaks if possible. A note between them names the lines, bytes and SHA-256 of the full ' +
    'result, and the command that prints it.\n\n' +
    'The call and the images in the result are kept. A result is shortened only if that saves at least 100 tokens.',
  options,
  *propose(history, limits) {
    for (const item of history.items) {
      const age = ageOf(history, item);
      if (item.kind !== 'toolResult' || item.isFrozen || age < limits.afterTurns) continue;
      const proposal = proposeExcerpt(item, limits, age);
      if (proposal !== null) yield proposal;
    }
  },
});

const FEWEST_SAVED = 100;

function proposeExcerpt(item: HistoryItem, limits: Options, age: number): Proposal | null {
  const text = readMessageText(item.message);
  const tokens = countValueTokens(text);
  if (tokens <= limits.overTokens) return null;
  const note = `[shortened: ${describeSize(text)} in all, ${describeHash(text)}; full data: ${describeLocation(item)}]`;
  const lines = [takeHead(text, limits.headCharacters), note, takeTail(text, limits.tailCharacters)];
  const message = replaceTexts(item.message, lines.filter((line) => line !== '').join('\n'));
  if (countMessageTokens(message) + FEWEST_SAVED > item.tokens) return null;
  const reason = `${describeTokens(tokens)} in a result ${describeAge(age)}`;
  return { changes: [{ at: item.at, message }], reason };
}

/** Takes the first `most` UTF-16 code units at most, and ends at the end of a line if one is near. */
function takeHead(text: string, most: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  const newline = text.lastIndexOf('\n', end);
  return text.slice(0, newline > most * NEAR ? newline : end);
}

function takeTail(text: string, most: number): string {
  const from = Math.max(0, text.length - most);
  const start = /[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from;
  const newline = text.indexOf('\n', start - 1);
  return text.slice(newline >= 0 && newline < text.length - most * NEAR ? newline + 1 : start);
}

/** A cut moves to the end of a line that leaves this share of what may stay. */
const NEAR = 2 / 3;
