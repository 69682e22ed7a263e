import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { opened } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';

type Row = Readonly<Record<string, unknown>>;
const HEADER = {
  sessionId: 'ab12cd34-0000-4000-8000-000000000009',
  projectHash: 'f'.repeat(64),
  startTime: '2026-06-01T08:00:00.000Z',
  kind: 'main',
};
const LOG = 'A line of the build log.\n'.repeat(900);
const time = (second: number): string => new Date(Date.parse('2026-06-01T08:00:00.000Z') + second * 1000).toISOString();

const user = (id: string, second: number, text: string): Row => ({
  id,
  timestamp: time(second),
  type: 'user',
  content: [{ text }],
});
function answer(
  id: string,
  second: number,
  { input, text = '', output }: { readonly input: number; readonly text?: string; readonly output?: string },
): Row {
  const tokens = { input, output: 20, cached: 0, thoughts: 0, tool: 0, total: input + 20 };
  const result = [{ functionResponse: { id: `c-${id}`, name: 'run', response: { output } } }];
  const toolCalls =
    output === undefined
      ? {}
      : { toolCalls: [{ id: `c-${id}`, name: 'run', args: { cmd: 'make' }, result, status: 'success' }] };
  return {
    id,
    timestamp: time(second),
    type: 'gemini',
    content: text,
    tokens,
    model: 'gemini-2.5-flash',
    ...toolCalls,
  };
}
const info = (id: string, second: number, content: string): Row => ({
  id,
  timestamp: time(second),
  type: 'info',
  content,
});

const lines = (rows: readonly Row[]): string => [HEADER, ...rows].map((row) => `${JSON.stringify(row)}\n`).join('');
const document = (messages: readonly Row[]): string => JSON.stringify({ ...HEADER, messages });

async function shown(file: string, revision = 'HEAD'): Promise<readonly string[]> {
  const name = file.includes('"messages"') ? 's.json' : 's.jsonl';
  const { stdout } = await ctx(['show', name, revision, '--json'], { files: { [name]: file } });
  const { messages } = JSON.parse(stdout) as {
    readonly messages: { readonly cached: readonly { readonly content: readonly { readonly text?: string }[] }[] };
  };
  return messages.cached.map(({ content }) =>
    content
      .map(({ text }) => text ?? 'call')
      .join(' ')
      .slice(0, 40),
  );
}

describe('A result that the client masked later', () => {
  const masked = [
    user('u1', 0, 'Build it.'),
    answer('g1', 1, { input: 7000, output: LOG }),
    answer('g2', 2, { input: 13_000, text: 'It builds.' }),
    user('u2', 3, 'Again?'),
    answer('g1', 1, { input: 7000, output: '<masked>' }),
    answer('g3', 5, { input: 7200, text: 'It still does.' }),
  ];

  test('has its text in the requests before, and the later one after', async () => {
    const file = lines(masked);
    expect(await shown(file, '@{request:2}')).toEqual(['Build it.', 'call', LOG.slice(0, 40)]);
    expect(await shown(file)).toEqual(['Build it.', 'call', '<masked>', 'It builds.', 'Again?', 'It still does.']);
    const found = await ctx(['grep', 'build log', 's.jsonl', '--where', 'hidden'], { files: { 's.jsonl': file } });
    expect(found.stdout).toContain('build log');
  });

  test('may be masked twice, and an equal record changes nothing', async () => {
    const again = [...masked, masked[4]!, answer('g1', 1, { input: 7000, output: '<gone>' }), user('u3', 9, 'Why?')];
    const session = await opened(lines(again));
    expect([...session.tree.heads].filter(({ type }) => type === 'context_edit')).toHaveLength(2);
    expect((await shown(lines(again)))[2]).toBe('<gone>');
  });

  test('is the same message while its calls still run', async () => {
    const running = [
      masked[0]!,
      answer('g1', 1, { input: 7000, output: 'half' }),
      answer('g1', 1, { input: 7000, output: 'whole' }),
    ];
    const session = await opened(lines(running));
    expect([...session.tree.heads].some(({ type }) => type === 'context_edit')).toBe(false);
    expect(await shown(lines(running))).toEqual(['Build it.', 'call', 'whole']);
  });
});

