import * as z from 'zod/mini';
import { messageText, toOneLine, truncateText } from '#analysis/facts/text.js';
import { commandOf, findErrorLine, findFileUse, type ToolUse } from '#analysis/facts/tool-uses.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { option } from '#base/schema.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countMessageTokens, countValueTokens } from '#context/size/tokens.js';
import { defineStrategy, type Proposal, type ProposedChange } from '../define.js';
import { ageOf, type History, type HistoryItem } from '../history.js';
import { readJsonText } from '../json-shape.js';
import { withTextsOf } from '../map-texts.js';
import { describeAge, describeLocation, describeSize, isShortened, mapBlocks, replaceTexts } from '../message-notes.js';
import { readSearchHits } from '../search-hits.js';
import { findToolKind } from '../tool-kinds.js';

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
  for (const [call, uses] of oldPairs(history, afterTurns)) {
    // Of a call that was dropped with its results, nothing needs folding.
    if (isTaken(call.at) && uses.every(({ resultAt }) => isTaken(resultAt))) continue;
    const isBulky = (use: ToolUse): boolean =>
      shortenArguments(use.args, overTokens, describeLocation(call)) !== use.args;
    const bulky = call.isFrozen ? [] : uses.filter(isBulky);
    const shorter = shorterCall(call, bulky, overTokens);
    const folded = (use: ToolUse): readonly ProposedChange[] => foldedResult(history, use, overTokens);
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
function oldPairs(history: History, afterTurns: number): ReadonlyMap<HistoryItem, readonly ToolUse[]> {
  const byCall = new Map<HistoryItem, ToolUse[]>();
  for (const use of history.uses) {
    const [call, result] = [history.items[use.callAt], history.items[use.resultAt]];
    if (!call || !result || ageOf(history, result) < afterTurns) continue;
    addTo(byCall, call, use);
  }
  return byCall;
}

function shorterCall(call: HistoryItem, uses: readonly ToolUse[], overTokens: number): readonly ProposedChange[] {
  const ids = new Set<unknown>(uses.map(({ id }) => id));
  const message = mapBlocks(call.message, (block) => {
    if (!isObject(block) || block['type'] !== 'toolCall' || !ids.has(block['id'])) return block;
    const args = block['arguments'];
    return isObject(args) ? { ...block, arguments: shortenArguments(args, overTokens, describeLocation(call)) } : block;
  });
  return ifShorter(call, message);
}

function foldedResult(history: History, use: ToolUse, overTokens: number): readonly ProposedChange[] {
  const item = history.items[use.resultAt];
  if (!item || item.isFrozen || countValueTokens(use.result) <= overTokens || isFoldedResult(item)) return [];
  // A note describes the original, also if an earlier strategy shortened it.
  const whole = { ...use, result: messageText(item.original) };
  return ifShorter(item, replaceTexts(item.message, foldedLine(whole, item)));
}

/** A line of this strategy, in its present or its former shape, which is not folded again. */
function isFoldedResult(item: HistoryItem): boolean {
  return /^\[(?:folded: |Turn \d+\] )/.test(messageText(item.message)) && isShortened(item);
}

function ifShorter({ at, tokens }: HistoryItem, message: LlmMessage): readonly ProposedChange[] {
  return countMessageTokens(message) < tokens ? [{ at, message }] : [];
}

function reasonFor(history: History, uses: readonly ToolUse[]): string {
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
  return withTextsOf(args, shorten, 0);
}

const LONGEST_BEGINNING = 160;

/** A beginning may be a code unit shorter, so as not to end inside a character. */
function isFolded(text: string): boolean {
  return /^.{1,2} … \[folded: [^\]]*\]$/s.test(text.slice(LONGEST_BEGINNING - ' …'.length - 2));
}

function foldedLine(use: ToolUse, item: HistoryItem): string {
  const parts = [...outcomeOf(use), describeSize(use.result), describeLocation(item)];
  return `[Turn ${item.turnNumber}] ${use.name}${subjectOf(use)} → ${parts.join('; ')}`;
}

/** The beginning of the note in a shortened argument, which is not shortened again. */
const FOLDED = '[folded: ';

