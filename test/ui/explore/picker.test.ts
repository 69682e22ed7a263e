import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import {
  addSessions,
  buildFirstPicker,
  onPickerKey,
  onPickerMouse,
  type PickerSession,
  type PickerState,
} from '#ui/explore/picker-state.js';
import { Picker } from '../../../src/ui/explore/ink/picker.js';
import { look, ruler } from '../../support/exploring.js';

function session(title: string, fields: Partial<PickerSession> = {}): PickerSession {
  return {
    id: title.toLowerCase(),
    file: `/sessions/${title}.jsonl`,
    title,
    agent: 'pi',
    project: '~/weather',
    age: 3 * 3_600_000,
    bytes: 2048,
    entries: 44,
    model: 'anthropic/claude-sonnet-4-5',
    contextTokens: 2000,
    contextTokensSource: 'recorded',
    cost: 0.05,
    costListed: null,
    ...fields,
  };
}

const SESSIONS = [
  session('Forecast shows the wrong day'),
  session('Which file formats dates', { agent: 'codex', project: '~/dates', cost: null, costListed: 0.5 }),
  session('Rename the parser', { project: '~/compiler' }),
];

function listOf(sessions = SESSIONS, size = { columns: 80, rows: 24 }): PickerState {
  const first = buildFirstPicker({ size, look, notice: null }, null);
  return addSessions(first, sessions);
}

function typed(state: PickerState, ...keys: readonly string[]): PickerState {
  return keys.reduce(onPickerKey, state);
}

function titles({ found }: PickerState): readonly string[] {
  return found.map(({ title }) => title);
}

function screen(state: PickerState): string {
  return renderToString(createElement(Picker, { view: state }), { columns: state.size.columns });
}

describe('the list of sessions', () => {
  it('opens the one under the cursor', () => {
    expect(typed(listOf(), 'down', 'enter').choice).toEqual({ file: SESSIONS[1]?.file, query: '' });
    expect(typed(listOf([]), 'enter').choice).toBe(null);
  });

  it('finds words by their beginning, and with a wrong letter', () => {
    expect(titles(typed(listOf(), ...'fore'.split('')))).toEqual(['Forecast shows the wrong day']);
    expect(titles(typed(listOf(), ...'forecsat'.split('')))).toEqual(['Forecast shows the wrong day']);
    expect(titles(typed(listOf(), ...'codex'.split('')))).toEqual(['Which file formats dates']);
    expect(titles(typed(listOf(), ...'nothing here'.split('')))).toEqual([]);
  });

  it('goes on from the last choice, with its search and its session', () => {
    const { choice } = typed(listOf(), 'paste:claude', 'down', 'enter');
    const first = buildFirstPicker({ size: { columns: 80, rows: 24 }, look, notice: null }, choice);
    const load = (state: PickerState, sessions: readonly PickerSession[]) => addSessions(state, sessions);
    const selectedIn = ({ found, list }: PickerState) => found[list.cursor]?.file;
    expect(choice).toEqual({ file: expect.stringContaining('sessions') as string, query: 'claude' });
    const again = SESSIONS.reduce((state, each) => load(state, [each]), first);
    expect([again.query.text, selectedIn(again)]).toEqual(['claude', choice?.file]);
    const moved = typed(load(first, SESSIONS), 'home', 'up', 'up');
    expect(selectedIn(load(moved, [session('Newer')]))).toBe(selectedIn(moved));
  });

  it('takes Esc as the end of the search first, then of the choice', () => {
    const state = typed(listOf(), ...'codex'.split(''));
    const all = typed(state, 'escape');
    expect([titles(all).length, all.choice]).toEqual([3, null]);
    expect(typed(all, 'escape').choice).toEqual({ file: null, query: '' });
  });

  it('keeps the cursor on a session when more are read', () => {
    const state = typed(listOf(), ...'dates'.split(''));
    const more = addSessions(state, [session('dates and dates')]);
    expect(more.found[more.list.cursor]?.title).toBe('Which file formats dates');
  });

  it('takes the wheel, and two clicks on a session', () => {
    const wheel = onPickerMouse(listOf(), { kind: 'wheel-down', column: 0, row: 0 });
    expect(wheel.list.cursor).toBe(1);
    const click = { kind: 'press', column: 5, row: 3 } as const;
    const once = onPickerMouse(wheel, click);
    expect([once.list.cursor, once.choice]).toEqual([2, null]);
    expect(onPickerMouse(once, click).choice).toEqual({ file: SESSIONS[2]?.file, query: '' });
    const below = { kind: 'press', column: 5, row: 9 } as const;
    expect(onPickerMouse(once, below)).toEqual(once);
  });

  it.each([
    [80, 24],
    [40, 10],
  ])('fits a screen of %i×%i', (columns, rows) => {
    const hostile = session(`\u001b[31mred\u202e ${'long '.repeat(60)}`, { project: '一'.repeat(40) });
    const lines = screen(listOf([...SESSIONS, hostile], { columns, rows })).split('\n');
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(ruler.widthOf(line.replaceAll(/\u001b\[\d+m/g, ''))).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain('Forecast shows');
    expect(lines.join('\n')).not.toContain('\u001b[31m');
  });

  it('shows the first and the last words of the session under the cursor', () => {
    const words = {
      first: 'Which file\u202e formats dates, and why?',
      asked: 'And times?',
      answered: 'clock.ts does.',
    };
    const file = SESSIONS[1]?.file ?? '';
    const state = { ...typed(listOf(), 'down'), words: new Map([[file, words]]) };
    const shown = stripVTControlCharacters(screen(state));
    for (const text of [' user And times?', ' assistant clock.ts does.', ' ~$0.50']) expect(shown).toContain(text);
    expect(shown).toMatch(/ Which file\S+ formats dates, and why\?\n/);
    expect(screen(typed(state, 'down'))).not.toContain('And times?');
  });

  it('finds sessions by the beginning of their id, which ctx ls prints, before those by their words', () => {
    const found = [
      session('Forecast of ffae836', { id: '258c7280-ae70' }),
      session('Rename the parser', { id: 'ffae836b-9420' }),
    ];
    expect(titles(typed(listOf(found), ...'ffae'.split('')))).toEqual(['Rename the parser', 'Forecast of ffae836']);
    expect(titles(typed(listOf(found), ...'258C'.split('')))).toEqual(['Forecast of ffae836']);
    expect(titles(typed(listOf(found), ...'9420'.split('')))).toEqual([]);
  });

  it('marks the estimated context of a session', () => {
    const estimated = session('Forecast', { contextTokens: 185_144, contextTokensSource: 'estimated' });
    expect(screen(listOf([estimated]))).toContain('context ~185k');
  });

  it('says what a session is below the list, and why one could not be opened', () => {
    const shown = screen({ ...listOf(), notice: 'not a session' });
    for (const text of ['Sessions', '3h pi', '44 entries', 'context 2.0k', '$0.0500', 'not a session'])
      expect(shown).toContain(text);
  });
});