describe('A compression that only a notice records', () => {
  const before = [
    user('u1', 0, 'Build it.'),
    answer('g1', 1, { input: 7000, output: LOG }),
    answer('g2', 2, { input: 13_000, text: 'It builds.' }),
  ];
  const after = [user('u2', 4, 'Ship it.'), answer('g3', 5, { input: 8100, text: 'Shipped.' })];
  const notices = [
    'Context compressed from 62% to 4%.',
    'This conversation exceeded the compress threshold. A compressed context will be sent for future messages (compressed from: 13020 to 8000 tokens).',
  ];

  test.each(
    notices.flatMap(
      (notice) =>
        [
          [lines, notice],
          [document, notice],
        ] as const,
    ),
  )('hides the messages before it: %#', async (write, notice) => {
    const file = write([...before, info('i1', 3, notice), ...after]);
    expect(await shown(file)).toEqual([expect.stringContaining('[the client compressed'), 'Ship it.', 'Shipped.']);
    const name = write === lines ? 's.jsonl' : 's.json';
    const files = { [name]: file };
    expect((await ctx(['show', name], { files })).stdout).toContain('approximate: messages, compactions');
    expect((await ctx(['loss', name], { files })).stdout).not.toContain('nothing was lost');
    expect((await ctx(['cache', name], { files })).stdout).toMatch(/compaction +1 /);
    expect(await shown(file, '@{request:3}~3')).not.toEqual([]);
  });

  test('keeps the message of the user that it was sent with', async () => {
    const file = lines([...before, after[0]!, info('i1', 4, notices[0]!), after[1]!]);
    expect(await shown(file)).toEqual([expect.stringContaining('[the client compressed'), 'Ship it.', 'Shipped.']);
  });

  test('is not made of a notice that nothing became smaller, or of words of the user', async () => {
    const file = lines([...before, info('i1', 3, 'Context compressed from 4% to 6%.'), user('u2', 4, notices[0]!)]);
    expect(await shown(file)).toHaveLength(5);
  });

  test.each(['before', 'after'])('is the list of messages where it is recorded %s the notice', async (place) => {
    const list = { $set: { messages: [user('s', 3, 'Summary: it builds.')] } };
    const notice = info('i1', 3, notices[0]!);
    const file = lines([...before, ...(place === 'before' ? [list, notice] : [notice, list]), ...after]);
    expect(await shown(file)).toEqual(['Summary: it builds.', 'Ship it.', 'Shipped.']);
    const { stdout } = await ctx(['show', 's.jsonl'], { files: { 's.jsonl': file } });
    expect(stdout).not.toContain('approximate');
  });

  test('without a notice is a warning', async () => {
    const files = {
      's.json': document([...before, ...after.slice(0, 1), answer('g3', 5, { input: 3000, text: 'Shipped.' })]),
    };
    expect((await ctx(['show', 's.json'], { files })).stdout).toMatch(/the model did not see all of these messages/);
  });
});

test.each(['file', 'hash'])('latest:gemini is the newest session of the project, by its %s', async (by) => {
  const chat = (project: string, text: string): Readonly<Record<string, string>> => {
    const cwd = `/work/${project}`;
    const projectHash = by === 'hash' ? createHash('sha256').update(cwd).digest('hex') : HEADER.projectHash;
    const folder = `/home/ada/.gemini/tmp/${project}`;
    const root = by === 'file' ? { [`${folder}/.project_root`]: `${cwd}\n` } : {};
    return {
      ...root,
      [`${folder}/chats/session-2026-06-01T08-00-${project}.json`]: JSON.stringify({
        ...HEADER,
        projectHash,
        messages: [user('u', 0, text)],
      }),
    };
  };
  const files = { ...chat('one', 'In one'), ...chat('two', 'In two') };
  const named = async (cwd: string): Promise<string> =>
    (await ctx(['show', 'latest:gemini'], { files, cwd })).stdout.split('\n')[0] ?? '';
  expect(await named('/work/one')).toBe('In one');
  expect(await named('/work/two')).toBe('In two');
  expect(await named('/work/three')).toBe('In two');
});

describe('A result of a list that replaced all messages', () => {
  const listed = [user('u1', 0, 'Build it.'), answer('g1', 1, { input: 7000, output: LOG })];
  const rows = [
    user('u0', 0, 'Hello.'),
    { $set: { messages: listed } },
    user('u2', 3, 'Again?'),
    answer('g2', 4, { input: 7100, text: 'It builds.' }),
  ];
  const masked = answer('g1', 1, { input: 7000, output: '<masked>' });
  const start = LOG.slice(0, 40);

  test('is masked from the record on that comes again after later messages', async () => {
    const file = lines([...rows, masked, user('u3', 6, 'And now?')]);
    const before = ['Build it.', 'call', '<masked>', 'Again?', 'It builds.'];
    expect(await shown(file)).toEqual([...before, 'And now?']);
    expect(await shown(file, '@{request:1}')).toEqual(['Build it.', 'call', start, 'Again?']);
  });

  test('may be masked again, with those after the list, and equal records change nothing', async () => {
    const gone = answer('g1', 1, { input: 7000, output: '<gone>' });
    const third = answer('g3', 7, { input: 7200, output: LOG });
    const all = [
      ...rows,
      masked,
      third,
      user('u4', 8, 'Why?'),
      gone,
      answer('g3', 7, { input: 7200, output: '<short>' }),
    ];
    const expected = ['Build it.', 'call', '<gone>', 'Again?', 'It builds.', 'call', '<short>', 'Why?'];
    expect(await shown(lines(all))).toEqual(expected);
    const { tree } = await opened(lines([...rows, listed[1]!, listed[0]!]));
    expect([...tree.heads].filter(({ type }) => type === 'context_transform')).toHaveLength(1);
  });
});
