import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONTENT_LOOKS, CONTEXT_CHANGES, formatPageColors, PROMPT_PARTS } from '#ui/palette.js';
import { renderReportPage } from '#ui/report/html.js';
import { projectFolder } from '../support/files.js';

/** Variables that the program of the page sets. */
const SET_BY_PROGRAM: ReadonlySet<string | undefined> = new Set(['head', 'key', 'rows']);

const html = [
  ...renderReportPage({
    kind: 'index',
    version: '1.0.0',
    folder: '.',
    cost: null,
    costListed: null,
    sessions: [],
    unreadable: [],
  }),
].join('');
const style = html.slice(html.indexOf('<style>') + '<style>'.length, html.indexOf('</style>'));
const own = readFileSync(`${projectFolder}/src/ui/report/page/style.css`, 'utf8');

describe('the look of all screens', () => {
  it('distinguishes the kinds of prompt tokens by words, by signs and by colours', () => {
    for (const part of ['title', 'sign', 'tone'] as const)
      expect(new Set(Object.values(PROMPT_PARTS).map((look) => look[part])).size).toBe(3);
    const pages = [...Object.values(PROMPT_PARTS), ...Object.values(CONTEXT_CHANGES), ...CONTENT_LOOKS].map(
      ({ page }) => page,
    );
    for (const at of [0, 1] as const) expect(new Set(pages.map((page) => page[at])).size).toBe(pages.length);
  });

  it('gives the page each colour once', () => {
    expect(style.startsWith(formatPageColors())).toBe(true);
    for (const name of [
      ...Object.keys(PROMPT_PARTS),
      ...Object.keys(CONTEXT_CHANGES),
      ...CONTENT_LOOKS.map((look) => look.name),
    ]) {
      expect(formatPageColors().split(`--${name}:`)).toHaveLength(2);
      expect(own).not.toContain(`--${name}:`);
    }
  });

  it('leaves no colour of the page undefined', () => {
    const defined = new Set([...style.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
    const used = [...own.matchAll(/var\(--([\w-]+)[),]/g)].map(([, name]) => name);
    expect(used.filter((name) => !defined.has(name) && !SET_BY_PROGRAM.has(name))).toEqual([]);
  });
});
