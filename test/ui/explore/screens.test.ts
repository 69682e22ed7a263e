import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExplorerState } from '#ui/explore/state.js';
import { resizeScreen } from '#ui/explore/update.js';
import { readView } from '#ui/explore/view.js';
import { Log } from '../../fixtures/log.js';
import { fixture, press, rendered, ruler, sessionIn, stateOf, textOf, withEnvelope } from '../../support/exploring.js';
import { projectFolder } from '../../support/files.js';
import { expectGenerated } from '../../support/generated.js';

/** Compares with a screen that a developer has looked at. */
function expectGolden(name: string, state: ExplorerState): void {
  expectGenerated(`test/golden/explore/${name}.txt`, `${textOf(state)}\n`);
}

const sizes = [
  [80, 24],
  [200, 60],
  [40, 12],
] as const;

describe.each(sizes)('at %i×%i', (columns, rows) => {
  it('the tree', async () => {
    expectGolden(`tree-${columns}`, withEnvelope(stateOf(await fixture('weather.jsonl'), columns, rows)));
  });

  it('the envelope', async () => {
    const state = withEnvelope(stateOf(await fixture('weather.jsonl'), columns, rows));
    expectGolden(`envelope-${columns}`, press(state, 'tab', 'right').state);
  });

  it('an entry in full', async () => {
    const { state } = press(stateOf(await fixture('weather.jsonl'), columns, rows), '/', 'u', 's', 'e', 'r', 'enter');
    expectGolden(`entry-${columns}`, press({ ...state, searching: null }, 'k', 'e').state);
  });
});

it('the log of the path', async () => {
  expectGolden('log', withEnvelope(press(stateOf(await fixture('weather.jsonl')), 't').state));
});

it('the keys', async () => {
  expectGolden('keys', press(stateOf(await fixture('weather.jsonl'), 80, 50), '?').state);
});

it('a session without entries', async () => {
  expectGolden('empty', withEnvelope(stateOf(await fixture('header-only.jsonl'))));
});

it('the manual shows a screen of 80 columns', () => {
  const [manual, golden] = ['docs/use/explore.md', 'test/golden/explore/tree-80.txt'].map((each) =>
    readFileSync(path.join(projectFolder, each), 'utf8'),
  );
  expect(manual).toContain(`\`\`\`text\n${golden}\`\`\``);
});

describe('every screen', () => {
  const hostile = new Log('hostile')
    .user('aaaaaaa1', '\u001b]0;title\u0007\u001b[31mred\u202eevil\r\nsecond \u0000 line\t tab 漢字 👩‍👩‍👧 e\u0301')
    .user('\u001b[2J', 'x'.repeat(5000))
    .text();
  const INVERSE = /\u001b\[2?7m/g;
  const keys = ['', 'e', 'tab', '2', '3', '4', 't', '?', 'G', 'f'];

  it.each([
    [80, 24],
    [200, 60],
    [40, 12],
    [20, 5],
    [10, 3],
  ])('of %i×%i fits and contains nothing that a terminal obeys', async (columns, rows) => {
    for (const session of [await fixture('weather.jsonl'), await sessionIn(hostile)])
      for (const key of keys) {
        const state = withEnvelope(stateOf(session, columns, rows));
        const lines = rendered(readView(key === '' ? state : press(state, key).state)).split('\n');
        if (rows >= 5) expect(lines.length).toBe(rows);
        for (const line of lines) {
          const text = line.replaceAll(INVERSE, '');
          expect(ruler.widthOf(text)).toBeLessThanOrEqual(columns);
          expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
        }
      }
  });

  it('fits after every change of size', async () => {
    let state = withEnvelope(stateOf(await fixture('weather.jsonl'), 200, 60));
    for (const [columns, rows] of [...sizes, ...sizes.toReversed()]) {
      state = resizeScreen(state, { columns, rows });
      const text = textOf(state).split('\n');
      expect(text.length).toBe(rows);
      expect(text.some((line) => line.startsWith('›'))).toBe(true);
    }
  });
});

it('a scrolled tab stays where it is when the size changes', async () => {
  const open = withEnvelope(stateOf(await fixture('weather.jsonl'), 80, 16));
  const { state } = press(open, 'tab', '2', 'j', 'j', 'j');
  expect([state.tab, state.inside.top]).toEqual(['system', 3]);
  expect(resizeScreen(state, { columns: 100, rows: 16 }).inside.top).toBe(3);
});

it('a page that was opened wide is wrapped once, by words, when the screen gets narrow', async () => {
  const text = 'a sentence of many short words that goes on for longer than any narrow line can hold, '
    .repeat(4)
    .trim();
  const wide = stateOf(await sessionIn(new Log('wrap').user('aaaa0001', text).text()), 120, 40);
  const { state } = press(wide, 'e');
  const narrow = textOf({ ...state, size: { columns: 60, rows: 40 } });
  const opened = press(stateOf(await sessionIn(new Log('wrap').user('aaaa0001', text).text()), 60, 40), 'e').state;
  expect(narrow).toBe(textOf(opened));
});

it.each([
  [80, /options .{0,8}~1\.9k ─/],
  [120, /options .{0,8}e0f4d7b6 ~1\.9k of 200k/],
])('the title of the context names its size in %i columns', async (columns, title) => {
  const text = textOf(withEnvelope(stateOf(await fixture('weather.jsonl'), columns, 24)));
  expect(text.replaceAll(/\u001b\[\d*m/g, '')).toMatch(title);
});

it('cached, new and missed tokens differ without colours', async () => {
  const state = withEnvelope(stateOf(await fixture('cache-breaks.jsonl'), 120, 40));
  for (const sign of ['█ cached', '▒ new', '░! re-billed']) expect(textOf(state)).toContain(sign);
});
