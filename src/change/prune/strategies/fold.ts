import * as z from 'zod/mini';
import { readMessageText, toOneLine, truncateText } from '#analysis/facts/text.js';
import { commandOf, findFileUse, type ToolUse } from '#analysis/facts/tool-uses.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { option } from '#base/schema.js';
import { countValueTokens } from '#context/size/tokens.js';
import { describeOutcome, quoteText, readQuery } from '../call-outcome.js';
import { defineStrategy, type Proposal, type ProposedChange } from '../define.js';
import { ageOf, type History, type HistoryItem } from '../history.js';
import { mapFieldTexts } from '../map-texts.js';
import { describeAge, describeLocation, describeSize, isShortened } from '../message-notes.js';
import { mapBlocks, proposeShorter, replaceTexts } from '../shorter-messages.js';

export const FOLD_OVER_TOKENS = 100;

const options = z.strictObject({
  afterTurns: option(z.int().check(z.positive()), 3, 'Minimum age of a result in turns (the newest turn is 0)'),
  overTokens: option(
    z.int().check(z.nonnegative()),
    FOLD_OVER_TOKENS,
    'Maximum estimated tokens of a result or an argument',
  ),
});

type Options = z.infer<typeof options>;

export default defineStrategy<Options>({
  name: 'fold',
  summary: 'Fold each old tool call and its result to one line',
  help:
    'Replaces each tool result that is at least `afterTurns` turns old and longer than `overTokens` by one line: the ' +
    'turn, the tool, its arguments, the outcome, the size, and the command that prints the full result. The outcome of ' +
    'a search is the number of results and the titles of the first three: `[Turn 3] web_search "sorting" → Found 8 ' +
    'results, most relevant: quicksort, mergesort, TimSort; 1 line, 5.0 kB; ctx cat 019b2f4e-1c3d 3f12b25a`. In the ' +
    'call, long texts, such as the content of a written file, are shortened to their beginning.\n\n' +
    'Ids, tool names, argument names and argument types stay the same, and so do thinking and images. Put this ' +
    'strategy before `distill` and `compress`, so that the line reports the original size.',
  options,
  propose: proposeFolds,
});

/** Folds the pairs of old turns, oldest first. A call whose arguments get shorter changes together with its results. */
export function* proposeFolds(
  history: History,
  { afterTurns, overTokens }: Options,
  isTaken: (at: number) => boolean,
): Generator<Proposal> {
  for (const [call, uses] of groupOldPairs(history, afterTurns)) {
    // A call that was dropped with its results needs no folding.
    if (isTaken(call.at) && uses.every(({ resultAt }) => isTaken(resultAt))) continue;
    const bulky = call.isFrozen ? [] : uses.filter((use) => isBulky(use, call, overTokens));
    const shorter = foldCall(call, bulky, overTokens);
    if (shorter) {
      const results = bulky.flatMap((use) => foldResult(history, use, overTokens) ?? []);
      yield { changes: [shorter, ...results], reason: describeReason(history, bulky) };
    }
    // The other results do not depend on the call.
    const done = new Set(shorter ? bulky : []);
    for (const use of uses) {
      const change = done.has(use) ? null : foldResult(history, use, overTokens);
      if (change) yield { changes: [change], reason: describeReason(history, [use]) };
    }
  }
}

/** Whether the arguments of a call have a text to shorten. */
function isBulky(use: ToolUse, call: HistoryItem, overTokens: number): boolean {
  return shortenArguments(use.args, overTokens, describeLocation(call)) !== use.args;
}

/** Calls whose results are old enough, each with those pairs. */
function groupOldPairs(history: History, afterTurns: number): ReadonlyMap<HistoryItem, readonly ToolUse[]> {
  const byCall = new Map<HistoryItem, ToolUse[]>();
  for (const use of history.uses) {
    const call = history.items[use.callAt];
    const result = history.items[use.resultAt];
    if (!call || !result || ageOf(history, result) < afterTurns) continue;
    addTo(byCall, call, use);
  }
  return byCall;
}

