import { describe, expect, it } from 'vitest';
import { createScreen, type ScreenText } from '#live/command/screen.js';
import type { PiComponent } from '../../src/live/pi.js';

const KEYS: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  pageUp: 'PgUp',
  pageDown: 'PgDn',
  confirm: '⏎',
  cancel: 'Esc',
};

interface Shown {
  readonly component: PiComponent;
  readonly answers: boolean[];
  text(width?: number): readonly string[];
}

async function shown(text: Partial<ScreenText> & Pick<ScreenText, 'lines'>, rows = 13): Promise<Shown> {
  const answers: boolean[] = [];
  const component = await createScreen(
    { title: 'title', ...text },
    {
      tui: { terminal: { rows }, requestRender: () => {} },
      theme: { fg: (_colour, painted) => painted },
      keys: { matches: (key, action) => KEYS[action.slice('tui.select.'.length)] === key },
      done: (isAgreed) => void answers.push(isAgreed),
    },
  );
  return { component, answers, text: (width = 40) => component.render(width) };
}

const LINES = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`);

describe('a screen', () => {
  it('has no more lines than it needs', async () => {
    const { text } = await shown({ lines: ['one', 'two'] });
    expect(text(30)).toEqual(
      ['─── title ─────────────────────', 'one', 'two', '─── esc close ─────────────────'].map((line) =>
        line.slice(0, 30),
      ),
    );
  });

  it('scrolls by lines, pages, the wheel and to its ends, no further', async () => {
    const { component, text } = await shown({ lines: LINES });
    const first = (key?: string): string | undefined => {
      if (key !== undefined) component.handleInput(key);
      return text()[1];
    };
    expect(text()).toHaveLength(7);
    expect(text().at(-1)).toContain('1–5 of 12');
    expect([
      first('↑'),
      first('↓'),
      first('j'),
      first('k'),
      first('PgDn'),
      first(' '),
      first('g'),
      first('G'),
      first('b'),
    ]).toEqual(['line 1', 'line 2', 'line 3', 'line 2', 'line 7', 'line 8', 'line 1', 'line 8', 'line 3']);
    expect(component.handleMouse?.({ type: 'wheel', wheelDelta: -2 })).toEqual({ handled: true });
    expect(first()).toBe('line 1');
  });

  it.each(['Esc', 'q', '⏎'])('closes by %s', async (key) => {
    const { component, answers } = await shown({ lines: LINES });
    component.handleInput(key);
    expect(answers).toEqual([false]);
  });

  it.each([
    ['y', [true]],
    ['n', [false]],
    ['Esc', [false]],
    ['⏎', []],
  ])('with a question takes %s for an answer', async (key, expected) => {
    const { component, answers, text } = await shown({ lines: LINES, question: 'Append?' });
    expect(text(60).at(-1)).toContain('Append? · y yes · n no');
    component.handleInput(key);
    expect(answers).toEqual(expected);
  });

  it('never has a line that is wider than the terminal', async () => {
    const { text } = await shown({
      title: 'a long title',
      lines: ['\u001b[32mgreen\u001b[0m and 漢字漢字漢字', 'x'.repeat(50)],
    });
    expect(text(12)).toEqual(['─── a long ─', '\u001b[32mgreen\u001b[0m and 漢', 'x'.repeat(12), '─── esc cl ─']);
  });
});
