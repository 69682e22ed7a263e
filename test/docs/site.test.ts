import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addressOf, linkFrom, sidebarOf } from '../../scripts/site/pages.js';
import { projectFolder } from '../support/files.js';

const REPOSITORY = 'https://example.org/ctx';

function pagesIn(folder: string): readonly string[] {
  const names = readdirSync(path.join(projectFolder, folder)).filter((name) => name.endsWith('.md'));
  return names.filter((name) => name !== 'README.md').map((name) => `/${addressOf(`${folder}/${name}`)}`);
}

function linksOf(sidebar: ReturnType<typeof sidebarOf>): readonly string[] {
  return sidebar.flatMap(({ items }) => items.map(({ link }) => link));
}

describe('the sidebar', () => {
  it.each([
    ['docs/use', 'docs/README.md'],
    ['docs/reference', 'docs/README.md'],
    ['docs/lab', 'docs/README.md'],
    ['docs/contributing', 'docs/README.md'],
    ['docs/rules', 'docs/rules/README.md'],
  ])('has every page of %s', (folder, list) => {
    const links = linksOf(sidebarOf(list));
    expect(
      pagesIn(folder).filter((page) => !links.includes(page)),
      `a list of ${list} must link to it`,
    ).toEqual([]);
  });
});

describe('a link of a page', () => {
  it.each([
    ['README.md', 'docs/use/show.md#the-screen', '/use/show.md#the-screen'],
    ['docs/use/show.md', '../ci/README.md', '/ci/index.md'],
    ['docs/use/show.md', '../ci', '/ci/index.md'],
    ['docs/rules/cycle.md', '../README.md', '/manual.md'],
    ['docs/use/show.md', '../../README.md#install', '/index.md#install'],
    ['docs/use/show.md', '../../CHANGELOG.md', '/changelog.md'],
    ['docs/use/show.md', '../schema/error.json', '/schema/error.json'],
    ['docs/use/show.md', '../../src/base/README.md', `${REPOSITORY}/blob/main/src/base/README.md`],
    ['docs/use/show.md', 'https://example.com', 'https://example.com'],
    ['docs/use/show.md', '#the-screen', '#the-screen'],
  ])('of %s to %s leads to %s', (page, link, target) => {
    expect(linkFrom(page, link, REPOSITORY)).toBe(target);
  });

  it('must lead somewhere', () => {
    expect(() => linkFrom('docs/use/show.md', 'none.md', REPOSITORY)).toThrow('docs/use/show.md: dead link none.md');
  });
});
