import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { afterEach, expect, it } from 'vitest';
import { draw, type Screen } from '#ui/explore/draw.js';
import { plainText } from '#ui/explore/lines.js';
import { App, filled } from '../../../src/ui/explore/ink/show.js';
import { fixture, press, stateOf, textOfScreen, withEnvelope } from '../../support/exploring.js';

const state = withEnvelope(stateOf(await fixture('weather.jsonl'), 100, 30));
let unmount = (): void => {};
afterEach(() => unmount());

/** The app with a screen that changes when somebody says so. */
function shown(first: Screen) {
  let current = first;
  const listeners = new Set<() => void>();
  const keys: string[] = [];
  let drawn: readonly string[] = [];
  const app = render(
    createElement(App, {
      screen: () => current,
      subscribe: (listener: () => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      styled: plainText,
      onKey: (key: string) => void keys.push(key),
      onLines: (lines: readonly string[]) => void (drawn = lines),
    }),
  );
  ({ unmount } = app);
  const change = (next: Screen): void => {
    current = next;
    for (const listener of listeners) listener();
  };
  /** Ends of lines do not count. */
  const frame = (): string => filled(app.lastFrame() ?? '', drawn).replace(/ +$/gm, '');
  return { ...app, frame, keys, change };
}

it('shows the screen as it is, and another one when it changes', async () => {
  const app = shown(draw(state));
  expect(app.frame()).toBe(textOfScreen(draw(state)));
  const page = draw(press(state, '?').state);
  app.change(page);
  await expect.poll(() => app.frame()).toBe(textOfScreen(page));
  // Ink takes its time over every character.
  expect(app.lastFrame()?.length).toBeLessThan(textOfScreen(page).length / 4);
});

it('hands on the keys that a terminal sends', async () => {
  const { stdin, keys } = shown(draw(state));
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
