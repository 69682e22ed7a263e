import { describe, expect, it } from 'vitest';
import { readMessageText } from '#analysis/facts/text.js';
import { type JsonObject, listObjects } from '#base/json.js';
import type { Strategy } from '#change/prune/define.js';
import type { History } from '#change/prune/history.js';
import { describeLocation } from '#change/prune/message-notes.js';
import compress from '#change/prune/strategies/compress.js';
import { decay } from '#change/prune/strategies/decay.js';
import dedupe from '#change/prune/strategies/dedupe.js';
import distill from '#change/prune/strategies/distill.js';
import errors from '#change/prune/strategies/errors.js';
import fold from '#change/prune/strategies/fold.js';
import images from '#change/prune/strategies/images.js';
import thinking from '#change/prune/strategies/thinking.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Entry } from '../../../support/entries.js';
import { answered, asked, call, historyFrom, proposed, result, type Said, talk } from '../../../support/history.js';

const SAID = { type: 'text', text: 'Done.' };

/** These messages, and so many turns after them. */
function before(said: readonly Said[], later = 3): History {
  const next = (at: number): readonly Said[] => [answered(`b${at}`, SAID), asked(`v${at}`, 'And then?')];
  return historyFrom(talk(asked('u1', 'Go.'), ...said, ...Array.from({ length: later }, (_, at) => next(at)).flat()));
}

function used(name: string, args: Entry, says: unknown, rest: Entry = {}): History {
  return before([answered('a1', call('c1', name, args)), result('r1', 'c1', says, { toolName: name, ...rest })]);
}

/** What the first change makes of a message. */
function after(strategy: Strategy, history: History, options: Entry = {}): LlmMessage | null {
  return proposed(strategy, history, options)[0]?.changes[0]?.message ?? null;
}

describe('what a strategy takes for an option', () => {
  const takes = ({ options }: Strategy, given: unknown): boolean => options?.safeParse(given).success === true;

  it.each<[Strategy, JsonObject]>([
    [
      compress,
      {
        afterTurns: 1,
        overCharacters: 1500,
        searchCharacters: 2000,
        searchResults: 5,
        fileCharacters: 1000,
        fileLines: 10,
        commandCharacters: 1500,
        commandLines: 50,
        commandTail: 40,
        otherCharacters: 1000,
        spill: null,
      },
    ],
    [decay, { fullTurns: 3, foldTurns: 6 }],
    [distill, { afterTurns: 2, overTokens: 1000, headCharacters: 1500, tailCharacters: 1000 }],
    [errors, { afterTurns: 2, overCharacters: 400 }],
    [fold, { afterTurns: 3, overTokens: 100 }],
    [images, { afterTurns: 3 }],
    [thinking, { afterTurns: 1 }],
  ])('has a default: $name', (strategy, defaults) => {
    expect(strategy.options?.parse({})).toEqual(defaults);
    for (const name of Object.keys(defaults)) expect(takes(strategy, { [name]: 1.5 })).toBe(false);
    expect(takes(strategy, { other: 1 })).toBe(false);
  });

  it.each(['out', 'a/b', 'a/b/', './a', 'a..b', '..a', 'a/..b', 'a.', '-'])('is the folder %s', (spill) => {
    expect(takes(compress, { spill })).toBe(true);
  });

  it.each([
    '',
    '/',
    '/out',
    '\\out',
    '~',
    '~/out',
    'c:out',
    'D:\\out',
    '..',
    '../out',
    'a/../b',
    'a/..',
    'a\\..\\b',
    '..\\a',
  ])('is no folder elsewhere: %j', (spill) => {
    expect(takes(compress, { spill })).toBe(false);
  });
});

