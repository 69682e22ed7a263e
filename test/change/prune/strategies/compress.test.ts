import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { readMessageText } from '#analysis/facts/text.js';
import type { History } from '#change/prune/history.js';
import compress, { scaleThreshold } from '#change/prune/strategies/compress.js';
import { findToolKind } from '#change/prune/tool-kinds.js';
import type { Entry } from '../../../support/entries.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  later,
  proposed,
  prunedBy,
  result,
  SAID,
  talk,
} from '../../../support/history.js';
import { runs } from '../../../support/runs.js';

interface Use {
  readonly tool: string;
  readonly args?: Entry;
  readonly says: unknown;
  readonly rest?: Entry;
}

/** One tool result, as many turns old as asked for. */
function used({ tool, args = {}, says, rest = {} }: Use, age = 1): History {
  const said = [
    asked('u1', 'Look.'),
    answered('a1', call('c1', tool, args)),
    result('r1', 'c1', says, { toolName: tool, ...rest }),
  ];
  return historyFrom(talk(...said, ...later(age)));
}

function after(use: Use, options: Entry = {}): string {
  const message = proposed(compress, used(use), options)[0]?.changes[0]?.message;
  return message ? readMessageText(message) : '';
}

const WHERE = 'Full data: ctx cat the-session r1';

/** The line in front, and the lines that stay. */
function parts(use: Use, options: Entry = {}): readonly [note: string, kept: readonly string[]] {
  const [note = '', ...kept] = after(use, options).split('\n');
  expect(kept.pop() ?? WHERE).toBe(WHERE);
  return [note, kept];
}

function lines(count: number, what = 'line'): string {
  return Array.from({ length: count }, (_, at) => `${what} ${at + 1}`).join('\n');
}

const hash = expect.stringMatching(/sha256 [0-9a-f]{8}/) as unknown;

