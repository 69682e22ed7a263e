import * as z from 'zod/mini';
import { textOf } from '#analysis/facts/text.js';
import { tokensOfMessage, tokensOfValue } from '#context/replay/tokens.js';
import { defineStrategy, type Proposal } from '../define.js';
import { ageOf, type Item } from '../history.js';
import { hashOf, shortTokens, sizeOf, turnsOld, whereIs, withText } from '../notes.js';

const options = z.strictObject({
  afterTurns: z
    ._default(z.int().check(z.positive()), 2)
    .register(z.globalRegistry, { description: 'How many turns old a result must be; the newest turn is 0 turns old' }),
  overTokens: z
    ._default(z.int().check(z.nonnegative()), 1000)
    .register(z.globalRegistry, { description: 'Results with a longer text are shortened, in estimated tokens' }),
  headCharacters: z
    ._default(z.int().check(z.nonnegative()), 1500)
    .register(z.globalRegistry, { description: 'How much of the beginning stays at most' }),
  tailCharacters: z
    ._default(z.int().check(z.nonnegative()), 1000)
    .register(z.globalRegistry, { description: 'How much of the end stays at most' }),
});

type Options = z.infer<typeof options>;

export default defineStrategy<Options>({
  name: 'distill',
  summary: 'Shorten bulky tool results of older turns to their beginning and end',
  help:
    'A tool result that is at least `afterTurns` turns old and longer than `overTokens` keeps its beginning and its ' +
    'end, at the ends of lines where there are any near. Between them a note says how many lines and bytes the result ' +
    'had, its SHA-256, and the entry in which the whole of it still is.\n\n' +
    'The call stays as it is, and so do pictures in the result. Nothing is shortened that would not save at least ' +
    '100 tokens.',
  options,
  *propose(history, limits) {
    for (const item of history.items) {
      const age = ageOf(history, item);
      if (item.kind !== 'toolResult' || item.isFrozen || age < limits.afterTurns) continue;
      const proposal = shortened(item, limits, age);
      if (proposal !== null) yield proposal;
    }
  },
});

const FEWEST_SAVED = 100;

function shortened(item: Item, limits: Options, age: number): Proposal | null {
  const text = textOf(item.message);
  const tokens = tokensOfValue(text);
  if (tokens <= limits.overTokens) return null;
  const note = `[shortened: ${sizeOf(text)} in all, ${hashOf(text)}; the whole of it is ${whereIs(item)}]`;
  const lines = [headOf(text, limits.headCharacters), note, tailOf(text, limits.tailCharacters)];
  const message = withText(item.message, lines.filter((line) => line !== '').join('\n'));
  if (tokensOfMessage(message) + FEWEST_SAVED > item.tokens) return null;
  const reason = `${shortTokens(tokens)} in a result ${turnsOld(age)}`;
  return { changes: [{ at: item.at, message }], reason };
}

/** At most so many UTF-16 code units of the beginning, up to the end of a line if one is near. */
function headOf(text: string, most: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  const newline = text.lastIndexOf('\n', end);
  return text.slice(0, newline > most * NEAR ? newline : end);
}

function tailOf(text: string, most: number): string {
  const from = Math.max(0, text.length - most);
  const start = /[\udc00-\udfff]/.test(text.charAt(from)) ? from + 1 : from;
  const newline = text.indexOf('\n', start - 1);
  return text.slice(newline >= 0 && newline < text.length - most * NEAR ? newline + 1 : start);
}

/** A cut moves to the end of a line that leaves this share of what may stay. */
const NEAR = 2 / 3;
