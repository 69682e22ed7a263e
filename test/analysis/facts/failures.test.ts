import { describe, expect, it } from 'vitest';
import { readFailure, readPendingCalls } from '#analysis/facts/failures.js';

describe('a call', () => {
  it.each([
    ['git push 2>&1', 'git push'],
    ['git push --set-upstream origin main 2>&1', 'git push'],
    ['git add -A && git commit -m "a && b"', 'git add && git commit'],
    ['git -C a push', 'git -C a push'],
    ['npm run build --if-present', 'npm run build'],
    ['npm test -- a.ts', 'npm test -- a.ts'],
    ['npm test -- b.ts', 'npm test -- b.ts'],
    ['curl -s https://a.example', 'curl -s https://a.example'],
    ['cd /a && pytest tests/a.py -q | tail -5', 'pytest tests/a.py'],
  ])('of %j is one of %j with any options', (command, program) => {
    expect(callOf('bash', { command }).program).toBe(program);
  });

  const calls = (...content: readonly object[]) => readPendingCalls({ role: 'assistant', content });
  const callOf = (name: string, args: object) => calls({ type: 'toolCall', id: 'c', name, arguments: args }).get('c')!;

  it.each<readonly [string, object, string, readonly string[], string | null, boolean]>([
    ['bash', { command: 'npm test' }, '`npm test`', ['ran npm test'], 'npm test', true],
    ['bash', { command: 'ls -l' }, '`ls -l`', ['ran ls -l'], 'ls -l', false],
    [
      'bash',
      { command: 'cd /a && cd b; npm test 2>&1 | tail -5 | cat' },
      '`cd /a && cd b; npm test 2>&1 | tail -5 | cat`',
      ['ran npm test'],
      'cd /a && cd b; npm test 2>&1 | tail -5 | cat',
      true,
    ],
    [
      'bash',
      { command: 'ls | head -1 | wc' },
      '`ls | head -1 | wc`',
      ['ran ls | head -1 | wc'],
      'ls | head -1 | wc',
      false,
    ],
    ['bash', { command: 'ls; cd /a; ls' }, '`ls; cd /a; ls`', ['ran ls; cd /a; ls'], 'ls; cd /a; ls', false],
    ['bash', { command: ' ls 2>&1' }, '`ls 2>&1`', ['ran ls'], 'ls 2>&1', false],
    ['read', { path: 'a.ts' }, 'read a.ts', ['read a.ts'], null, false],
    ['edit', { path: 'a.ts' }, 'edit a.ts', ['modified a.ts', 'read a.ts'], null, false],
    ['ask', {}, 'ask', ['called ask'], null, false],
  ])('of %s with %j', (name, args, description, keys, command, isLasting) => {
    expect(callOf(name, args)).toMatchObject({ description, keys, command, isLasting });
  });

  it('is known by its id, and by the beginning of what it runs', () => {
    expect(
      [
        ...calls(
          { type: 'toolCall', id: 'a', name: 'x' },
          { type: 'text', text: 'x' },
          { type: 'toolCall', id: 'b', name: 'y' },
        ),
      ].map(([id, { keys }]) => [id, keys]),
    ).toEqual([
      ['a', ['called x']],
      ['b', ['called y']],
    ]);
    expect(callOf('bash', { command: `echo ${'x'.repeat(3000)}` }).keys).toEqual([`ran echo ${'x'.repeat(1995)}`]);
  });

  const failed = (name: string, args: object, text: string, isError = true) =>
    readFailure(
      { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text }], isError },
      callOf(name, args),
    );

  it('fails with its error message', () => {
    expect(failed('bash', { command: 'npm test 2>&1' }, 'one\nError: two\nthree')).toEqual({
      kind: 'blocker',
      key: 'ran npm test',
      text: '`npm test 2>&1` failed: Error: two',
      state: 'open',
      outcome: null,
    });
    expect(failed('edit', { path: 'a.ts' }, 'oldText not found')?.key).toBe('modified a.ts');
  });

  it.each([
    ['it went well', 'read', { path: 'a' }, 'Error: x', false],
    ['a search found nothing', 'bash', { command: 'grep x a.ts' }, 'Command exited with code 1', true],
    ['somebody stopped it', 'bash', { command: 'npm test' }, 'Operation aborted', true],
    ['somebody cancelled it', 'read', { path: 'a' }, 'request was cancelled by the user', true],
  ])('does not fail where %s', (_, name, args, text, isError) => {
    expect(failed(name, args, text, isError)).toBeNull();
  });
});
