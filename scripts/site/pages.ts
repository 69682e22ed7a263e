/** The pages of the site and their addresses. The manual is written for GitHub: the site changes its links, not its text. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const projectFolder = path.join(import.meta.dirname, '../..');

/** The pages beside those of docs/. */
const AT_ROOT: ReadonlySet<string> = new Set(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']);

interface Group {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/** Returns the address of a Markdown file; null for a file that is no page. */
export function addressOf(file: string): string | null {
  if (file === 'README.md') return 'index.md';
  if (file === 'docs/README.md') return 'manual.md';
  if (AT_ROOT.has(file)) return file.toLowerCase();
  if (!/^docs\/(?!examples\/).*\.md$/.test(file)) return null;
  return file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md');
}

/** Returns the address on the site of a link in a page. Files that the site does not have lead to the repository. */
export function linkFrom(page: string, link: string, repository: string): string {
  if (/^(?:[a-z][a-z+.-]*:|#)/i.test(link)) return link;
  const [name = '', anchor = ''] = link.split(/(?=#)/);
  const file = path.posix.join(path.posix.dirname(page), name);
  if (!isInProject(file)) throw new Error(`${page}: dead link ${link}`);
  const index = path.posix.join(file, 'README.md');
  const address = addressOf(isInProject(index) ? index : file);
  if (address !== null) return `/${address}${anchor}`;
  return file.startsWith('docs/schema/') ? file.slice('docs'.length) : `${repository}/blob/main/${file}${anchor}`;
}

function isInProject(file: string): boolean {
  return existsSync(path.join(projectFolder, file));
}

/** Returns the pages that a page links to, by its headings. */
export function sidebarOf(file: string): readonly Group[] {
  const page = readFileSync(path.join(projectFolder, file), 'utf8');
  const parts = page.split(/^## /m).slice(1);
  return parts.map((part) => ({
    text: part.split('\n', 1).join(''),
    items: [...part.matchAll(/\[([^\]]+)\]\(([^)#:]+\.md)\)/g)].map(([, text = '', link = '']) => ({
      text,
      link: linkFrom(file, link, ''),
    })),
  }));
}
