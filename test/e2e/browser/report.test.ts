import { readFileSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { Log } from '../../fixtures/log.js';
import { lines } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { HOSTILE, hostileSession } from './hostile.js';
import { isFirefox, Pages } from './open-page.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const HEADER = { type: 'session', version: 3, id: 's', timestamp: '2026-01-05T09:00:00.000Z', cwd: '/w' };
const VIEWS = [
  'overview',
  'conversation',
  'context',
  'entries',
  'envelope',
  'diff',
  'cache',
  'compactions',
  'largest',
  'cost',
];

let pages: Pages;
let address = '';

beforeAll(async () => {
  pages = new Pages();
  address = await pages.write({ 's.jsonl': weather }, ['s.jsonl']);
});
afterAll(() => pages.close());

function shown(page: Page): ReturnType<Page['locator']> {
  return page.locator('section.view:not([hidden])');
}

/** What is chosen from in a form has options too. */
function rowsOf(page: Page): ReturnType<Page['locator']> {
  return page.locator('[role=option]:visible');
}

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

describe('the page of a session', () => {
  it('names the agent, and states that the cost was higher where answers have only their first usage', async () => {
    const file = path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl');
    const text = readFileSync(file, 'utf8').replaceAll(/"stop_reason":"\w+"/g, '"stop_reason":null');
    const { page, faults } = await pages.open(await pages.write({ 's.jsonl': text }, ['s.jsonl']));
    const overview = await shown(page).innerText();
    expect(overview).toContain('Claude Code 2.1.270 records system');
    expect(overview).toContain('a lower bound');
    expect(overview).not.toContain('version 3');
    await go(page, '#cost');
    await page.locator('#view-cost:not([hidden])').waitFor();
    expect(await shown(page).innerText()).toContain('The cost is at least the one shown');
    expect(faults).toEqual([]);
  });

  it('shows every view without a fault and without asking for anything', async () => {
    const { page, faults } = await pages.open(address);
    for (const name of VIEWS) {
      await go(page, `#${name}`);
      await page.locator(`#view-${name}:not([hidden])`).waitFor();
      expect((await shown(page).innerText()).length).toBeGreaterThan(50);
    }
    expect(await page.locator('canvas').count()).toBeGreaterThanOrEqual(4);
    expect(faults).toEqual([]);
  });

  it('opens at the entry that a link names', async () => {
    const { page, faults } = await pages.open(`${address}#entry=8f60a942`);
    const chosen = rowsOf(page).and(page.locator('[aria-selected=true]'));
    expect(await chosen.innerText()).toContain('context_edit');
    expect(await page.locator('.detail:visible').innerText()).toContain('"targetId": "18fc6ed2"');
    await go(page, '#entry=nowhere');
    await page.getByText('This session has no entry nowhere.').waitFor();
    await go(page, '#diff=3..99');
    await page.getByText('This session has no request 3..99.').waitFor();
    expect(faults).toEqual([]);
  });

  it('finds entries by what they say', async () => {
    const { page } = await pages.open(`${address}#entries`);
    await page.getByRole('searchbox').fill('auckland office');
    await page.getByText('1 of 44 entries').waitFor();
    expect(await rowsOf(page).allInnerTexts()).toHaveLength(1);
    expect(await rowsOf(page).locator('mark').allInnerTexts()).toEqual(['Auckland office']);
    await rowsOf(page).click();
    await page.getByText('1/1 of 44 entries').waitFor();
    expect(await page.locator('.detail:visible mark').innerText()).toBe('Auckland office');
    await page.getByRole('searchbox').fill('no such words');
    await page.getByText('Nothing to show.').locator('visible=true').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Show').selectOption('failed');
    await page.getByText(/^\d of 44 entries$/).waitFor();
    expect(await rowsOf(page).first().innerText()).toContain('failed');
  });

  it('is read as a conversation, with the context at any place beside it', async () => {
    const { page, faults } = await pages.open(`${address}#conversation=af810455`);
    const compaction = page.locator('article.linked');
    expect(await compaction.locator('.heading').first().innerText()).toBe('Goal');
    expect((await compaction.boundingBox())?.y).toBeLessThan(200);
    const beside = page.getByRole('complementary', { name: 'Context at this place' });
    await beside.getByText('Context of request 12').waitFor();
    await beside.getByText('Cache break: compaction').waitFor();
    const result = page.locator('article.toolResult').first();
    expect(await result.locator('header').innerText()).toMatch(
      /read src\/forecast\.js\s+omitted by compaction af810455/,
    );
    expect(await result.locator('.m-keyword').first().innerText()).toBe('export function isoDate'.split(' ')[0]);
    const edit = page.locator('article', { hasText: 'edit src/forecast.js · +1 -1' }).locator('.box.diff');
    expect(await edit.locator('ins .m-added').first().innerText()).toBe('Date.UTC(');
    await page.getByRole('searchbox').locator('visible=true').fill('denver');
    await page.getByText(/^match \d\/\d$/).waitFor();
    expect(await page.locator('article.linked mark').first().innerText()).toBe('Denver');
    await page.getByRole('searchbox').locator('visible=true').fill('');
    await page.getByRole('button', { name: 'Previous turn' }).click();
    await page.getByText('turn 3/6').waitFor();
    await page.getByRole('link', { name: 'This entry as recorded' }).click();
    await page.getByRole('link', { name: 'In the conversation' }).click();
    expect(await page.locator('article.linked.branch_summary').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('shows what a search finds in a folded or shortened text', async () => {
    const output = `${'line\n'.repeat(60)}needle`;
    const content = [{ type: 'thinking', thinking: 'a haystack' }];
    const log = new Log('hidden')
      .user('u1', 'go')
      .tool('t1', 'bash', { command: 'ls' }, output)
      .tool('t2', 'bash', { command: 'true' }, '');
    const hidden = await pages.write({ 's.jsonl': log.assistant('a1', '', { content }).text() }, ['s.jsonl']);
    const { page } = await pages.open(`${hidden}#conversation`);
    for (const words of ['haystack', 'needle']) {
      await page.getByRole('searchbox').locator('visible=true').fill(words);
      await page.locator('article.linked mark:visible', { hasText: words }).waitFor();
    }
    await page.locator('article', { hasText: 'bash true' }).getByText('No output').waitFor();
  });

  it('shows the images of messages', async () => {
    const content = [{ type: 'image', mimeType: 'image/png', data: PIXEL }];
    const entry = { type: 'message', id: 'u1', parentId: null, message: { role: 'user', content } };
    const pictured = await pages.write({ 's.jsonl': lines(HEADER, entry) }, ['s.jsonl']);
    const { page, faults } = await pages.open(`${pictured}#conversation`);
    await page.getByRole('img', { name: /^Image: image.png, 70 B/ }).waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('main img').naturalWidth`)).toBe(1);
    expect(faults).toEqual([]);
  });

  it('shows what any request held, as ctx show does', async () => {
    const { page } = await pages.open(`${address}#envelope=12`);
    const rows = await page
      .getByRole('listbox', { name: 'Messages', exact: true })
      .locator('[role=option]')
      .allInnerTexts();
    expect(rows).toHaveLength(6);
    expect(rows[0]).toContain('## Goal');
    await page.getByText('System prompt: preamble, tools, rules').click();
    await page.getByRole('heading', { name: /^docs about/ }).waitFor();
    await page.getByRole('button', { name: 'Request: next' }).click();
    await page.waitForURL(/#envelope=13$/);
  });

  it('compares any two requests', async () => {
    const { page, faults } = await pages.open(`${address}#diff=9..10`);
    await page.getByText('16 messages kept, 3 added, 0 removed, 1 changed').waitFor();
    expect(await page.locator('del').first().innerText()).toContain('FAIL  isoDate');
    expect(await page.locator('ins').first().innerText()).toContain('The log of the failing tests is left out');
    await page.getByLabel('To', { exact: true }).press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('17 messages kept, 0 added, 0 removed, 0 changed').waitFor();
    expect(faults).toEqual([]);
  });

  it('is used with the keyboard alone', async () => {
    const { page } = await pages.open(`${address}#entries`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    const list = page.getByRole('listbox', { name: 'Entries' });
    for (let tabs = 0; tabs < 5; tabs += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(`document.activeElement.getAttribute('role')`)) === 'listbox') break;
    }
    await page.keyboard.press('End');
    const active = await list.getAttribute('aria-activedescendant');
    expect(active).toMatch(/-43$/);
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-posinset')).toBe('44');
    await page.keyboard.press('ArrowUp');
    expect(await list.getAttribute('aria-activedescendant')).toMatch(/-42$/);
  });

  it('walks along a chart with a slider', async () => {
    const { page } = await pages.open(`${address}#context`);
    const slider = page.getByRole('slider').first();
    await slider.focus();
    await page.keyboard.press('Home');
    expect(await page.locator('output').first().innerText()).toContain('Request 1');
    await page.locator('output a').first().click();
    await page.waitForURL(/#envelope=1$/);
  });

  it('names the colours of a chart', async () => {
    const { page } = await pages.open(`${address}#context`);
    const legend = await page.locator('figure .keys').nth(1).innerText();
    for (const name of ['Cached', 'Re-billed', 'New']) expect(legend).toContain(name);
  });

  it('is printed with every entry and all that is folded, if the conversation is open', async () => {
    const { page } = await pages.open(`${address}#conversation`);
    await page.evaluate(`window.dispatchEvent(new Event('beforeprint'))`);
    expect(await page.locator('article').count()).toBe(40);
    expect(await page.locator('details:not([open])').count()).toBe(0);
    expect(await page.locator('.thought .prose').first().isVisible()).toBe(true);
  });

  it('is printed with its views one after the other', async () => {
    const { page, faults } = await pages.open(address, { colorScheme: 'dark' });
    await page.evaluate(`window.dispatchEvent(new Event('beforeprint'))`);
    for (const name of ['overview', 'context', 'cache', 'compactions', 'largest', 'cost'])
      expect(await page.locator(`#view-${name}`).isVisible()).toBe(true);
    expect(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--text')`)).toContain(
      '#23262b',
    );
    // Paper is narrower than the screen, and a chart is printed once.
    const canvases = await page.locator('.chart canvas:visible').all();
    const widths = await Promise.all(canvases.map(async (canvas) => (await canvas.boundingBox())?.width ?? 0));
    expect(Math.max(...widths)).toBeLessThanOrEqual(680);
    expect(Math.min(...widths)).toBeGreaterThan(0);
    for (const title of ['Context size at each request, in tokens', 'Prompt tokens of each request'])
      expect(await page.locator('figure:visible', { hasText: title }).count()).toBe(1);
    await page.emulateMedia({ media: 'print' });
    const sizes = `['.card p', '.top .quiet'].map((name) => getComputedStyle(document.querySelector(name)).fontSize)`;
    // As driven here, Firefox emulates no media.
    if (!isFirefox) expect(await page.evaluate(sizes)).toEqual(['13px', '13px']);
    await page.evaluate(`window.dispatchEvent(new Event('afterprint'))`);
    expect(await page.locator('section.view:visible').count()).toBe(1);
    expect(faults).toEqual([]);
  });
});

describe('accessibility', () => {
  it.each(['light', 'dark'] as const)('axe finds nothing in the %s page', async (colorScheme) => {
    const { page } = await pages.open(address, { colorScheme });
    await page.evaluate(axe.source);
    for (const hash of [...VIEWS, 'entry=8f60a942', 'envelope=12', 'diff=9..10']) {
      await go(page, `#${hash}`);
      await page.locator(`#view-${hash.replace('entry', 'entries').split('=')[0]}:not([hidden])`).waitFor();
      await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
      expect([hash, await violations(page)]).toEqual([hash, []]);
    }
  });

  it('axe finds nothing in the page of a folder, or on a telephone', async () => {
    const index = await pages.open(await pages.write({ 'all/s.jsonl': weather }, ['all']));
    await index.page.evaluate(axe.source);
    expect(await violations(index.page)).toEqual([]);
    const narrow = await pages.open(`${address}#envelope=12`, { viewport: { width: 390, height: 800 } });
    await narrow.page.evaluate(axe.source);
    expect(await violations(narrow.page)).toEqual([]);
    for (const hash of VIEWS) {
      await go(narrow.page, `#${hash}`);
      await narrow.page.locator(`#view-${hash}:not([hidden])`).waitFor();
      const root = 'document.documentElement';
      const link = await narrow.page.locator('nav [aria-current]').boundingBox();
      expect(link!.x >= 0 && link!.x + link!.width <= 390).toBe(true);
      // Every cell of a table is on the screen.
      const clipped = `[...document.querySelectorAll('.table')].filter((each) => each.scrollWidth > each.clientWidth)`;
      expect([hash, await narrow.page.evaluate(`${clipped}.length`)]).toEqual([hash, 0]);
      expect(await narrow.page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0);
      expect(await narrow.page.evaluate(`${root}.scrollHeight`)).toBeLessThan(20_000);
    }
  });
});

async function violations(page: Page): Promise<readonly string[]> {
  type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };
  const found = await page.evaluate(`axe.run().then(({ violations }) => JSON.parse(JSON.stringify(violations)))`);
  return (found as readonly Violation[]).map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe('a hostile session', () => {
  it('stays text', async () => {
    const hostile = await pages.write({ 's.jsonl': hostileSession() }, ['s.jsonl']);
    const { page, faults } = await pages.open(hostile);
    for (const name of VIEWS) {
      await go(page, `#${name}`);
      await page.locator(`#view-${name}:not([hidden])`).waitFor();
      await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
      expect(await page.locator('main img, main svg, main script, main style, main link').count()).toBe(0);
    }
    await go(page, '#entries');
    const count = Number(await rowsOf(page).first().getAttribute('aria-setsize'));
    await page.getByRole('listbox', { name: 'Entries' }).focus();
    for (let at = 0; at < count; at += 1) await page.keyboard.press('ArrowDown');
    expect(await page.locator('#view-entries .detail').innerText()).toContain('of 5,000,000 characters');
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(await page.locator('a:not([href^="#"]):not([href^="https:"]):not([href^="mailto:"])').count()).toBe(0);
    expect(await page.locator('h1').innerText()).toContain(HOSTILE[1]);
    const text = await page.evaluate('document.body.innerText');
    expect(text).not.toMatch(/[\u0000\u001b\u007f\u202e\u2028\ufeff]/);
    expect(faults).toEqual([]);
  });

  it('cannot run a script even if it got into the page', async () => {
    const { page } = await pages.open(address);
    await page.evaluate(`(() => {
      const script = document.createElement('script');
      try { script.text = 'window.hacked = 1'; } catch {}
      document.body.append(script);
      const image = document.createElement('img');
      try { image.setAttribute('onerror', 'window.hacked = 1'); } catch {}
      image.src = 'https://example.com/x.png';
      document.body.append(image);
    })()`);
    await page.waitForTimeout(200);
    expect(await page.evaluate('window.hacked')).toBe(undefined);
  });
});

describe('a session of 50,000 entries', () => {
  it('is searched, scrolled and compared, with few rows on the page', async () => {
    const entries = Array.from({ length: 50_000 }, (_, at) => ({
      type: 'message',
      id: `id${at}`,
      parentId: at === 0 ? null : `id${at - 1}`,
      timestamp: '2026-01-05T09:00:01.000Z',
      message:
        at % 2 === 0
          ? { role: 'user', content: `question number ${at}` }
          : {
              role: 'assistant',
              content: [{ type: 'text', text: `answer number ${at}` }],
              usage: { input: at, output: 1 },
            },
    }));
    const big = await pages.write({ 's.jsonl': lines(HEADER, ...entries) }, ['s.jsonl']);
    const { page, faults } = await pages.open(`${big}#entry=id49998`);
    const rows = rowsOf(page);
    expect(await rowsOf(page).and(page.locator('[aria-selected=true]')).innerText()).toContain('question number 49998');
    expect(await rows.count()).toBeLessThan(80);
    await page.getByRole('searchbox').fill('number 31415');
    await page.getByText('1 of 50,000 entries').waitFor();
    await go(page, '#conversation=id31414');
    await page.locator('article.linked', { hasText: 'question number 31414' }).waitFor();
    expect(await page.locator('article').count()).toBeLessThan(400);
    await go(page, '#diff=100..25000');
    await page.getByText('199 messages kept, 49,800 added, 0 removed, 0 changed').waitFor();
    expect(await rows.count()).toBeLessThan(80);
    expect(faults).toEqual([]);
  });
});

describe('the site of a folder', () => {
  it('leads from the list to each session and back', async () => {
    const small = lines(HEADER, {
      type: 'session_info',
      id: 'i',
      parentId: null,
      timestamp: '2030-01-01T00:00:00.000Z',
      name: 'A small one',
    });
    const folder = await pages.writeSite({ 'all/s.jsonl': weather, 'all/small.jsonl': small }, 'all');
    const { page } = await pages.open(`${folder}/index.html`);
    expect(await page.locator('canvas').count()).toBe(3);
    await page.evaluate(axe.source);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Order').selectOption('entries');
    await page.getByRole('link', { name: 'Open the page of this session' }).click();
    await page.waitForURL(/s\.html$/);
    await page.getByRole('link', { name: 'All sessions' }).click();
    await page.getByRole('listbox', { name: 'Sessions' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/small\.html$/);
  });
});

describe('the page of a folder', () => {
  it('finds and orders sessions', async () => {
    const small = lines(HEADER, {
      type: 'session_info',
      id: 'i',
      parentId: null,
      timestamp: '2030-01-01T00:00:00.000Z',
      name: 'A small one',
    });
    const folder = await pages.write({ 'all/s.jsonl': weather, 'all/small.jsonl': small }, ['all']);
    const { page, faults } = await pages.open(folder);
    expect((await rowsOf(page).allInnerTexts())[0]).toContain('A small one');
    await page.getByLabel('Order').selectOption('entries');
    expect((await rowsOf(page).allInnerTexts())[0]).toContain('Forecast shows the wrong day');
    await page.getByRole('searchbox').fill('small');
    await page.getByText('1 of 2 sessions').waitFor();
    expect(await page.locator('.detail').innerText()).toContain("ctx report 'all/small.jsonl'");
    expect(faults).toEqual([]);
  });
});
