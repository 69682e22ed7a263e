import { Parser } from 'commonmark';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistant, compaction, entry, type Entry, HEADER, lines, toolResult, user } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';
import { runs } from '../../support/runs.js';

async function run(argv: readonly string[], ...parts: readonly Entry[]): Promise<string> {
  const [command = '', ...flags] = argv;
  const files = { 's.jsonl': lines(HEADER, ...parts) };
  const { exitCode, stdout } = await ctx([command, 's.jsonl', ...flags], { files });
  expect(exitCode).toBe(0);
  return stdout;
}

const show = (...parts: readonly Entry[]): Promise<string> => run(['show', '--conversation'], ...parts);
const markdown = (...parts: readonly Entry[]): Promise<string> => run(['export', '--format', 'markdown'], ...parts);

const call = (id: string, command: string): Entry => ({ type: 'toolCall', id, name: 'bash', arguments: { command } });
const thinking: Entry = { type: 'thinking', thinking: 'Hm.\nLet me see.' };
const said = (text: string): Entry => ({ type: 'text', text });
const output = (text: string, more: Entry = {}): Entry => ({ content: [said(text)], toolName: 'bash', ...more });

const TALK = [
  user('user0001', null, 'Run **all** tests.\nThen stop.'),
  assistant('answer01', 'user0001', [
    thinking,
    said('I run them.'),
    call('c1', 'npm test'),
    call('c2', 'cd /home/ada/weather && ls'),
  ]),
  toolResult('result01', 'answer01', 'c1', output('one failed\n\n64 passed', { isError: true })),
  toolResult('result02', 'result01', 'c2', output('')),
  assistant('answer02', 'result02', [said('# Result\n\nOne fails: `parse`.')]),
];

