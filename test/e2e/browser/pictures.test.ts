import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { isFirefox, Pages } from './open-page.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
/** The pictures of the manual by their names, and the views that they show. */
const PICTURES = [
  ['report', 'overview'],
  ['conversation', 'conversation=af810455'],
] as const;
/** The share of a picture that may differ: fonts are those of the machine. */
const TOLERANCE = 0.02;

let pages: Pages;
let address = '';

beforeAll(async () => {
  pages = new Pages();
  address = await pages.write({ 's.jsonl': weather }, ['s.jsonl']);
});
afterAll(() => pages.close());

async function shownAt(hash: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  const { page } = await pages.open(`${address}#${hash}`, { colorScheme, viewport: { width: 1200, height: 760 } });
  await page.evaluate('document.fonts.ready');
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  return page;
}

/** The share of two pictures that differs, of squares of eight pixels that show their means. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const page = await pages.blank();
  const share = await page.evaluate(
    `(async (pictures) => {
      const [width, height] = [150, 95];
      const cellsOf = async (data) => {
        const image = new Image();
        image.src = 'data:image/png;base64,' + data;
        await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
        canvas.imageSmoothingQuality = 'high';
        canvas.drawImage(image, 0, 0, width, height);
        return canvas.getImageData(0, 0, width, height).data;
      };
      const [one, other] = await Promise.all(pictures.map(cellsOf));
      const differs = (cell) => [0, 1, 2].some((at) => Math.abs(one[4 * cell + at] - other[4 * cell + at]) > 32);
      return Array.from({ length: width * height }, (_, cell) => cell).filter(differs).length / (width * height);
    })(${JSON.stringify([one, other].map((picture) => picture.toString('base64')))})`,
  );
  return Number(share);
}

// Firefox emulates no colour scheme, and the pictures are those of Chromium.
describe.skipIf(isFirefox)('the pictures of the report', () => {
  it.each(
    PICTURES.flatMap(([name, hash]) => (['light', 'dark'] as const).map((scheme) => [name, scheme, hash] as const)),
  )('%s-%s.png shows what the page shows', async (name, scheme, hash) => {
    const file = path.join(projectFolder, `docs/screens/${name}-${scheme}.png`);
    const page = await shownAt(hash, scheme);
    const now = await page.screenshot();
    if (process.env['UPDATE'] === '1') writeFileSync(file, now);
    expect(await difference(readFileSync(file), now)).toBeLessThan(TOLERANCE);
    // A view that is 30 pixels lower is another picture.
    await page.evaluate(`document.querySelector('.view:not([hidden])').style.paddingTop = '30px'`);
    expect(await difference(now, await page.screenshot())).toBeGreaterThan(TOLERANCE);
  });

  it('differ between views and between colour schemes', async () => {
    const pictureOf = (file: string): Buffer => readFileSync(path.join(projectFolder, 'docs/screens', file));
    const report = pictureOf('report-light.png');
    expect(await difference(report, pictureOf('conversation-light.png'))).toBeGreaterThan(5 * TOLERANCE);
    expect(await difference(report, pictureOf('report-dark.png'))).toBeGreaterThan(5 * TOLERANCE);
  });
});
