import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

const FENCE = /^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm;
const CODE = /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g;
const LINK = /\]\(([^()\s]+)\)/g;

const pages = [
  ...readdirSync(projectFolder).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(projectFolder, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** A page without what it shows word for word. */
function prose(page: string): string {
  return readFileSync(path.join(projectFolder, page), 'utf8').replaceAll(FENCE, '');
}

function linksIn(page: string): readonly string[] {
  return [...prose(page).replaceAll(CODE, '').matchAll(LINK)].map(([, link = '']) => link);
}

/** The names of its headings, as they can be linked to. */
function anchorsOf(page: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  return new Set([...prose(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, text = '']) => slugger.slug(plain(text))));
}

/** A heading without its marks. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

const isOutside = (link: string): boolean => /^[a-z][a-z+.-]*:/i.test(link);

/** The page or file that a link leads to, and the heading. */
function targetOf(page: string, link: string): readonly [file: string, anchor: string | undefined] {
  const [name = '', anchor] = link.split('#');
  return [name === '' ? page : path.join(path.dirname(page), name), anchor];
}

/** What is wrong with a link; undefined where nothing is. */
function fault(page: string, link: string): string | undefined {
  if (isOutside(link))
    return URL.canParse(link) && link.startsWith('https://') ? undefined : `${link}: no https address`;
  const [file, anchor] = targetOf(page, link);
  if (file.startsWith('..')) return `${link}: outside of the project`;
  if (!existsSync(path.join(projectFolder, file))) return `${link}: no such file`;
  if (anchor === undefined || (file.endsWith('.md') && anchorsOf(file).has(anchor))) return undefined;
  return `${link}: no such heading`;
}

describe('the links of', () => {
  it.each(pages)('%s lead somewhere', (page) => {
    expect(linksIn(page).flatMap((link) => fault(page, link) ?? [])).toEqual([]);
  });
});

it('every page can be reached from the README', () => {
  const seen = new Set(['README.md']);
  for (const page of seen)
    for (const link of linksIn(page)) {
      const [file] = targetOf(page, link);
      // GitHub shows the page of a folder that is linked to.
      const target = pages.find((one) => one === file || one === path.join(file, 'README.md'));
      if (!isOutside(link) && target !== undefined) seen.add(target);
    }
  // What stands in docs/examples is data.
  expect(pages.filter((page) => !seen.has(page) && !page.startsWith('docs/examples/'))).toEqual([]);
});

it('a link that leads nowhere is found', () => {
  expect(fault('README.md', 'docs/none.md')).toContain('no such file');
  expect(fault('README.md', 'docs/use/show.md#none')).toContain('no such heading');
  expect(fault('docs/use/show.md', '../../../elsewhere.md')).toContain('outside');
  expect(fault('README.md', 'http://example.org')).toContain('https');
  expect(fault('docs/use/check.md', '../reference/configuration.md#recorded-findings')).toBeUndefined();
});
