import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MouseInput } from '#ui/explore/on-mouse.js';
import { moveToMatch } from '#ui/explore/search.js';
import { readView, type ScreenView } from '#ui/explore/view.js';
import { InkApp } from '../../../src/ui/explore/ink/render-app.js';
import { Screen } from '../../../src/ui/explore/ink/screen.js';
import { Log } from '../../fixtures/log.js';
import { after, fixture, press, sessionIn, stateOf, textOf, withEnvelope } from '../../support/exploring.js';

const state = withEnvelope(stateOf(await fixture('weather.jsonl'), 100, 30));
let unmount = (): void => {};
afterEach(() => unmount());

/** The app with a view that the test changes. */
function shown(first: ScreenView) {
  let current = first;
  const listeners = new Set<() => void>();
  const keys: string[] = [];
  const mice: MouseInput[] = [];
  const app = render(
    createElement(InkApp<ScreenView>, {
      component: Screen,
      app: {
        view: () => current,
        subscribe: (listener: () => void) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        onKey: (key) => void keys.push(key),
        onMouse: (mouse) => void mice.push(mouse),
        onResize: () => undefined,
      },
    }),
  );
  ({ unmount } = app);
  const change = (next: ScreenView): void => {
    current = next;
    for (const listener of listeners) listener();
  };
  const frame = (): string => stripVTControlCharacters(app.lastFrame() ?? '').replace(/ +$/gm, '');
  return { ...app, frame, keys, mice, change };
}

it('shows the screen as it is, and another one when it changes', async () => {
  const app = shown(readView(state));
  expect(app.frame()).toBe(textOf(state));
  const page = press(state, '?').state;
  app.change(readView(page));
  await expect.poll(() => app.frame()).toBe(textOf(page));
});

it('hands on the keys that a terminal sends', async () => {
  const { stdin, keys } = shown(readView(state));
  await new Promise((resolve) => void setTimeout(resolve, 20));
  for (const sent of ['j', '\u001b[A', '\u001b[6~', '\r', '\t', '\u001b[Z', '\u0003', '\u0004', '/ab', '\u007f'])
    stdin.write(sent);
  expect(keys).toEqual([
    'j',
    'up',
    'pagedown',
    'enter',
    'tab',
    'shift-tab',
    'ctrl-c',
    'ctrl-d',
    '/',
    'a',
    'b',
    'backspace',
  ]);
});

it('takes pasted text as one key, and reports of the mouse as none', async () => {
  const { stdin, keys, mice } = shown(readView(state));
  await new Promise((resolve) => void setTimeout(resolve, 20));
  for (const sent of ['\u001b[200~one\rtwo\u001b[201~', '\u001b[<0;5;6M\u001b[<0;5;6m', '\u001b[<35;1;1M', '\u001bb'])
    stdin.write(sent);
  expect(keys).toEqual(['paste:one\rtwo', 'alt-b']);
  expect(mice).toEqual([
    { kind: 'press', column: 4, row: 5 },
    { kind: 'release', column: 4, row: 5 },
  ]);
});

describe('to a screen reader', () => {
  beforeEach(() => void vi.stubEnv('INK_SCREEN_READER', 'true'));
  afterEach(() => void vi.unstubAllEnvs());

  const spoken = withEnvelope({ ...state, isSpoken: true });

  it('names the selected entry among the lines of the list, and what the signs mean', async () => {
    const app = shown(readView(spoken));
    expect(app.frame()).toContain('\n(selected) ephemeral (leaf) 1 message for one request\n');
    expect(app.frame()).toContain('\nbranch: inactive: user Would Temporal be simpler?\n');
    expect(app.frame()).toContain('\nContext ~1.9k at request 14 of 14, 95% cached\n');
    expect(app.frame().match(/\(selected\)/g)).toHaveLength(1);
    app.change(readView(press(spoken, 'd', 'up').state));
    await expect
      .poll(() => app.frame())
      .toContain('\n(selected) user Add a line to the changelog too, please.\nmarked: ephemeral');
  });

  it('tells each request by itself, however many there are', async () => {
    const log = new Log('long').user('u', 'go');
    for (let at = 0; at < 100; at += 1) {
      const [input, cacheRead] = at === 50 ? [8000, 0] : [1000, 7000];
      log.assistant(`a${at}`, 'done', { usage: { input, cacheRead, output: 9, cacheWrite: 0 } });
    }
    const long = stateOf(await sessionIn(log.text()));
    const frameAt = (id: string): string => {
      const index = long.sessionIndex.session.tree.heads.find(id)!.index;
      const there = after({ ...long, isSpoken: true }, (each) => moveToMatch(each, index)).state;
      return shown(readView(withEnvelope(there))).frame();
    };
    expect(frameAt('a50')).toContain('\nContext 8.0k at request 51 of 100, 0% cached, cache break\n');
    expect(frameAt('u')).toContain('\nContext 8.0k before the first of 100 requests\n');
    expect(frameAt('a51')).toContain('\nContext 8.0k at request 52 of 100, 88% cached\n');
  });

  it('reads one pane at a time, without signs, and names the open tab and the selected message', () => {
    const frameAfter = (...keys: readonly string[]): string => shown(readView(press(spoken, ...keys).state)).frame();
    expect(frameAfter('tab')).toContain('\n(selected) messages system tools options');
    expect(frameAfter('tab')).toMatch(/\n\(selected\) +12 user 10 tokens Add a line to the changelog too, please\.\n/);
    expect(frameAfter('tab')).not.toContain('context_transform');
    expect(frameAfter('t')).toContain('\n20:37 2.0k tokens assistant Done: two lines');
    for (const keys of [[], ['tab'], ['t'], ['?'], ['e']]) expect(frameAfter(...keys)).not.toMatch(/[\u2500-\u259f›⏎]/);
  });

  it('keeps to the lines of the terminal', () => {
    for (const keys of [[], ['tab'], ['?']]) {
      const lines = shown(readView(press(spoken, ...keys).state))
        .frame()
        .split('\n');
      expect(lines.length).toBeLessThanOrEqual(30);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100 + '(selected) '.length);
    }
  });
});
