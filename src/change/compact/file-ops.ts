import { isObject, objectsIn } from '#base/json.js';
import type { AgentMessage } from '#context/replay/convert.js';

/** The files that tool calls name, by what was done to them. */
export interface FileOps {
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  readonly edited: ReadonlySet<string>;
}

/** The files of some messages, and those that an earlier compaction lists in its `details`. */
export function fileOpsOf(messages: readonly AgentMessage[], details: unknown): FileOps {
  const found = { read: new Set<string>(), written: new Set<string>(), edited: new Set<string>() };
  if (isObject(details)) {
    for (const file of textsIn(details['readFiles'])) found.read.add(file);
    for (const file of textsIn(details['modifiedFiles'])) found.edited.add(file);
  }
  for (const message of messages) {
    for (const { name, arguments: args } of callsIn(message)) {
      const path = isObject(args) ? args['path'] : null;
      if (typeof path !== 'string' || path === '') continue;
      if (name === 'read') found.read.add(path);
      else if (name === 'write') found.written.add(path);
      else if (name === 'edit') found.edited.add(path);
    }
  }
  return found;
}

/** Calls that scripts made stand at the result of the script. */
function callsIn({ role, content, nestedCalls }: AgentMessage): readonly { name?: unknown; arguments?: unknown }[] {
  if (role === 'toolResult') return isObject(nestedCalls) ? objectsIn(nestedCalls['calls']) : [];
  return role === 'assistant' ? objectsIn(content).filter(({ type }) => type === 'toolCall') : [];
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** Files that were only read, and files that were changed. */
export interface FileLists {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

/** In the order of their UTF-16 code units. Pi's `computeFileLists`. */
export function listsOf({ read, written, edited }: FileOps): FileLists {
  const modified = new Set([...edited, ...written]);
  return { read: [...read].filter((file) => !modified.has(file)).toSorted(), modified: [...modified].toSorted() };
}
