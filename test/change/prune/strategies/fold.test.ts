import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { readMessageText } from '#analysis/facts/text.js';
import { type JsonObject, listObjects } from '#base/json.js';
import type { History } from '#change/prune/history.js';
import fold, { shortenArguments } from '#change/prune/strategies/fold.js';
import { type Entry, entry } from '../../../support/entries.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  later,
  proposed,
  prunedBy,
  result,
  type Said,
  talk,
} from '../../../support/history.js';
import { runs } from '../../../support/runs.js';

const LONG = Array.from({ length: 60 }, (_, at) => `line ${at + 1} of a file`).join('\n');

/** These messages in the first turn, with as many turns behind as asked for. */
function before(said: readonly Said[], turns = 3): readonly Entry[] {
  return talk(asked('u1', 'Go.'), ...said, ...later(turns));
}

/** What becomes of the messages that change, by the ids of their entries. */
function changed(history: History, options: Entry = {}): Readonly<Record<string, JsonObject>> {
  const changes = proposed(fold, history, options).flatMap((each) => each.changes);
  return Object.fromEntries(changes.map(({ at, message }) => [history.items[at]!.from.entryId!, message!]));
}

/** The line that stands for one result. */
function lineFor(name: string, args: Entry, text: string, rest: Entry = {}): string | null {
  const pair = [answered('a1', call('c1', name, args)), result('r1', 'c1', text, { toolName: name, ...rest })];
  const message = changed(historyFrom(before(pair)))['r1'];
  return message ? readMessageText(message as never) : null;
}

const many = (line: string, times = 40): string => Array.from({ length: times }, () => line).join('\n');

describe('the line of a result', () => {
  it.each<readonly [string, Entry, string, Entry, string]>([
    ['read', { path: 'src/a.ts' }, LONG, {}, 'read src/a.ts → 60 lines, 1.1 kB'],
    [
      'bash',
      { command: 'npm run  build' },
      `${many('built a module')}\nbuilt in 3 s\n---\n`,
      {},
      'bash npm run build → ends with "built in 3 s"; 42 lines, 617 B',
    ],
    [
      'bash',
      { command: 'npm test' },
      `${many('ok one test')}\nTypeError: x is not a function\n\nCommand exited with code 2`,
      { isError: true },
      'bash npm test → failed with "TypeError: x is not a function"; exit code 2; 43 lines, 538 B',
    ],
    [
      'bash',
      { command: 'make' },
      `${many('compiling one unit')}\n\nCommand exited with code 2`,
      { isError: true },
      'bash make → failed with "Command exited with code 2"; 42 lines, 787 B',
    ],
    [
      'grep',
      { pattern: 'TODO', path: 'src' },
      many('src/a.ts:1: // TODO'),
      {},
      'grep "TODO" in src → begins with "src/a.ts:1: // TODO"; 40 lines, 799 B',
    ],
    [
      'web_search',
      { query: 'sorting in Python' },
      JSON.stringify({
        took: 3,
        results: Array.from({ length: 8 }, () => 'a result of some length, at some address of the web'),
      }),
      {},
      'web_search "sorting in Python" → Found 8 results, most relevant: a result of some length, at some address of the web, a result of some length, at some address of the web, a result of some length, at some address of the web; 1 line, 454 B',
    ],
    ['list', {}, JSON.stringify([many('x', 400)]), {}, 'list → 1 item; 1 line, 1.2 kB'],
    ['ask', { to: 3 }, `{\n${many('what is no JSON')}`, {}, 'ask → begins with "what is no JSON"; 41 lines, 641 B'],
    [
      'count',
      {},
      JSON.stringify({ one: 'x'.repeat(500) }),
      {},
      `count → begins with "{"one":"${'x'.repeat(90)} …"; 1 line, 510 B`,
    ],
  ])('of %s with %j', (name, args, text, rest, line) => {
    expect(lineFor(name, args, text, rest)).toBe(`[Turn 1] ${line}; ctx cat the-session r1`);
  });

  it('names the end of a long path and the beginning of a long command', () => {
    const path = `/home/ada/${'deep/'.repeat(30)}a.ts`;
    expect(lineFor('read', { path }, LONG)).toMatch(/^\[Turn 1\] read …\S{76}a\.ts → 60 lines/);
    expect(lineFor('bash', { command: `cat ${path}` }, LONG)).toMatch(/^\[Turn 1\] bash cat \/home[^;]{69} … → ends/);
  });

  it.each([0, 1, 2])('is not made of a result that is %i turns old', (turns) => {
    const pair = [answered('a1', call('c1', 'read', { path: 'a.ts' })), result('r1', 'c1', LONG)];
    expect(proposed(fold, historyFrom(before(pair, turns)))).toEqual([]);
    expect(proposed(fold, historyFrom(before(pair, turns + 1)), { afterTurns: turns + 1 })).toHaveLength(1);
  });

  it('is not made of a short text, nor where there is none', () => {
    expect(lineFor('read', { path: 'a.ts' }, 'x'.repeat(400))).toBe(null);
    expect(lineFor('read', { path: 'a.ts' }, 'x'.repeat(401))).not.toBe(null);
    expect(lineFor('read', { path: 'a.ts' }, '')).toBe(null);
  });

  it('stands beside the pictures of the result', () => {
    const picture = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const pair = [
      answered('a1', call('c1', 'read', { path: 'a.png' })),
      result('r1', 'c1', [{ type: 'text', text: LONG }, picture]),
    ];
    expect(changed(historyFrom(before(pair)))['r1']).toMatchObject({
      content: [{ type: 'text', text: expect.stringMatching(/^\[Turn 1\] /) }, picture],
    });
  });
});

