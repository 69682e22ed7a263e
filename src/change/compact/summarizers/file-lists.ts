import type { SummaryTask } from './define.js';

/** The lists of files as Pi puts them at the end of a summary. Empty where there are none. */
export function fileLists({ read, modified }: SummaryTask['files']): string {
  const lists = [listOf('read-files', read), listOf('modified-files', modified)].filter((list) => list !== '');
  return lists.map((list) => `\n\n${list}`).join('');
}

function listOf(tag: string, paths: readonly string[]): string {
  return paths.length === 0 ? '' : `<${tag}>\n${paths.join('\n')}\n</${tag}>`;
}

/**
 * As many files as fit into so many UTF-16 code units. Those that were modified come first; of both, the first in the
 * list are kept.
 */
export function filesFitting({ read, modified }: SummaryTask['files'], room: number): SummaryTask['files'] {
  const keptModified = within(modified, room - TAGS_LENGTH);
  const used = fileLists({ read: [], modified: keptModified }).length;
  return { modified: keptModified, read: within(read, room - used - TAGS_LENGTH) };
}

/** Of both tags of a list and the lines around them. */
const TAGS_LENGTH = 36;

function within(paths: readonly string[], room: number): readonly string[] {
  let left = room;
  const kept: string[] = [];
  for (const path of paths) {
    left -= path.length + 1;
    if (left < 0) break;
    kept.push(path);
  }
  return kept;
}
