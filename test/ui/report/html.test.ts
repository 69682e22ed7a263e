import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { renderReportPage } from '#ui/report/html.js';
import { UNSAFE } from '../../support/check-run.js';
import { lines, user } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { reported } from '../../support/reports.js';

const HEADER = { type: 'session', version: 3, id: 's', timestamp: '2026-01-05T09:00:00.000Z', cwd: '/w' };

async function pageOf(text: string): Promise<{ readonly page: string; readonly data: unknown }> {
  const { data } = await reported(text);
  return {
    page: [...renderReportPage(data)].join(''),
    data: JSON.parse(JSON.stringify({ ...data, drawn: [...data.drawn] })),
  };
}

function between(page: string, start: string, end: string): string {
  const from = page.indexOf(start) + start.length;
  return page.slice(from, page.indexOf(end, from));
}

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<!-- <script>',
  '</SCRIPT >',
  '<img src=x onerror=alert(1)>',
  '\u2028\u2029\u202e\u001b[31m\u0000\ufeff',
  '\ud800',
];

describe('the page', () => {
  it('holds its data, whatever that says', async () => {
    const parts = HOSTILE.map((content, at) => user(content, at === 0 ? null : HOSTILE[at - 1], content));
    const { page, data } = await pageOf(lines(HEADER, { type: 'session_info', id: 'i', name: HOSTILE[0] }, ...parts));
    const json = between(page, '<script type="application/json" id="data">', '</script>');
    expect(JSON.parse(json)).toEqual(data);
    expect(json).not.toContain('<');
    expect(page.match(/<script/gi)).toHaveLength(2);
    expect(page.match(/<\/script/gi)).toHaveLength(2);
  });

  it('has nothing in it that a terminal would obey', async () => {
    const { page } = await pageOf(lines(HEADER, user('u', null, HOSTILE.join(' ')), generateSession({ seed: 1 })));
    expect(UNSAFE.exec(page.replaceAll('\n', ''))).toBe(null);
  });

  it('allows only its own script and its own style', async () => {
    const { page } = await pageOf(generateSession({ seed: 2 }));
    const policy = between(page, 'http-equiv="Content-Security-Policy" content="', '"');
    const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${hashOf(between(page, '<script>', '</script>'))}`);
    expect(policy).toContain(`style-src ${hashOf(between(page, '<style>', '</style>'))}`);
    expect(policy).not.toContain('unsafe');
    expect(between(page, '<script>', '</script>').length).toBeLessThan(160_000);
    expect(page).not.toMatch(/(?:src|href)="?https?:/);
  });
});
