import { cut, oneLine } from '#analysis/facts/text.js';
import { commandOf, errorIn, fileOf, type ToolUse } from '#analysis/facts/tool-uses.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { sizeOf } from '../notes.js';

/** What was asked and what came of it, on one line. `where` says where the whole of it still is. */
export function foldedLine(use: ToolUse, where: string): string {
  const parts = [`${use.name}${subjectOf(use)}`, ...outcomeOf(use), sizeOf(use.result)];
  return `${FOLDED}${parts.join('; ')}; ${where}]`;
}

/** What a note of this strategy begins with: what it stands for is not folded again. */
export const FOLDED = '[folded: ';

/** What a call is about: what it looks for, its file, its command, or else the first text among its arguments. */
function subjectOf(use: ToolUse): string {
  const path = fileOf(use)?.path;
  const sought = soughtBy(use);
  if (sought !== null) return ` ${quoted(sought)}${path === undefined ? '' : ` in ${endOf(path)}`}`;
  if (path !== undefined) return ` ${endOf(path)}`;
  const texts = Object.values(use.args).flatMap((value) => asString(value) ?? []);
  const subject = commandOf(use) ?? texts.map(oneLine).find((text) => text !== '');
  return subject === undefined ? '' : ` ${cut(subject, LONGEST_SUBJECT)}`;
}

/** What a search looks for; null for a call that is none. */
function soughtBy({ args }: ToolUse): string | null {
  return asString(args['pattern']) ?? asString(args['query']);
}

/** Of a path, its end says the most. */
function endOf(path: string): string {
  const line = oneLine(path);
  if (line.length <= LONGEST_SUBJECT) return line;
  return `…${line.slice(-LONGEST_SUBJECT).replace(/^[\udc00-\udfff]/, '')}`;
}

const LONGEST_SUBJECT = 80;

function outcomeOf(use: ToolUse): readonly string[] {
  const exitCode = /^Command exited with code (\d+)$/m.exec(use.result)?.[1];
  const error = errorIn(use);
  if (error !== null) {
    const isSaid = exitCode === undefined || error.startsWith('Command exited');
    return [`failed with ${quoted(error)}`, ...(isSaid ? [] : [`exit code ${exitCode}`])];
  }
  const counted = countedIn(use.result);
  if (counted !== null) return [counted];
  // The text of a file is no outcome.
  if (fileOf(use)?.kind === 'read' && soughtBy(use) === null) return [];
  const said = use.result.split('\n').map(oneLine).filter(saysSomething);
  const [word, line] = commandOf(use) === null ? ['begins with', said[0]] : ['ends with', said.at(-1)];
  return line === undefined ? [] : [`${word} ${quoted(line)}`];
}

function quoted(text: string): string {
  return `"${cut(oneLine(text), LONGEST_QUOTE)}"`;
}

const LONGEST_QUOTE = 100;

/** Lines of more than marks, and not what Pi adds to an output that it has cut or that failed. */
function saysSomething(line: string): boolean {
  return (
    /[^\s!-/:-@[-`{-~]/.test(line) &&
    !/^(?:Command exited with code|\[(?:Showing|Output truncated|Full output))/.test(line)
  );
}

/** How many things a result in JSON holds; null for other texts. */
function countedIn(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  const value = parsed(text);
  if (Array.isArray(value)) return numberOf(value, 'item');
  if (!isObject(value)) return null;
  const [name, list] = listIn(value) ?? [];
  return list ? `${cut(oneLine(name ?? ''), LONGEST_NAME)}: ${numberOf(list, 'item')}` : null;
}

const LONGEST_NAME = 40;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function listIn(value: JsonObject): readonly [string, readonly unknown[]] | undefined {
  return Object.entries(value).find((pair): pair is [string, unknown[]] => Array.isArray(pair[1]));
}

function numberOf({ length }: readonly unknown[], one: string): string {
  return `${length} ${length === 1 ? one : `${one}s`}`;
}
