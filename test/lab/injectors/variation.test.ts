import { describe, expect, it } from 'vitest';
import { buildDefaultAssembly } from '#lab/injectors/assembly.js';
import { composeCached, composeTail } from '#lab/injectors/compose.js';
import { formatList, formatProgress, pickListStyle, PLAIN_STYLE } from '#lab/injectors/list-style.js';
import { observedOf, situation } from '../../support/situations.js';

const REQUESTS = Array.from({ length: 100 }, (_, at) => at);

describe('structural variation', () => {
  it('is off by default', () => {
    expect(buildDefaultAssembly().variation).toBe(null);
    expect(new Set(REQUESTS.map((request) => pickListStyle(null, request)))).toEqual(new Set([PLAIN_STYLE]));
  });

  it('is the same for one seed and request, and another for most others', () => {
    expect(REQUESTS.map((request) => pickListStyle(7, request))).toEqual(
      REQUESTS.map((request) => pickListStyle(7, request)),
    );
    expect(REQUESTS.map((request) => pickListStyle(8, request))).not.toEqual(
      REQUESTS.map((request) => pickListStyle(7, request)),
    );
  });

  it('comes to every way of writing', () => {
    const styles = REQUESTS.map((request) => pickListStyle(7, request));
    expect(new Set(styles.map(({ progress }) => progress))).toEqual(
      new Set(['fraction', 'percentage', 'bar', 'count']),
    );
    expect(new Set(styles.map(({ separator }) => separator))).toEqual(new Set(['', '---', '===', '***']));
    expect(new Set(styles.map(({ list }) => list))).toEqual(new Set(['bulleted', 'numbered', 'indented']));
    expect(new Set(styles.map(({ label }) => label))).toEqual(new Set(['Progress:', 'Status:', 'Current state:']));
  });

  it.each([
    ['fraction', '3/5 steps completed'],
    ['percentage', '60% of 5 steps completed'],
    ['bar', '[######....] 3 of 5'],
    ['count', '3 of 5 steps completed, 2 to go'],
  ] as const)('writes progress as a %s', (progress, text) => {
    expect(formatProgress(3, 5, { progress })).toBe(text);
  });

  it.each([
    ['bulleted', '- a\n- b'],
    ['numbered', '1. a\n2. b'],
    ['indented', '  a\n  b'],
  ] as const)('writes %s lists', (list, text) => {
    expect(formatList(['a', 'b'], { list })).toBe(text);
  });

  it('changes the end of a request, and nothing that is cached', async () => {
    const observed = observedOf('user: Mend it.', 'assistant: Done.', 'user: Test it.');
    const texts = [{ path: 'a.md', text: '- Mend with care.\n- Test twice.' }];
    const seats = buildDefaultAssembly().injectors.map((seat) => ({ ...seat, settings: { ...seat.settings, texts } }));
    const at = (request: number) =>
      situation({ observed, parts: [{ name: 'a', text: 'You are Pi.' }], style: pickListStyle(7, request) });
    const halves = await Promise.all(REQUESTS.map((request) => composeCached(seats, at(request))));
    expect(new Set(halves.map((half) => JSON.stringify(half))).size).toBe(1);
    const tails = await Promise.all(REQUESTS.map((request) => composeTail(seats, at(request), [])));
    expect(new Set(tails.map(({ text }) => text)).size).toBeGreaterThan(20);
  });
});