function foldCall(call: HistoryItem, uses: readonly ToolUse[], overTokens: number): ProposedChange | null {
  const ids = new Set<unknown>(uses.map(({ id }) => id));
  const message = mapBlocks(call.message, (block) => {
    if (!isObject(block) || block.type !== 'toolCall' || !ids.has(block.id)) return block;
    const args = block.arguments;
    return isObject(args) ? { ...block, arguments: shortenArguments(args, overTokens, describeLocation(call)) } : block;
  });
  return proposeShorter(call, message);
}

function foldResult(history: History, use: ToolUse, overTokens: number): ProposedChange | null {
  const item = history.items[use.resultAt];
  if (!item || item.isFrozen || countValueTokens(use.result) <= overTokens || isFoldedResult(item)) return null;
  // A note describes the original, also if an earlier strategy shortened it.
  const whole = { ...use, result: readMessageText(item.original) };
  return proposeShorter(item, replaceTexts(item.message, formatFoldedLine(whole, item)));
}

/** A line of this strategy, in its present or its former shape, which is not folded again. */
function isFoldedResult(item: HistoryItem): boolean {
  return /^\[(?:folded: |Turn \d+\] )/.test(readMessageText(item.message)) && isShortened(item);
}

function describeReason(history: History, uses: readonly ToolUse[]): string {
  const ages = uses.flatMap(({ resultAt }) => history.items[resultAt] ?? []).map((item) => ageOf(history, item));
  return describeAge(ages.reduce((least, age) => Math.min(least, age), Infinity));
}

/**
 * The arguments of a call with their long texts cut to the beginning, at any depth; names and types stay. The same
 * object where no text has more tokens than `most`. `where` names the place of the whole text.
 */
export function shortenArguments(args: JsonObject, most: number, where: string): JsonObject {
  const shorten = (text: string): string => {
    if (countValueTokens(text) <= most || isFolded(text)) return text;
    const short = `${truncateText(text, LONGEST_BEGINNING)} ${FOLDED}${describeSize(text)}; ${where}]`;
    return short.length < text.length ? short : text;
  };
  return mapFieldTexts(args, shorten, 0);
}

const LONGEST_BEGINNING = 160;

/** A beginning may be a code unit shorter, so as not to end inside a character. */
function isFolded(text: string): boolean {
  return /^.{1,2} … \[folded: [^\]]*\]$/s.test(text.slice(LONGEST_BEGINNING - ' …'.length - 2));
}

function formatFoldedLine(use: ToolUse, item: HistoryItem): string {
  const parts = [...describeOutcome(use), describeSize(use.result), describeLocation(item)];
  return `[Turn ${item.turnNumber}] ${use.name}${describeSubject(use)} → ${parts.join('; ')}`;
}

/** The beginning of the note in a shortened argument, which is not shortened again. */
const FOLDED = '[folded: ';

/** The subject of a call: its query, its file, its command, or else the first text among its arguments. */
function describeSubject(use: ToolUse): string {
  const path = findFileUse(use)?.path;
  const sought = readQuery(use);
  if (sought !== null) return ` ${quoteText(sought)}${path === undefined ? '' : ` in ${shortenPath(path)}`}`;
  if (path !== undefined) return ` ${shortenPath(path)}`;
  const texts = Object.values(use.args).flatMap((value) => asString(value) ?? []);
  const subject = commandOf(use) ?? texts.map(toOneLine).find((text) => text !== '');
  return subject === undefined ? '' : ` ${truncateText(subject, LONGEST_SUBJECT)}`;
}

/** The end of a path identifies it best. */
function shortenPath(path: string): string {
  const line = toOneLine(path);
  if (line.length <= LONGEST_SUBJECT) return line;
  return `…${line.slice(-LONGEST_SUBJECT).replace(/^[\udc00-\udfff]/, '')}`;
}

const LONGEST_SUBJECT = 80;
