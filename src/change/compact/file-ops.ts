import { isObject, listObjects, listTexts } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';
import type { SummaryTask } from './summarizers/define.js';

/** The files that tool calls name, by what was done to them. */
export interface FileOps {
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  readonly edited: ReadonlySet<string>;
}

/** The files of some messages, and those that an earlier compaction lists in its `details`. */
export function readFileOps(messages: readonly StoredMessage[], details: unknown): FileOps {
  const found = { read: new Set<string>(), written: new Set<string>(), edited: new Set<string>() };
  if (isObject(details)) {
    for (const file of listTexts(details.readFiles)) found.read.add(file);
    for (const file of listTexts(details.modifiedFiles)) found.edited.add(file);
  }
  for (const message of messages) {
    for (const { name, arguments: args } of listCalls(message)) {
      const path = isObject(args) ? args.path : null;
      if (typeof path !== 'string' || path === '') continue;
      if (name === 'read') found.read.add(path);
      else if (name === 'write') found.written.add(path);
      else if (name === 'edit') found.edited.add(path);
    }
  }
  return found;
}

/** Calls that a script made are recorded at the result of the script. */
function listCalls({ role, content, nestedCalls }: StoredMessage): readonly { name?: unknown; arguments?: unknown }[] {
  if (role === 'toolResult') return isObject(nestedCalls) ? listObjects(nestedCalls.calls) : [];
  return role === 'assistant' ? listObjects(content).filter(({ type }) => type === 'toolCall') : [];
}

/** Files that were only read, and files that were changed. */
export interface FileLists {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

/** Sorts both lists by UTF-16 code units, as Pi's `computeFileLists` does. */
export function toFileLists({ read, written, edited }: FileOps): FileLists {
  const modified = new Set([...edited, ...written]);
  return { read: [...read].filter((file) => !modified.has(file)).toSorted(), modified: [...modified].toSorted() };
}

/** The lists of files as Pi puts them at the end of a summary. Empty where there are none. */
export function formatFileLists({ read, modified }: SummaryTask['files']): string {
  return formatList('read-files', read) + formatList('modified-files', modified);
}

function formatList(tag: string, paths: readonly string[]): string {
  return paths.length === 0 ? '' : `\n\n<${tag}>\n${paths.join('\n')}\n</${tag}>`;
}

/**
 * The files whose lists fit into `room` UTF-16 code units. Modified files come before read ones, and the first of each
 * list are kept.
 */
export function fitFiles({ read, modified }: SummaryTask['files'], room: number): SummaryTask['files'] {
  const keptModified = keepWithin(modified, room - TAGS_LENGTH);
  const used = formatFileLists({ read: [], modified: keptModified }).length;
  return { modified: keptModified, read: keepWithin(read, room - used - TAGS_LENGTH) };
}

/** The length of both tags of a list and the lines around them. */
const TAGS_LENGTH = 36;

function keepWithin(paths: readonly string[], room: number): readonly string[] {
  let left = room;
  const kept: string[] = [];
  for (const path of paths) {
    left -= path.length + 1;
    if (left < 0) break;
    kept.push(path);
  }
  return kept;
}