describe('a pair', () => {
  const ARGS = { path: 'src/new.ts', content: LONG, mode: 420, flags: ['short'], nested: { oldText: LONG } };
  const SHORT = `${LONG.slice(0, 158)} … [folded: 60 lines, 1.1 kB; ctx cat the-session a1]`;
  const THOUGHT = { type: 'thinking', thinking: LONG, thinkingSignature: 'c2lnbmVk' };
  const TEXT = { type: 'text', text: LONG, textSignature: 'dGV4dA==' };
  const WRITE = [
    answered('a1', THOUGHT, TEXT, { ...call('c1', 'write', ARGS), thoughtSignature: 'Z2VtaW5p' }),
    result('r1', 'c1', LONG, { toolName: 'write', details: { diff: LONG } }),
  ];

  it('changes together, and keeps all but its long texts', () => {
    const history = historyFrom(before(WRITE));
    const [proposal, ...others] = proposed(fold, history);
    expect(others).toEqual([]);
    expect(proposal?.reason).toBe('3 turns old');
    expect(proposal?.changes.map(({ at }) => at)).toEqual([1, 2]);
    const { a1, r1 } = changed(history);
    expect(a1).toEqual({
      ...history.items[1]!.message,
      content: [
        THOUGHT,
        TEXT,
        {
          ...call('c1', 'write', { ...ARGS, content: SHORT, nested: { oldText: SHORT } }),
          thoughtSignature: 'Z2VtaW5p',
        },
      ],
    });
    expect({ ...r1, content: null }).toEqual({ ...history.items[2]!.message, content: null });
    for (const [at, message] of [a1, r1].entries())
      expect(Object.keys(message!)).toEqual(Object.keys(history.items[at + 1]!.message));
  });

  it('changes only its call where the result is short', () => {
    const short = [WRITE[0]!, result('r1', 'c1', 'Successfully wrote 1.2 kB.')];
    expect(Object.keys(changed(historyFrom(before(short))))).toEqual(['a1']);
  });

  it('is one of several of an answer: what does not hang together is proposed apart', () => {
    const answer = answered(
      'a1',
      call('c1', 'read', { path: 'a.ts' }),
      call('c2', 'write', { path: 'b.ts', content: LONG }),
      call('c3', 'write', { path: 'c.ts', content: LONG }),
      call('c4', 'read', { path: 'd.ts' }),
    );
    const results = [1, 2, 3, 4].map((at) => result(`r${at}`, `c${at}`, LONG));
    const history = historyFrom(before([answer, ...results]));
    expect(proposed(fold, history).map(({ changes }) => changes.map(({ at }) => at))).toEqual([[1, 3, 4], [2], [5]]);
    const { history: after, refusals } = prunedBy(history, [fold]);
    expect(refusals).toEqual([]);
    expect(after.uses.map(({ id, name, resultAt }) => [id, name, resultAt])).toEqual(
      history.uses.map(({ id, name, resultAt }) => [id, name, resultAt]),
    );
    expect(after.tokens).toBeLessThan(history.tokens / 3);
    expect(prunedBy(after, [fold]).decisions).toEqual([]);
  });

  it('is folded once, whatever the limit', () => {
    const wide = `${'x'.repeat(157)}😀${LONG}`;
    const write = answered('a1', call('c1', 'write', { content: LONG, more: wide }));
    const history = historyFrom(before([write, result('r1', 'c1', LONG)]));
    const { history: after, decisions } = prunedBy(history, [fold, { overTokens: 0 }]);
    expect(decisions).toHaveLength(2);
    expect(proposed(fold, after, { overTokens: 0 })).toEqual([]);
  });

  it('is as old as its result', () => {
    const late = [WRITE[0]!, asked('u2', 'Wait.'), WRITE[1]!];
    expect(proposed(fold, historyFrom(before(late, 2)))).toEqual([]);
    expect(proposed(fold, historyFrom(before(late, 3))).map(({ reason }) => reason)).toEqual(['3 turns old']);
  });

  it('is complete: a call without a result stays, and so does a result without a call', () => {
    expect(proposed(fold, historyFrom(before([WRITE[0]!])))).toEqual([]);
    expect(proposed(fold, historyFrom(before([WRITE[1]!])))).toEqual([]);
  });

  it.each([
    ['a1', ['r1']],
    ['r1', ['a1']],
  ])('keeps %s if that was pruned before', (targetId, others) => {
    const entries = before(WRITE);
    const content = entries.find(({ id }) => id === targetId)?.['message'] as JsonObject;
    const edit = entry('context_edit', 'e1', 'v2', { targetId, replacement: { content: content['content'] } });
    expect(Object.keys(changed(historyFrom([...entries, edit])))).toEqual(others);
  });

  it('may have arguments that are none', () => {
    const odd = [answered('a1', { ...call('c1', 'write', {}), arguments: LONG }), result('r1', 'c1', LONG)];
    expect(Object.keys(changed(historyFrom(before(odd))))).toEqual(['r1']);
  });
});

