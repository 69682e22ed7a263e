import fs from 'node:fs';
import path from 'node:path';
import { attempt } from '#base/errors.js';
import { linkTarget } from './links.js';
import { statFile } from './peek-file.js';

/** The files and problems found in a folder. */
export interface FolderWalk {
  readonly files: readonly FoundFile[];
  /** Folders and names that could not be read, and were skipped. */
  readonly unreadable: readonly string[];
  /** Whether the walk started at a folder. */
  readonly isFolder: boolean;
}

export interface FoundFile {
  readonly file: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Matches every name of a file. */
export const ANY_NAME = /(?:)/;

export interface FolderWalkOptions {
  /** The names of the files that are found (default: those that end in `.jsonl`). */
  readonly pattern?: RegExp;
  /** Other paths are not looked at. */
  readonly mayEnter?: (path: string) => boolean;
  /** Whether symbolic links are passed over, the folder itself too: they may lead anywhere. */
  readonly withoutLinks?: boolean;
}

/**
 * Yields the `.jsonl` files, or those of another pattern, in a folder and its subfolders. It follows symbolic links,
 * but enters no folder twice. For the path of a file it yields that file, with any name.
 */
export function walkFolder(
  root: string,
  { pattern = JSON_LINES, mayEnter = () => true, withoutLinks = false }: FolderWalkOptions = {},
): FolderWalk {
  const files: FoundFile[] = [];
  const unreadable: string[] = [];
  const entered = new Set<string>();
  const waiting = withoutLinks && linkTarget(root) !== null ? [] : [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!mayEnter(next)) continue;
    const stat = statFile(next);
    // A link with another name was checked because it might lead to a folder.
    const isWanted = next === root || pattern.test(next);
    // A name that is not UTF-8 is decoded with replacement characters, so the file cannot be opened.
    if (stat === null && next.includes('\ufffd')) unreadable.push(next);
    if (isWanted && stat?.isFile()) files.push({ file: next, size: Number(stat.size), modified: Number(stat.mtimeMs) });
    if (!stat?.isDirectory() || entered.has(`${stat.dev}:${stat.ino}`)) continue;
    entered.add(`${stat.dev}:${stat.ino}`);
    const inside = listEntries(next, pattern, withoutLinks);
    if (inside === null) unreadable.push(next);
    for (const name of inside ?? []) waiting.push(path.join(next, name));
  }
  return { files, unreadable, isFolder: entered.size > 0 };
}

const JSON_LINES = /\.jsonl$/;

/** The names in a folder that may be sessions or folders; null if it cannot be read. */
function listEntries(folder: string, pattern: RegExp, withoutLinks: boolean): readonly string[] | null {
  const entries = attempt(() => fs.readdirSync(folder, { withFileTypes: true }), null);
  const isWanted = (entry: fs.Dirent): boolean =>
    entry.isSymbolicLink() ? !withoutLinks : pattern.test(entry.name) || entry.isDirectory();
  return entries && entries.filter(isWanted).map(({ name }) => name);
}