describe('ctx show --conversation', () => {
  it('has the words of both sides, and a line for each call with its result', async () => {
    expect(await show(...TALK)).toBe(`Run **all** tests. Then stop.
Pi · 2026-01-05 09:00 UTC · 1 turn · context ~64
~/weather · the-session

user  user0001  2026-01-05 09:00
  Run **all** tests.
  Then stop.

assistant  answer01  2026-01-05 09:00
  answer01  thinking, 2 lines: Hm.

  I run them.

  result01  bash npm test → failed, 2 lines: one failed
  result02  bash ls → no output

  # Result

  One fails: \`parse\`.

Lines with an id are folded. --full unfolds them all, ctx cat one:
  ctx cat s.jsonl result02
`);
  });

  it('is rendered on a terminal, where a folded line has one line', async () => {
    const files = { 's.jsonl': lines(HEADER, ...TALK, user('u2', 'answer02', 'x'.repeat(200))) };
    const { stdout } = await ctx(['show', 's.jsonl', '--conversation', '--no-pager'], {
      files,
      isTerminal: true,
      columns: 40,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toContain('  One fails: parse.\n');
    const folded = stdout.split('\n').filter((row) => row.startsWith('  result01'));
    expect(folded).toEqual(['  result01  bash npm test → failed, 2 l…']);
  });

  it('unfolds all with --full, as ctx log --full does for the entries that it selects', async () => {
    const full = await run(['show', '--conversation', '--full'], ...TALK);
    for (const words of ['Let me see.', 'one failed\n', '64 passed']) expect(full).toContain(words);
    const log = await run(['log', '--full'], ...TALK);
    expect(full.endsWith(`\n\n${log}`)).toBe(true);
    const results = await run(['log', '--full', '--role', 'toolResult'], ...TALK);
    expect(results).toMatch(/^ {2}result01 {2}bash npm test → failed, 2 lines\n {2}one failed\n/);
    expect(results).not.toContain('I run them.');
    for (const flag of ['--json', '--oneline', '--graph'])
      expect((await ctx(['log', 's.jsonl', '--full', flag], { files: { 's.jsonl': lines(HEADER) } })).exitCode).toBe(2);
  });

  it('pairs calls of several answers with results that follow them, and shows a call without one', async () => {
    const shown = await show(
      user('u1', null, 'go'),
      assistant('a1', 'u1', [call('c1', 'one')]),
      assistant('a2', 'a1', [call('c2', 'two'), call('c3', 'three')]),
      toolResult('r2', 'a2', 'c2', output('of two')),
      toolResult('r1', 'r2', 'c1', output('of one')),
      user('u2', 'r1', 'next'),
      toolResult('r3', 'u2', 'c3', output('too late')),
    );
    expect(shown).toContain('  r1  bash one → of one\n  r2  bash two → of two\n  a2  bash three → no result\n');
    expect(shown.match(/of two/g)).toHaveLength(1);
    expect(shown).toContain('  r3  bash → too late\n');
  });

  it('selects turns from the end, and ends at a revision', async () => {
    const talk = [user('u1', null, 'first'), user('u2', 'u1', 'second'), user('u3', 'u2', 'third')];
    const last = await run(['show', '--conversation', '-n', '2'], ...talk);
    expect(last).not.toContain('  first\n');
    expect(last).toContain('  second\n');
    const upTo = await run(['show', 'u2', '--conversation'], ...talk);
    expect(upTo).toContain('  second\n');
    expect(upTo).not.toContain('  third\n');
  });

  it('marks compactions, edits and other branches', async () => {
    const shown = await show(
      user('u1', null, 'root'),
      user('u2', 'u1', 'left'),
      user('u3', 'u1', 'right'),
      compaction('k1', 'u3', 'u3'),
      entry('context_edit', 'e1', 'k1', { targetId: 'u3', replacement: { content: 'after' } }),
    );
    expect(shown).toContain('  another branch from here: u2  left\n');
    expect(shown).toContain('user  u3  2026-01-05 09:00, edited by e1\n');
    expect(shown).toContain(
      'compaction  k1  2026-01-05 09:00\n  from here on the context keeps from u3, after a summary\n  k1  summary: what happened\n',
    );
    expect(shown).toContain('  e1  edit: replaces the content of u3\n');
  });

  it('folds what a client put into a message of the user', async () => {
    const text = '<system-reminder>\nToday is Monday.\n</system-reminder>\nFix it.';
    const shown = await show(user('u1', null, text));
    expect(shown).toContain('  Fix it.\n\n  u1  not typed, ');
    expect(await markdown(user('u1', null, text))).not.toContain('Monday');
    expect(await run(['export', '--format', 'markdown', '--full'], user('u1', null, text))).toContain('Monday');
  });
});

describe('ctx export --format markdown', () => {
  it('is a document: facts, turns with headings, rendered answers, folded calls', async () => {
    expect(await markdown(...TALK)).toBe(`# Run \\*\\*all\\*\\* tests. Then stop.

- **Agent**: Pi
- **Time**: 2026-01-05 09:00 UTC
- **Length**: 1 turn
- **Folder**: ~/weather
- **Session**: the-session

## User, 2026-01-05 09:00

Run **all** tests.\\
Then stop.

### Assistant, 2026-01-05 09:00

I run them.

<details>
<summary><code>bash</code> <code>npm test</code> → failed, 2 lines</summary>

\`\`\`
one failed

64 passed
\`\`\`

</details>

\`bash\` \`cd /home/ada/weather && ls\` → no output

#### Result

One fails: \`parse\`.
`);
  });

  it('has thinking and settings only with --full', async () => {
    const change = entry('model_change', 'm1', 'answer02', { provider: 'anthropic', modelId: 'claude-opus-4-5' });
    const parts = [...TALK, change];
    expect(await markdown(...parts)).not.toMatch(/Let me see|model change/);
    const full = await run(['export', '--format', 'markdown', '--full'], ...parts);
    expect(full).toContain('<summary>thinking, 2 lines</summary>\n\n```\nHm.\nLet me see.\n```');
    expect(full).toContain('model change: anthropic/claude-opus-4-5');
    expect(full).not.toContain('\\_');
  });

  it('is what ctx show --conversation prints in this format', async () => {
    expect(await run(['show', '--conversation', '--format', 'markdown'], ...TALK)).toBe(await markdown(...TALK));
  });

  it('has no empty block of code', async () => {
    const text = await markdown(
      user('u1', null, 'Go'),
      assistant('a1', 'u1', [said(''), said('\n'), call('c1', 'true')]),
      toolResult('r1', 'a1', 'c1', output('\n')),
    );
    expect(text).not.toContain('```');
  });
});

/** The kinds of the pieces of a document, and the texts of its HTML. */
function piecesOf(text: string): readonly string[] {
  const found = [];
  const walker = new Parser().parse(text).walker();
  for (let event = walker.next(); event; event = walker.next())
    if (event.entering && MARKUP.has(event.node.type)) found.push(event.node.literal ?? event.node.type);
  return found;
}

const MARKUP: ReadonlySet<string> = new Set(['html_block', 'html_inline', 'image']);
const OWN = /^(?:<details>\n<summary>(?:<(code|b)>[^<>]*<\/\1>|[^<>])*<\/summary>|<\/details>)$/;

const PIECES = [
  '```',
  '~~~',
  '````',
  '\n',
  '\n\n',
  '<script>alert(1)</script>',
  '<!--',
  '</details>',
  '</summary>',
  '<img src=x onerror=y>',
  '![a](http://x/y.png)',
  '[a](javascript:x)',
  'http://a.example',
  '# heading',
  '---',
  '| a | b |',
  '    indented',
  '> quote',
  '&lt;',
  '\u0000',
  '\u001b[31m',
  '\u202e',
  '\r',
  '\\',
  '`',
  '*',
  '_',
  'plain',
];
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join(''));

it('a conversation shows hostile text as text', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (one, other) => {
      const parts = [
        user('u1', null, one),
        entry('message', 'a1', 'u1', {
          message: {
            role: 'assistant',
            provider: other,
            model: one,
            stopReason: 'error',
            errorMessage: other,
            content: [
              { type: 'thinking', thinking: one },
              { type: 'text', text: other },
              { type: 'toolCall', id: 'c', name: other, arguments: { [one]: other } },
              { type: 'image', mimeType: one, data: other },
              { type: one, other },
            ],
          },
        }),
        entry('message', 'r1', 'a1', {
          message: { role: 'toolResult', toolCallId: 'c', toolName: other, isError: true, content: one },
        }),
        entry('message', 'b1', 'r1', { message: { role: 'bashExecution', command: one, output: other, exitCode: 1 } }),
        entry('session_info', 'n1', 'b1', { name: one }),
        entry('compaction', 'k1', 'n1', { summary: one, firstKeptEntryId: other }),
        entry('context_edit', 'e1', 'k1', { targetId: 'u1', replacement: { content: other } }),
        entry('custom_message', 'x1', 'e1', { customType: one, content: other }),
        entry(one, 'x2', 'x1', { [other]: one }),
      ];
      const text = await run(['export', '--format', 'markdown', '--full'], ...parts);
      const pieces = piecesOf(text);
      for (const piece of pieces) expect(piece).toMatch(OWN);
      // Folds follow one another, and none is within another.
      expect(pieces.filter((_, at) => at % 2 === 1).every((piece) => piece === '</details>')).toBe(true);
      for (const shown of [text, await show(...parts)]) expect(shown).not.toMatch(/[\u0000\u001b\u202e\r]/);
    }),
    { numRuns: runs(60) },
  );
});

it('an export ends at a revision, and leaves other branches out', async () => {
  const talk = [user('u1', null, 'root'), user('u2', 'u1', 'one'), user('u3', 'u1', 'other')];
  const stdout = await run(['export', '--at', 'u2'], ...talk);
  expect(stdout).toContain('root');
  expect(stdout).toContain('  one\n');
  expect(stdout).not.toContain('other\n');
});

it('a conversation is no JSON, and says which command has it', async () => {
  const files = { 's.jsonl': lines(HEADER, ...TALK) };
  const { exitCode, stdout, stderr } = await ctx(['show', 's.jsonl', '--conversation', '--json'], { files });
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(JSON.parse(stderr)).toMatchObject({ hint: expect.stringContaining('ctx log --json') });
});