/** The subject of a call: its query, its file, its command, or else the first text among its arguments. */
function subjectOf(use: ToolUse): string {
  const path = findFileUse(use)?.path;
  const sought = soughtBy(use);
  if (sought !== null) return ` ${quoted(sought)}${path === undefined ? '' : ` in ${endOf(path)}`}`;
  if (path !== undefined) return ` ${endOf(path)}`;
  const texts = Object.values(use.args).flatMap((value) => asString(value) ?? []);
  const subject = commandOf(use) ?? texts.map(toOneLine).find((text) => text !== '');
  return subject === undefined ? '' : ` ${truncateText(subject, LONGEST_SUBJECT)}`;
}

/** The query of a search; null for a call that is none. */
function soughtBy({ args }: ToolUse): string | null {
  return asString(args['pattern']) ?? asString(args['query']);
}

/** The end of a path identifies it best. */
function endOf(path: string): string {
  const line = toOneLine(path);
  if (line.length <= LONGEST_SUBJECT) return line;
  return `…${line.slice(-LONGEST_SUBJECT).replace(/^[\udc00-\udfff]/, '')}`;
}

const LONGEST_SUBJECT = 80;

function outcomeOf(use: ToolUse): readonly string[] {
  // Of a long text, to look for the words takes a fraction of the time of the pattern.
  const exitCode = use.result.includes('exited')
    ? /^Command exited with code (\d+)$/m.exec(use.result)?.[1]
    : undefined;
  const error = findErrorLine(use);
  if (error !== null) {
    const isSaid = exitCode === undefined || error.startsWith('Command exited');
    return [`failed with ${quoted(error)}`, ...(isSaid ? [] : [`exit code ${exitCode}`])];
  }
  const counted = foundIn(use) ?? countedIn(use.result);
  if (counted !== null) return [counted];
  // The text of a file is no outcome.
  if (findFileUse(use)?.kind === 'read' && soughtBy(use) === null) return [];
  const lines = use.result.split('\n');
  const isEnd = commandOf(use) !== null;
  const line = isEnd ? lines.findLast(saysSomething) : lines.find(saysSomething);
  return line === undefined ? [] : [`${isEnd ? 'ends' : 'begins'} with ${quoted(line)}`];
}

function quoted(text: string): string {
  return `"${truncateText(toOneLine(text), LONGEST_QUOTE)}"`;
}

const LONGEST_QUOTE = 100;

/** Lines of more than marks, and not what Pi adds to an output that it has cut or that failed. */
function saysSomething(text: string): boolean {
  const line = toOneLine(text);
  return (
    /[^\s!-/:-@[-`{-~]/.test(line) &&
    !/^(?:Command exited with code|\[(?:Showing|Output truncated|Full output))/.test(line)
  );
}

/** The number of results of a search, and the titles of the first; null for a result without titles. */
function foundIn({ name, result }: ToolUse): string | null {
  const hits = findToolKind(name) === 'search' ? readSearchHits(result) : null;
  if (!hits) return null;
  const titles = hits.slice(0, MOST_TITLES).map(({ title }) => truncateText(title, LONGEST_TITLE));
  return `Found ${numberOf(hits, 'result')}, most relevant: ${titles.join(', ')}`;
}

const MOST_TITLES = 3;

const LONGEST_TITLE = 60;

/** The number of items in a JSON result; null for other texts. */
function countedIn(text: string): string | null {
  const value = readJsonText(text);
  if (Array.isArray(value)) return numberOf(value, 'item');
  if (!isObject(value)) return null;
  const [name, list] = listIn(value) ?? [];
  return list ? `${truncateText(toOneLine(name ?? ''), LONGEST_NAME)}: ${numberOf(list, 'item')}` : null;
}

const LONGEST_NAME = 40;

function listIn(value: JsonObject): readonly [string, readonly unknown[]] | undefined {
  return Object.entries(value).find((pair): pair is [string, unknown[]] => Array.isArray(pair[1]));
}

function numberOf({ length }: readonly unknown[], one: string): string {
  return `${length} ${length === 1 ? one : `${one}s`}`;
}