describe('shortened arguments', () => {
  it('keep their names, types and lists, and are never longer', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(30), (args, most) => {
        const json = JSON.parse(JSON.stringify(args).replaceAll('"a', `"${'a'.repeat(300)}`)) as JsonObject;
        const short = shortenArguments(json, most, 'ctx cat the-session a1');
        expect(shapeOf(short)).toEqual(shapeOf(json));
        expect(JSON.stringify(short).length).toBeLessThanOrEqual(JSON.stringify(json).length);
      }),
      { numRuns: runs(200) },
    );
  });

  it('are the same object where nothing is long', () => {
    const args = { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }] };
    expect(shortenArguments(args, 100, '')).toBe(args);
  });

  it('are truncated in lists too, up to a depth', () => {
    const edits = shortenArguments({ edits: [{ oldText: LONG }, { newText: 'b' }] }, 100, 'entry a1')['edits'];
    expect(listObjects(edits)[0]?.['oldText']).toMatch(
      /^line 1 of a file\n[^[]* … \[folded: 60 lines, 1\.1 kB; entry a1\]$/,
    );
    expect(listObjects(edits)[1]).toEqual({ newText: 'b' });
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], LONG);
    const args = { deep };
    expect(shortenArguments(args, 100, '')).toBe(args);
  });
});

/** A value with every text in it made the same. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([name, each]) => [name, shapeOf(each)]);
}