describe('a side file', () => {
  const says = 'x'.repeat(3000);
  it.each([
    ['r1', 'out/r1.txt'],
    ['a-b_9', 'out/a-b_9.txt'],
    ['x'.repeat(64), `out/${'x'.repeat(64)}.txt`],
    ['x'.repeat(65), 'out/line-4.txt'],
    ['R1', 'out/line-4.txt'],
    ['a.b', 'out/line-4.txt'],
    ['con', 'out/line-4.txt'],
    ['nul', 'out/line-4.txt'],
    ['com1', 'out/line-4.txt'],
    ['lpt22', 'out/line-4.txt'],
    ['line-9', 'out/line-4.txt'],
    ['line-9a', 'out/line-9a.txt'],
    ['cons', 'out/cons.txt'],
    ['com', 'out/com.txt'],
    ['xcon', 'out/xcon.txt'],
  ])('of the entry %s is %s', (id, name) => {
    const history = before([answered('a1', call('c1', 'read', {})), result(id, 'c1', says)]);
    for (const spill of ['out', 'out/', 'out//'])
      expect(proposed(compress, history, { spill })[0]?.changes[0]?.spill).toEqual({ name, text: says });
  });
});

describe('the exit code', () => {
  const code = (says: string, rest: Entry = {}, name = 'run_command'): string | null =>
    /, (exit code [^,]*),/.exec(readMessageText(after(compress, used(name, { command: 'x' }, says, rest))!))?.[1] ??
    null;
  const long = 'a line that is said\n'.repeat(200);

  it.each<[string, Entry, string | null]>([
    [`${long}Command exited with code 7`, {}, 'exit code 7'],
    [`${long}Command exited with code 7\n \n`, {}, 'exit code 7'],
    [`${long}Command exited with code 7 or so`, {}, null],
    [`${long}xCommand exited with code 7`, {}, null],
    [`Command exited with code 7\n${long}`, {}, null],
    [`${long}Command exited with code 7`, { details: { exitCode: 3 } }, 'exit code 7'],
    [long, { details: { exitCode: 3 } }, 'exit code 3'],
    [long, { details: { exitCode: '3' } }, null],
    [long, { details: 3 }, null],
    [long, { toolName: 'bash' }, 'exit code 0'],
    [long, { toolName: 'bash', isError: undefined }, null],
    [long, { toolName: 'bash', isError: true }, null],
  ])('of a command (%#) is known where it is written', (says, rest, expected) => {
    expect(code(says, rest)).toBe(expected);
  });
});

describe('the inputs of a failed call', () => {
  const failed = (args: Entry, options: Entry = {}): unknown =>
    listObjects(after(errors, used('write', args, 'No.', { isError: true }), options)?.['content'])[0]?.['arguments'] ??
    null;
  const NOTE = 'more characters of the input of this failed call: ctx cat the-session a1]';

  it('are cut behind a hundred characters where they have more than 400', () => {
    expect(failed({ text: 'x'.repeat(400) })).toBeNull();
    expect(failed({ text: 'x'.repeat(401) })).toEqual({ text: `${'x'.repeat(100)} … [301 ${NOTE}` });
    expect(failed({ text: 'x'.repeat(400), path: 'x'.repeat(401) })).toEqual({
      text: 'x'.repeat(400),
      path: `${'x'.repeat(100)} … [301 ${NOTE}`,
    });
    expect(failed({ text: 'x'.repeat(401) }, { overCharacters: 401 })).toBeNull();
  });

  it('are cut between characters', () => {
    expect(failed({ text: `${'x'.repeat(99)}🌧${'y'.repeat(400)}` })).toEqual({
      text: `${'x'.repeat(99)} … [402 ${NOTE}`,
    });
    expect(failed({ text: `${'x'.repeat(98)}🌧${'y'.repeat(400)}` })).toEqual({
      text: `${'x'.repeat(98)}🌧 … [400 ${NOTE}`,
    });
  });

  it('are cut down to sixteen lists or objects deep', () => {
    const text = 'x'.repeat(500);
    const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], text);
    expect(failed({ deep: nested(15) })).not.toBeNull();
    expect(failed({ deep: nested(16) })).toBeNull();
    expect(failed({ text, number: 7, flag: true, none: null })).toMatchObject({ number: 7, flag: true, none: null });
  });

  it('stay as they are in calls that have no id or did not fail', () => {
    const text = 'x'.repeat(500);
    const calls = [
      call('c1', 'write', { text }),
      { ...call('c2', 'write', { text }), id: 7 },
      call('c3', 'write', { text }),
    ];
    const results = [result('r1', 'c1', 'No.', { isError: true }), result('r3', 'c3', 'Yes.')];
    const history = before([answered('a1', SAID, ...calls), ...results]);
    const [first, ...others] = listObjects(after(errors, history)?.['content']).slice(1);
    expect(first?.['arguments']).not.toEqual({ text });
    expect(others.map((each) => each['arguments'])).toEqual([{ text }, { text }]);
  });
});

