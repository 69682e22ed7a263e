import { toOneLine, truncateText } from '#analysis/facts/text.js';
import { commandOf, findErrorLine, findFileUse, type ToolUse } from '#analysis/facts/tool-uses.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { readJsonText } from './json-shape.js';
import { readSearchHits } from './search-hits.js';
import { findToolKind } from './tool-kinds.js';

/** The query of a search; null for a call that is none. */
export function readQuery({ args }: ToolUse): string | null {
  return asString(args.pattern) ?? asString(args.query);
}

/** The outcome of a call in a few words: its error, a number of results, or a line of its output. */
export function describeOutcome(use: ToolUse): readonly string[] {
  const error = findErrorLine(use);
  if (error !== null) return describeFailure(error, use.result);
  const counted = describeHits(use) ?? describeItems(use.result);
  if (counted !== null) return [counted];
  // The text of a file is no outcome.
  const isFile = findFileUse(use)?.kind === 'read' && readQuery(use) === null;
  return isFile ? [] : describeOutput(use);
}

function describeFailure(error: string, result: string): readonly string[] {
  // Searching a long text for the word takes a fraction of the time that the pattern takes.
  const exitCode = result.includes('exited') ? /^Command exited with code (\d+)$/m.exec(result)?.[1] : undefined;
  const isSaid = exitCode === undefined || error.startsWith('Command exited');
  return [`failed with ${quoteText(error)}`, ...(isSaid ? [] : [`exit code ${exitCode}`])];
}

/** A command reports its outcome at the end, and other tools at the beginning. */
function describeOutput(use: ToolUse): readonly string[] {
  const lines = use.result.split('\n');
  const isCommand = commandOf(use) !== null;
  const line = isCommand ? lines.findLast(hasWords) : lines.find(hasWords);
  return line === undefined ? [] : [`${isCommand ? 'ends' : 'begins'} with ${quoteText(line)}`];
}

export function quoteText(text: string): string {
  return `"${truncateText(toOneLine(text), LONGEST_QUOTE)}"`;
}

const LONGEST_QUOTE = 100;

/** Lines of more than marks, and not what Pi adds to an output that it has cut or that failed. */
function hasWords(text: string): boolean {
  const line = toOneLine(text);
  return (
    /[^\s!-/:-@[-`{-~]/.test(line) &&
    !/^(?:Command exited with code|\[(?:Showing|Output truncated|Full output))/.test(line)
  );
}

/** The number of results of a search, and the titles of the first; null for a result without titles. */
function describeHits({ name, result }: ToolUse): string | null {
  const hits = findToolKind(name) === 'search' ? readSearchHits(result) : null;
  if (!hits) return null;
  const titles = hits.slice(0, MOST_TITLES).map(({ title }) => truncateText(title, LONGEST_TITLE));
  return `Found ${describeCount(hits, 'result')}, most relevant: ${titles.join(', ')}`;
}

const MOST_TITLES = 3;

const LONGEST_TITLE = 60;

/** The number of items in a JSON result; null for other texts. */
function describeItems(text: string): string | null {
  const value = readJsonText(text);
  if (Array.isArray(value)) return describeCount(value, 'item');
  if (!isObject(value)) return null;
  const [name, list] = findList(value) ?? [];
  return list ? `${truncateText(toOneLine(name ?? ''), LONGEST_NAME)}: ${describeCount(list, 'item')}` : null;
}

const LONGEST_NAME = 40;

function findList(value: JsonObject): readonly [string, readonly unknown[]] | undefined {
  return Object.entries(value).find((pair): pair is [string, unknown[]] => Array.isArray(pair[1]));
}

function describeCount({ length }: readonly unknown[], one: string): string {
  return `${length} ${length === 1 ? one : `${one}s`}`;
}
