import * as z from 'zod/mini';
import { textOf } from '#analysis/facts/text.js';
import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { tokensOfMessage, tokensOfValue } from '#context/replay/tokens.js';
import { type Change, defineStrategy, type Proposal } from '../define.js';
import { ageOf, type History, type Item } from '../history.js';
import { turnsOld, whereIs, withText } from '../notes.js';
import { shortArguments } from './fold-arguments.js';
import { FOLDED, foldedLine } from './fold-line.js';

export const OVER_TOKENS = 100;

const options = z.strictObject({
  afterTurns: z
    ._default(z.int().check(z.positive()), 3)
    .register(z.globalRegistry, { description: 'How many turns old a result must be; the newest turn is 0 turns old' }),
  overTokens: z._default(z.int().check(z.nonnegative()), OVER_TOKENS).register(z.globalRegistry, {
    description: 'Results and arguments with a longer text are folded, in estimated tokens',
  }),
});

type Options = z.infer<typeof options>;

export default defineStrategy<Options>({
  name: 'fold',
  summary: 'Make one line of each old tool call and its result',
  help:
    'A tool result that is at least `afterTurns` turns old and longer than `overTokens` becomes one line: the tool, what ' +
    'it was called with, what came of it, how much text there was, and the entry in which the whole of it still is. ' +
    'In the call that belongs to it, long texts, such as the content of a written file, keep their beginning.\n\n' +
    'The pair stays a pair: ids, names of tools, and names and types of arguments stay as they are, and so do ' +
    'thinking and pictures. Name it before `distill` and `compress`: what those have shortened is no longer as long ' +
    'as the line would say.',
  options,
  propose: foldsIn,
});

/** Folds the pairs of old turns, oldest first. A call whose arguments get shorter changes together with its results. */
export function* foldsIn(history: History, { afterTurns, overTokens }: Options): Generator<Proposal> {
  for (const [call, uses] of oldPairs(history, afterTurns)) {
    const isBulky = (use: ToolUse): boolean => shortArguments(use.args, overTokens, whereIs(call)) !== use.args;
    const bulky = call.isFrozen ? [] : uses.filter(isBulky);
    const shorter = shorterCall(call, bulky, overTokens);
    const folded = (use: ToolUse): readonly Change[] => foldedResult(history, use, overTokens);
    if (shorter.length > 0)
      yield { changes: [...shorter, ...bulky.flatMap(folded)], reason: reasonFor(history, bulky) };
    // The other results do not depend on the call.
    const done = new Set(shorter.length > 0 ? bulky : []);
    for (const use of uses) {
      const changes = done.has(use) ? [] : folded(use);
      if (changes.length > 0) yield { changes, reason: reasonFor(history, [use]) };
    }
  }
}

/** Calls whose results are old enough, each with those pairs. */
function oldPairs(history: History, afterTurns: number): ReadonlyMap<Item, readonly ToolUse[]> {
  const byCall = new Map<Item, ToolUse[]>();
  for (const use of history.uses) {
    const [call, result] = [history.items[use.callAt], history.items[use.resultAt]];
    if (!call || !result || ageOf(history, result) < afterTurns) continue;
    const known = byCall.get(call);
    if (known) known.push(use);
    else byCall.set(call, [use]);
  }
  return byCall;
}

function shorterCall(call: Item, uses: readonly ToolUse[], overTokens: number): readonly Change[] {
  const ids = new Set<unknown>(uses.map(({ id }) => id));
  const { content } = call.message;
  const blocks = (Array.isArray(content) ? content : []).map((block: unknown) => {
    if (!isObject(block) || block['type'] !== 'toolCall' || !ids.has(block['id'])) return block;
    const args = block['arguments'];
    return isObject(args) ? { ...block, arguments: shortArguments(args, overTokens, whereIs(call)) } : block;
  });
  return ifShorter(call, { ...call.message, content: blocks });
}

function foldedResult(history: History, use: ToolUse, overTokens: number): readonly Change[] {
  const item = history.items[use.resultAt];
  if (!item || item.isFrozen || tokensOfValue(use.result) <= overTokens || use.result.startsWith(FOLDED)) return [];
  // What an earlier strategy has shortened is told of as it was.
  const whole = { ...use, result: textOf(item.original) };
  return ifShorter(item, withText(item.message, foldedLine(whole, whereIs(item))));
}

function ifShorter({ at, tokens }: Item, message: LlmMessage): readonly Change[] {
  return tokensOfMessage(message) < tokens ? [{ at, message }] : [];
}

function reasonFor(history: History, uses: readonly ToolUse[]): string {
  const ages = uses.flatMap(({ resultAt }) => history.items[resultAt] ?? []).map((item) => ageOf(history, item));
  return turnsOld(ages.reduce((least, age) => Math.min(least, age), Infinity));
}