describe('the line of a repeated result', () => {
  it('names the line of an entry without an id', () => {
    const says = 'the same text of some length\n'.repeat(20);
    const again = [1, 2].flatMap((at): readonly Said[] => [
      asked(`q${at}`, 'Again.'),
      answered(`a${at}`, call(`c${at}`, 'bash', { command: 'make' })),
      result(`r${at}`, `c${at}`, says),
    ]);
    const history = before(again);
    const items = history.items.map((item) => ({ ...item, from: { ...item.from, entryId: null } }));
    const [proposal] = proposed(dedupe, { ...history, items });
    expect(proposal?.reason).toBe('repeated at line 8');
    expect(readMessageText(proposal!.changes[0]!.message!)).toBe(
      `[bash: make: 20 lines, 580 B; repeated at line 8; this result: ${describeLocation(items[3]!)}]`,
    );
  });
});

describe('the line of a picture', () => {
  const line = (image: Entry, rest: Entry = {}): string => {
    const said: Said = ['p1', { role: 'user', content: [{ type: 'image', ...image }], ...rest }];
    return readMessageText(after(images, before([said]))!);
  };
  const data = 'AAAA'.repeat(100);

  it.each([
    ['image/png', 'image/png'],
    ['image/svg+xml', 'image/svg+xml'],
    ['x/y', 'x/y'],
    [`${'x'.repeat(40)}/${'y'.repeat(40)}`, `${'x'.repeat(40)}/${'y'.repeat(40)}`],
    [`${'x'.repeat(41)}/y`, 'of unknown type'],
    [`x/${'y'.repeat(41)}`, 'of unknown type'],
    ['image', 'of unknown type'],
    ['/png', 'of unknown type'],
    ['a b/c', 'of unknown type'],
    [undefined, 'of unknown type'],
    [7, 'of unknown type'],
  ])('says of the type %j: %s', (mimeType, said) => {
    expect(line({ data, mimeType })).toBe(
      `[Image at Turn 2: from the user, of which the assistant said "Done."; ${said}, 300 bytes; ctx cat the-session p1]`,
    );
  });

  it.each([
    [Date.UTC(2026, 0, 5, 9, 7, 59), ', 2026-01-05 09:07 UTC'],
    [0, ', 1970-01-01 00:00 UTC'],
    [8_640_000_000_000_000, ', +275760-09-13 00:00 UTC'],
    [8_640_000_000_000_001, ''],
    [-8_640_000_000_000_001, ''],
    [Number.NaN, ''],
    ['2026-01-05', ''],
  ])('says when it was: %j', (timestamp, said) => {
    const history = before([['p1', { role: 'user', content: [{ type: 'image', data, mimeType: 'a/b' }] }]]);
    const items = history.items.map((item) => ({ ...item, message: { ...item.message, timestamp } }));
    expect(readMessageText(after(images, { ...history, items })!)).toContain(
      `300 bytes${said}; ctx cat the-session p1]`,
    );
  });
});