describe('compress', () => {
  it('keeps the first lines of a file, and says which file it was and how much', () => {
    const use = { tool: 'read', args: { path: 'src/a.ts' }, says: lines(400) };
    const [note, kept] = parts(use);
    expect(note).toBe('[read src/a.ts, 400 lines, 3.5 kB, sha256 922dcb17] First 10 of 400 lines:');
    expect(kept).toEqual(lines(10).split('\n'));
    expect(proposed(compress, used(use, 3))[0]?.reason).toBe('3491 characters in a result 3 turns old, more than 1500');
  });

  it('keeps what Pi says below a part of a file, and says which part it was', () => {
    const notice = '[200 more lines in file. Use offset=500 to continue.]';
    const [note, kept] = parts({
      tool: 'read',
      args: { path: 'a.ts', offset: 100 },
      says: `${lines(400)}\n\n${notice}`,
    });
    expect(note).toContain('[read a.ts (lines 100-499), 402 lines');
    expect(kept).toEqual([...lines(10).split('\n'), notice]);
  });

  it('keeps the end of a long path', () => {
    const path = `/home/ada/${'folder/'.repeat(30)}forecast.ts`;
    const [note] = parts({ tool: 'read', args: { path }, says: lines(400) });
    expect(note).toMatch(/^\[read …\/(?:folder\/)+forecast\.ts, 400 lines/);
    expect(note.length).toBeLessThan(220);
  });

  it('keeps the first and the last lines of what a command said, and its exit code', () => {
    const says = `${lines(300)}\n\nCommand exited with code 2`;
    const [note, kept] = parts({ tool: 'bash', args: { command: 'npm  test\n' }, says, rest: { isError: true } });
    expect(note).toEqual(expect.stringMatching(/^\[bash: npm test, 302 lines, 2\.6 kB, exit code 2, sha256 /));
    expect(note).toContain('First 10 and last 40 of 302 lines:');
    expect(kept.slice(0, 11)).toEqual([...lines(10).split('\n'), '[252 lines]']);
    expect(kept.slice(11)).toEqual(says.split('\n').slice(-40));
  });

  it.each([
    ['bash', {}, 'exit code 0'],
    ['bash', { isError: true }, null],
    ['execute_command', {}, null],
    ['execute_command', { details: { exitCode: 3 } }, 'exit code 3'],
  ])('knows of %s with %j: %s', (tool, rest, code) => {
    const [note] = parts({ tool, args: { command: 'make' }, says: lines(300), rest });
    expect(/exit code \d+/.exec(note)?.[0] ?? null).toBe(code);
  });

  it('keeps the first entries of a search', () => {
    const [note, kept] = parts({
      tool: 'grep',
      args: { pattern: 'rain', path: 'src' },
      says: lines(300, 'src/a.ts: rain'),
    });
    expect(note).toMatch(/^\[grep "rain" in src, 300 lines, /);
    expect(note).toContain('First 20 of 300 lines:');
    expect(kept).toEqual(lines(20, 'src/a.ts: rain').split('\n'));
  });

  it('keeps title, address and snippet of what a search on the web has found', () => {
    const hits = Array.from({ length: 30 }, (_, at) => ({
      title: `Page ${at + 1}`,
      link: `https://example.com/${at + 1}`,
      snippet: 'Rain,\nand wind. '.repeat(20),
      score: at,
    }));
    const [note, kept] = parts({
      tool: 'web_search',
      args: { query: 'rain' },
      says: JSON.stringify({ took: 3, results: hits }),
    });
    expect(note).toMatch(/^\[web_search "rain", 1 line, .*\] Found 30 results\. Top 5:$/);
    expect(kept[0]).toMatch(/^1\. Page 1 - https:\/\/example\.com\/1 - Rain, and wind\. Rain, .* …$/);
    expect(kept).toHaveLength(5);
  });

  it('keeps the first lines of a command alone where that is asked for', () => {
    const use = { tool: 'bash', args: { command: 'make' }, says: lines(300) };
    const [note, kept] = parts(use, { commandTail: 0 });
    expect(note).toContain('First 50 of 300 lines:');
    expect(kept).toEqual(lines(50).split('\n'));
  });

  it('keeps as many characters as the option of its kind says', () => {
    const long = Array.from({ length: 300 }, (_, at) => `${at} ${'x'.repeat(150)}`).join('\n');
    const hits = JSON.stringify(Array.from({ length: 9 }, (_, at) => ({ title: `${at}`, text: 'x'.repeat(900) })));
    const fields = JSON.stringify(
      Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`field${at}`, 'x'.repeat(60)])),
    );
    const sizes = [
      ['search', hits, 1200, 2000],
      ['read', long, 700, 1000],
      ['bash', long, 1200, 1500],
      ['fetch', fields, 800, 1000],
    ] as const;
    for (const [tool, says, least, most] of sizes) {
      const { length } = after({ tool, says });
      expect(length, tool).toBeGreaterThan(least);
      expect(length, tool).toBeLessThanOrEqual(most + 10);
    }
    expect(after({ tool: 'bash', says: long }, { commandCharacters: 3000 }).length).toBeGreaterThan(2500);
  });

  it('keeps the fields of JSON', () => {
    const says = JSON.stringify({
      total: 2,
      next: null,
      'odd key': true,
      items: [{ id: 7, body: 'x'.repeat(3000), tags: ['a', 'b'] }, { id: 8 }],
    });
    const [note, kept] = parts({ tool: 'fetch', args: { url: 'https://example.com/api' }, says });
    expect(note).toMatch(/^\[fetch "https:\/\/example\.com\/api", 1 line, 3\.1 kB, .*\] Key fields:$/);
    expect(kept).toEqual([
      'total = 2',
      'next = null',
      '"odd key" = true',
      'items: 2 items',
      'items[0]: 3 fields',
      'items[0].id = 7',
      'items[0].body: text of 3000 characters',
      'items[0].tags: 2 items',
      'items[0].tags[0] = "a"',
    ]);
  });

  it('keeps as much of the beginning as of the end of anything else', () => {
    const [note, kept] = parts({ tool: 'translate', says: lines(300) });
    expect(note).toContain('[translate, 300 lines');
    expect(kept).toEqual([...lines(20).split('\n'), '[260 lines]', ...lines(300).split('\n').slice(-20)]);
  });

  it('cuts inside a text that is one long line, and never inside a character', () => {
    for (const says of ['🌧'.repeat(2000), `a${'🌧'.repeat(2000)}`, `${'🌧'.repeat(2000)}a`]) {
      const [note, kept] = parts({ tool: 'translate', says });
      expect(note).toMatch(/First \d+ and last \d+ of \d+ characters:$/);
      expect(kept).toHaveLength(3);
      expect(kept.join('')).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
      expect(says.startsWith(kept[0]!) && says.endsWith(kept[2]!)).toBe(true);
    }
  });

  it('leaves alone what is short, new, was edited or says that it was shortened', () => {
    expect(after({ tool: 'read', says: 'x'.repeat(1500) })).toBe('');
    expect(after({ tool: 'read', says: 'x'.repeat(1501) })).not.toBe('');
    expect(proposed(compress, used({ tool: 'read', says: lines(400) }), { afterTurns: 2 })).toEqual([]);
    expect(proposed(compress, used({ tool: 'read', says: lines(400) }, 2), { afterTurns: 2 })).toHaveLength(1);
    const history = used({ tool: 'read', says: lines(400) });
    const items = history.items.map((item) => ({ ...item, isFrozen: true }));
    expect(proposed(compress, { ...history, items })).toEqual([]);
    expect(after({ tool: 'read', says: `${lines(400)}\n[the full result is in entry r1 of this session]` })).toBe('');
  });

  it('changes the texts only: pictures and other fields stay', () => {
    const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const says = [{ type: 'text', text: lines(200) }, image, { type: 'text', text: lines(200) }];
    const history = used({ tool: 'shot', says, rest: { details: { x: 1 }, timestamp: 5 } });
    const message = proposed(compress, history)[0]!.changes[0]!.message!;
    expect(message['content']).toEqual([{ type: 'text', text: hash }, image]);
    const { content: _, ...before } = history.items[2]!.message;
    const { content: __, ...rest } = message;
    expect(Object.entries(rest)).toEqual(Object.entries(before));
  });

  describe('with a side file', () => {
    const use = { tool: 'read', args: { path: 'a.ts' }, says: lines(400) };

    it('names it and gives its text', () => {
      const [proposal] = proposed(compress, used(use), { spill: 'tool-results/' });
      expect(proposal?.changes[0]?.spill).toEqual({ name: 'tool-results/r1.txt', text: lines(400) });
      expect(after(use, { spill: 'tool-results/' })).toContain(
        'Full data: ctx cat the-session r1, or tool-results/r1.txt',
      );
      expect(Object.keys(proposed(compress, used(use))[0]!.changes[0]!)).toEqual(['at', 'message']);
    });

    it('never uses an id as a path', () => {
      const entries = talk(
        asked('u1', 'Look.'),
        answered('a1', call('c1', 'read', {})),
        result('../../r1', 'c1', lines(400)),
        answered('a2', SAID),
        asked('u2', 'And then?'),
      );
      const [proposal] = proposed(compress, historyFrom(entries), { spill: 'out' });
      expect(proposal?.changes[0]?.spill?.name).toBe('out/line-4.txt');
    });
  });

  describe('the threshold', () => {
    it.each([
      [0, null, 1500],
      [100_000, null, 1500],
      [100_000, 200_000, 1500],
      [150_000, 200_000, 750],
      [170_000, 200_000, 500],
      [400_000, 200_000, 500],
      [10, 0, 1500],
    ])('with %d of %s tokens is %d', (tokens, limit, threshold) => {
      expect(scaleThreshold({ tokens, limit }, 1500)).toBe(threshold);
    });

    it('is that of the context', () => {
      const history = used({ tool: 'read', says: 'word '.repeat(250) });
      expect(proposed(compress, history)).toEqual([]);
      expect(proposed(compress, { ...history, limit: 2 * history.tokens })).toEqual([]);
      const [proposal] = proposed(compress, { ...history, limit: history.tokens + 1 });
      expect(proposal?.reason).toBe('1250 characters in a result 1 turn old, more than 500');
    });
  });

  it('never makes a result longer than the size for its kind, and is done after one time', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 400 });
    const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify({ value, filler: 'x'.repeat(1600) }));
    const text = fc.oneof(
      fc.array(line, { maxLength: 120 }).map((all) => all.join('\n')),
      json,
      fc.string({ maxLength: 4000 }),
    );
    const tool = fc.constantFrom(
      'read',
      'bash',
      'grep',
      'web_search',
      'fetch',
      'mcp__files__read_file',
      'x'.repeat(400),
    );
    fc.assert(
      fc.property(text, tool, fc.integer({ min: 500, max: 3000 }), (says, name, overCharacters) => {
        const history = used({
          tool: name,
          args: { path: 'p'.repeat(300), command: name === 'bash' ? says : undefined },
          says,
        });
        const pruned = prunedBy(history, [compress, { overCharacters }]);
        expect(pruned.refusals).toEqual([]);
        for (const { message } of pruned.decisions) {
          const length = readMessageText(message!).length;
          expect(length).toBeLessThanOrEqual(2000 + 60);
          expect(length).toBeLessThan(says.length);
        }
        if (pruned.decisions.length === 0) expect(says.length).toBeLessThanOrEqual(Math.max(overCharacters, 2100));
        expect(proposed(compress, pruned.history, { overCharacters })).toEqual([]);
      }),
      { numRuns: runs(150) },
    );
  });

  it.each([
    [
      'search',
      [
        'grep',
        'rg',
        'find',
        'fd',
        'ls',
        'glob',
        'web_search',
        'WebSearch',
        'search_files',
        'list_dir',
        'mcp__web__search',
      ],
    ],
    ['read', ['read', 'Read', 'read_file', 'view', 'cat', 'open_file', 'files.read_text_file']],
    [
      'command',
      ['bash', 'powershell', 'shell', 'exec_command', 'run_terminal_cmd', 'run_command', 'run_shell_command'],
    ],
    ['other', ['edit', 'write', 'fetch', 'todo', 'unknown', 'readme', 'bashful', '']],
  ])('takes for a %s what is called so', (kind, names) => {
    for (const name of names) expect(findToolKind(name), name).toBe(kind);
  });
});
