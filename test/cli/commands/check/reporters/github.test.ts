import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toVisibleLine } from '#base/visible.js';
import githubReporter from '#cli/commands/check/reporters/github.js';
import { checkedFile, files, orphan, printed, runOver } from '../../../../support/check-run.js';
import { runs } from '../../../../support/runs.js';

interface Command {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** Reads a line as the runner does: ActionCommand.TryParseV2. */
function read(line: string): Command | null {
  const message = line.trimStart();
  const end = message.indexOf('::', 2);
  if (!message.startsWith('::') || end === -1) return null;
  const info = message.slice(2, end);
  const space = info.indexOf(' ');
  const given = space === -1 ? '' : info.slice(space + 1).trim();
  const pairs = given.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return value.length === 0
      ? []
      : [
          [
            name,
            unescaped(value.join('='), [
              ['%3A', ':'],
              ['%2C', ','],
            ]),
          ] as const,
        ];
  });
  return {
    command: space === -1 ? info : info.slice(0, space),
    properties: Object.fromEntries(pairs),
    data: unescaped(message.slice(end + 2), []),
  };
}

function unescaped(text: string, more: readonly (readonly [string, string])[]): string {
  return [['%0D', '\r'] as const, ['%0A', '\n'] as const, ...more, ['%25', '%'] as const].reduce(
    (value, [from, to]) => value.replaceAll(from, to),
    text,
  );
}

describe('github', () => {
  it('writes commands that the runner reads back, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        const lines = (await printed(githubReporter, runOver(all))).split('\n');
        expect([lines.pop(), read(lines.pop() ?? '')]).toEqual(['', null]);
        const commands = lines.map(read);
        const names = new Set(all.map(({ file }) => toVisibleLine(file)));
        for (const command of commands) {
          expect(['error', 'warning', 'notice']).toContain(command?.command);
          const { file, title } = command?.properties ?? {};
          expect(file === undefined ? title === 'ctx check' : names.has(file)).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('says where and what', async () => {
    const finding = orphan(4, { message: '100% lost, "a:b"\n::error::x', fix: 'link it' });
    const [line = ''] = (await printed(githubReporter, runOver([checkedFile('a,b:c%.jsonl', [finding])]))).split('\n');
    expect(read(line)).toEqual({
      command: 'error',
      properties: { file: 'a,b:c%.jsonl', line: '4', title: 'orphan' },
      data: 'entry u4: 100% lost, "a:b" ⏎ ::error::x; to fix it: link it',
    });
  });

  it('shows ten of a kind, the last of which counts those that GitHub would drop', async () => {
    const findings = Array.from({ length: 11 }, (_, at) => orphan(at + 1));
    const lines = async (count: number, more = 0): Promise<readonly string[]> =>
      (await printed(githubReporter, runOver([checkedFile('a.jsonl', findings.slice(0, count), more)])))
        .trimEnd()
        .split('\n');
    expect(await lines(10)).toHaveLength(11);
    const eleven = await lines(11);
    expect(eleven).toHaveLength(11);
    expect(eleven[9]).toBe('::error title=ctx check::and 2 more errors: ctx check --json lists all');
    expect((await lines(10, 990))[9]).toContain('and 991 more errors');
    expect(eleven[10]).toBe('11 errors in 1 session');
  });
});
