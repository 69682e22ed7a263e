import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from './files.js';

/** The parts of the manual: folders of docs/ whose pages people write. */
const PARTS = ['use', 'reference', 'lab', 'contributing'] as const;

/** The pages of the manual, each as its path from the root of the project. */
export const manualPages: readonly string[] = [
  'docs/README.md',
  ...PARTS.flatMap((part) => readdirSync(path.join(projectFolder, 'docs', part)).map((name) => `docs/${part}/${name}`)),
].filter((page) => page.endsWith('.md'));

/** Returns the text of a page. */
export function readPage(page: string): string {
  return readFileSync(path.join(projectFolder, page), 'utf8');
}

/** Returns the link from a page of the manual to a file of the project. */
export function linkBetween(page: string, file: string): string {
  return path.posix.relative(path.posix.dirname(page), file);
}
