import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSession, type OpenSession } from '#context/open.js';
import { activePath } from '#session/tree/tree.js';
import { ClaudeCodeLog, textBlock } from '../../../support/claude-code.js';
import { projectFolder } from '../../../support/files.js';
import { expectLinearTime } from '../../../support/growth.js';
import { ctx } from '../../../support/memory-io.js';

/** Six lines of a conversation about wéather. */
function lines(): readonly string[] {
  const log = new ClaudeCodeLog();
  for (let at = 1; at <= 3; at += 1) {
    log.user(`question ${at} {"type":"é"}`);
    log.answer(`msg_${at}`, textBlock(`answer ${at} }{ "`));
  }
  return log.lines;
}

const [q1 = '', a1 = '', q2 = '', a2 = '', q3 = '', a3 = ''] = lines();
const NULS = '\0'.repeat(211);

/** The numbers of the lines of the messages on the active path. */
function linesOf(session: OpenSession): readonly number[] {
  return activePath(session.tree)
    .filter(({ type }) => type === 'message')
    .map(({ line }) => line);
}

const byDamage: readonly [name: string, text: string, path: readonly number[], codes: readonly string[]][] = [
  ['two records on a line', `${[q1, a1, q2 + a2, q3, a3].join('\n')}\n`, [1, 2, 3, 3, 4, 5], ['glued-lines']],
  ['three records on a line', `${[q1, a1 + q2 + a2, q3, a3].join('\n')}\n`, [1, 2, 2, 2, 3, 4], ['glued-lines']],
  ['all records on one line', `${q1}${a1}${q2}${a2}${q3}${a3}\n`, [1, 1, 1, 1, 1, 1], ['glued-lines']],
  ['all records on the last line', `${q1}\n${a1}${q2} ${a2}${q3}${a3}`, [1, 2, 2, 2, 2, 2], ['glued-lines']],
  ['NUL bytes before a record', `${[q1, a1, NULS + q2, a2, q3, a3].join('\n')}\n`, [1, 2, 3, 4, 5, 6], ['nul-bytes']],
  ['NUL bytes between records', `${[q1, a1 + NULS + q2, a2, q3, a3].join('\n')}\n`, [1, 2, 2, 3, 4, 5], ['nul-bytes']],
  ['a mark and other newlines', `\ufeff${[q1, a1, q2, a2, q3, a3].join('\r\n')}\r\n`, [1, 2, 3, 4, 5, 6], []],
];

/** Damage that loses a record, before one that can be read. */
const withLoss: typeof byDamage = [
  [
    'the beginning of a record',
    `${[q1, a1, a1.slice(0, 90) + q2, a2, q3, a3].join('\n')}\n`,
    [1, 2, 3, 4, 5, 6],
    ['glued-lines'],
  ],
  [
    'a record cut in its content',
    `${[q1, a1, a3.slice(0, -40) + q2, a2, q3, a3].join('\n')}\n`,
    [1, 2, 3, 4, 5, 6],
    ['glued-lines'],
  ],
];

describe('a damaged file of Claude Code', () => {
  it.each([...byDamage, ...withLoss])('is read as far as it can be: %s', async (_name, text, expected, codes) => {
    const bytes = new TextEncoder().encode(text);
    const session = await openSession(bytes);
    expect(linesOf(session)).toEqual(expected);
    expect(session.problems.map(({ code }) => code)).toEqual(codes);
    const { blanks, damaged: lost, agentBytes: foreignBytes = 0, size } = session.scan;
    expect([...blanks, ...lost].reduce((sum, { length }) => sum + length, foreignBytes)).toBe(size);
    for (const head of activePath(session.tree)) expect(session.entry(head)).toMatchObject({ id: head.id });
  });

  it.each(byDamage)('loses nothing in an import: %s', async (_name, text) => {
    const { stdout, files } = await ctx(['import', '/s.jsonl', '--output', '/i.jsonl'], {
      files: { '/s.jsonl': text },
    });
    expect(stdout).not.toContain('left out');
    const repair = await ctx(['repair', '/i.jsonl', '--dry-run'], { files });
    expect(repair.stdout).toContain('nothing to repair');
    const shown = JSON.parse((await ctx(['show', '/i.jsonl', '--json'], { files })).stdout) as {
      messages: { cached: unknown[] };
    };
    expect(shown.messages.cached).toHaveLength(6);
  });

  it('does not take an object inside a lost record for a record', async () => {
    const inner = '{"type":"x","uuid":"u","timestamp":"2026-09-01T00:00:00.000Z"}';
    const torn = `{"type":"user","uuid":"0","message":{"role":"user","content":[${inner},${inner}]},"cwd":`;
    const session = await openSession(new TextEncoder().encode(`${q1}\n${torn}\n${a1}\n`));
    expect(session.problems.map(({ code }) => code)).toEqual(['malformed-line']);
    expect(linesOf(session)).toEqual([1, 3]);
  });

  it('is read in linear time', async () => {
    await expectLinearTime((count) => {
      const text = `${q1}\n${'{"a":'.repeat(count)}\n${'{"type":"'.repeat(count)}\n${a1}\n`;
      return async () => {
        const session = await openSession(new TextEncoder().encode(text));
        expect(linesOf(session)).toEqual([1, 4]);
      };
    }, 2000);
  });
});

it('ctx repair links the entries after a damaged line, once they are imported', async () => {
  const stored = readFileSync(path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl'), 'utf8').split(
    '\n',
  );
  const torn = stored.map((line, at) => (at === 13 ? line.slice(0, 60) : line)).join('\n');
  const messages = async (file: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<number> => {
    const { stdout } = await ctx(['show', file, '08464e89', '--json'], { files });
    return (JSON.parse(stdout) as { messages: { cached: unknown[] } }).messages.cached.length;
  };
  expect(await messages('/f/s', { '/f/s': torn })).toBe(5);
  const { files, stdout } = await ctx(['import', '/f/s', '--output', '/f/new.jsonl'], { files: { '/f/s': torn } });
  expect(stdout).toContain('1 entry without its parent: ctx repair links it to the entry before\n');
  const repaired = await ctx(['repair', '/f/new.jsonl', '--output', '/f/repaired.jsonl'], { files });
  expect(repaired.stdout).toContain('orphan  98c4751b: now follows "672088f6", the entry before it in the file');
  expect(await messages('/f/repaired.jsonl', repaired.files)).toBe(14);
});