describe('the reason for leaving out thinking', () => {
  const thought = { type: 'thinking', thinking: 'The parser comes first, since the rest builds on it.' };
  it.each<[Entry, string]>([
    [{ api: 'anthropic-messages', provider: 'mine' }, 'mine accepts earlier turns without it, 3 turns old'],
    [{ api: 'anthropic-messages' }, 'anthropic-messages accepts earlier turns without it, 3 turns old'],
    [{ api: 'google-vertex', provider: 'vertex' }, 'vertex did not sign it, 3 turns old'],
    [{ api: 'google-vertex' }, 'google-vertex did not sign it, 3 turns old'],
  ])('names who wants none: %j', (rest, reason) => {
    const history = before([['a1', { role: 'assistant', content: [thought, SAID], ...rest }]]);
    expect(proposed(thinking, history).map((each) => each.reason)).toEqual([reason]);
  });

  it.each(['redacted', 'thinkingSignature'])('is none where it is %s and may be wanted back', (key) => {
    const history = before([
      ['a1', { role: 'assistant', content: [{ ...thought, [key]: 'x' }, SAID], api: 'google-vertex' }],
    ]);
    expect(proposed(thinking, history)).toEqual([]);
  });

  it.each([
    [' [{"id":1}]', []],
    ['{"id":1}', []],
    ['x{', [1]],
    [7, [1]],
  ])('is none where the signature %j is JSON', (thinkingSignature, places) => {
    const content = [thought, { ...thought, thinkingSignature }, SAID];
    const history = before([['a1', { role: 'assistant', content, api: 'openai-completions' }]]);
    expect(proposed(thinking, history).map(({ changes }) => changes[0]?.at)).toEqual(places);
  });
});

describe('the ends of a text', () => {
  const ends = (text: string, headCharacters: number, tailCharacters: number): readonly string[] => {
    const options = { overTokens: 0, headCharacters, tailCharacters };
    return readMessageText(after(distill, used('x', {}, text), options)!).split(/\n?\[shortened: [^\]]*\]\n?/);
  };
  const rest = 'x'.repeat(900);

  it('are cut at the end of a line where that leaves about two thirds', () => {
    expect(ends(`${'a'.repeat(21)}\n${rest}`, 30, 0)[0]).toBe('a'.repeat(21));
    expect(ends(`${'a'.repeat(20)}\n${rest}`, 30, 0)[0]).toBe(`${'a'.repeat(20)}\n${'x'.repeat(9)}`);
    expect(ends(`${'a'.repeat(30)}\n${rest}`, 30, 0)[0]).toBe('a'.repeat(30));
    expect(ends(`${rest}\n${'a'.repeat(19)}`, 0, 30)[1]).toBe(`${'x'.repeat(10)}\n${'a'.repeat(19)}`);
    expect(ends(`${rest}\n${'a'.repeat(20)}`, 0, 30)[1]).toBe('a'.repeat(20));
    expect(ends(`${rest}\n${'a'.repeat(30)}`, 0, 30)[1]).toBe('a'.repeat(30));
  });

  it('are nothing where nothing is asked for', () => {
    expect(
      readMessageText(after(distill, used('x', {}, rest), { overTokens: 0, headCharacters: 0, tailCharacters: 0 })!),
    ).toMatch(/^\[shortened: 1 line, 900 B in all, sha256 [0-9a-f]{8}; full data: ctx cat the-session r1\]$/);
  });

  it('are cut between characters', () => {
    expect(ends(`${'a'.repeat(9)}🌧${rest}🌧${'b'.repeat(9)}`, 10, 10)).toEqual(['a'.repeat(9), 'b'.repeat(9)]);
    expect(ends(`${'a'.repeat(8)}🌧${rest}🌧${'b'.repeat(8)}`, 10, 10)).toEqual([
      `${'a'.repeat(8)}🌧`,
      `🌧${'b'.repeat(8)}`,
    ]);
  });
});
