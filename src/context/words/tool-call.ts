import { asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { readEntryMessage } from '../replay/convert.js';

/** The arguments of a tool call that identify it, under the names that Pi's tools and most others give them. */
export interface CallArguments {
  readonly tool: string;
  readonly command: string | null;
  /** The file or folder, relative to the working folder, with the lines that are read: `src/a.ts:10-40`. */
  readonly path: string | null;
  readonly pattern: string | null;
  /** All other arguments. */
  readonly rest: JsonObject;
}

/** The names of the argument with the path of a file, in the tools of Pi and of other agents. */
export const PATH_NAMES = ['path', 'file_path', 'filePath'];
const PATTERNS = ['pattern', 'query', 'url'];

/** Reads a tool call. Paths are relative to `cwd`. */
export function readToolCall({ name, arguments: given }: JsonObject, cwd = ''): CallArguments {
  const rest: { [key: string]: unknown } = isObject(given) ? { ...given } : {};
  const take = (names: readonly string[], textOf: (value: unknown) => string | null): string | null => {
    const key = names.find((each) => textOf(rest[each]));
    if (key === undefined) return null;
    const text = textOf(rest[key]);
    delete rest[key];
    return text;
  };
  const command = take(['command', 'cmd'], readCommand);
  const path = take(PATH_NAMES, asString);
  const pattern = take(PATTERNS, asString);
  const lines = path !== null && isReadTool(name) ? takeLines(rest) : '';
  return { tool: asText(name), command, path: path && `${toRelativePath(cwd, path)}${lines}`, pattern, rest };
}

/** Whether a tool of this name reads a file. */
export function isReadTool(tool: unknown): boolean {
  return /^(?:read|view)/i.test(asText(tool));
}

/** A command as a text, or as the list of its words. */
function readCommand(value: unknown): string | null {
  if (!Array.isArray(value)) return asString(value);
  return value.every((word) => typeof word === 'string') ? value.map(toShellWord).join(' ') : null;
}

/** Takes the range of lines out of the arguments, and writes it as Pi does. */
function takeLines(rest: { [key: string]: unknown }): string {
  const { offset, limit } = rest;
  if (typeof offset !== 'number' && typeof limit !== 'number') return '';
  const first = typeof offset === 'number' ? offset : 1;
  if (typeof offset === 'number') delete rest.offset;
  if (typeof limit !== 'number') return `:${first}`;
  delete rest.limit;
  return `:${first}-${first + limit - 1}`;
}

/** A path in the folder of the session is relative to it, and one in the home of its user begins with `~`. */
export function toRelativePath(cwd: string, path: string): string {
  if (cwd !== '' && path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1);
  const home = HOME.exec(cwd)?.[0] ?? '';
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The home folders of Linux, macOS and Windows. */
const HOME = /^(?:\/home\/[^/]+|\/root|\/Users\/[^/]+|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/]|$)/;

/** The characters of a path above which its name comes before its folder: rows that are cut would look alike. */
const LONG_PATH = 40;

/** A path on a line: a long one has its name first, with its folder behind it. */
export function formatNameFirst(path: string): string {
  const end = path.lastIndexOf('/');
  return path.length <= LONG_PATH || end <= 0 ? path : `${path.slice(end + 1)} in ${path.slice(0, end)}`;
}

/** The number of entries between a result and its call to search: parallel calls have consecutive results. */
const MOST_STEPS = 256;

/** Finds the tool call that an entry's result answers. */
export class CallFinder {
  private index = -1;
  private calls: ReadonlyMap<unknown, JsonObject> = new Map();

  constructor(private readonly session: Session) {}

  /** null for a result without an earlier call, and for other entries. */
  findCall({ index: from, role }: Head, entry: Entry): JsonObject | null {
    // The results of an answer often follow it at once.
    if (role === 'assistant') this.take(from, entry);
    if (role !== 'toolResult') return null;
    const id = readEntryMessage(entry)?.toolCallId;
    const { heads } = this.session.tree;
    let index = heads.parentAt(from);
    for (let step = 0; step < MOST_STEPS && index >= 0; step += 1, index = heads.parentAt(index)) {
      const above = heads.roleAt(index);
      // One entry is parsed at most: what calls nothing there has no call.
      if (above === 'assistant') return this.callsAt(index).get(id) ?? null;
      if (above === 'user') return null;
    }
    return null;
  }

  private callsAt(index: number): ReadonlyMap<unknown, JsonObject> {
    const head = this.session.tree.heads.at(index);
    if (head && index !== this.index) this.take(index, this.session.entry(head));
    return this.calls;
  }

  private take(index: number, answer: Entry): void {
    const calls = listObjects(readEntryMessage(answer)?.content).filter(({ type }) => type === 'toolCall');
    this.index = index;
    this.calls = new Map(calls.map((block) => [block.id, block]));
  }
}
