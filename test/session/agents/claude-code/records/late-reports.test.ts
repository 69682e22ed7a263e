import { expect, test } from 'vitest';
import { openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { ctx } from '../../../../support/memory-io.js';

const FILE = '/home/ada/.claude/projects/-work/5f0c7a10-0000-4000-8000-000000000001.jsonl';

interface Line {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly [key: string]: unknown;
}

const idOf = (letter: string): string => `${letter.repeat(8)}-0000-4000-8000-000000000000`;

function record(type: string, letter: string, parent: string | null, fields: object): Line {
  const uuid = idOf(letter);
  return {
    type,
    uuid,
    parentUuid: parent === null ? null : idOf(parent),
    isSidechain: false,
    version: '2.1.237',
    ...fields,
  };
}

const user = (letter: string, parent: string | null, text: string): Line =>
  record('user', letter, parent, { message: { role: 'user', content: text } });

function answer(letter: string, parent: string, text: string): Line {
  const usage = { input_tokens: 100, output_tokens: 5 };
  const content = [{ type: 'text', text }];
  const message = {
    id: `msg_${letter}`,
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content,
    stop_reason: 'end_turn',
    usage,
  };
  return record('assistant', letter, parent, { message });
}

const report = (letter: string, parent: string, subtype: string): Line => record('system', letter, parent, { subtype });

/** The numbers of seconds are those of the lines. */
const textOf = (lines: readonly Line[]): string =>
  lines
    .map(
      (line, at) =>
        `${JSON.stringify({ ...line, timestamp: new Date(1_790_000_000_000 + at * 1000).toISOString() })}\n`,
    )
    .join('');

async function wordsIn(lines: readonly Line[]): Promise<readonly unknown[]> {
  const session = await openSession(Buffer.from(textOf(lines)));
  const { messages } = buildEnvelope(session, session.tree.leaf);
  return messages.cached.map(({ content }) =>
    typeof content === 'string' ? content : (content as { text: string }[])[0]?.text,
  );
}

/** A turn whose reports are written with the next prompt, as children of the record before the request. */
const late = (...subtypes: readonly string[]): readonly Line[] => {
  const reports = subtypes.map((subtype, at) => report('def'[at]!, at === 0 ? 'a' : 'def'[at - 1]!, subtype));
  return [
    user('a', null, 'Count the doors.'),
    answer('b', 'a', 'There are four.'),
    ...reports,
    user('9', 'def'[subtypes.length - 1]!, 'And the windows?'),
    answer('8', '9', 'Seven.'),
  ];
};

test.each([[['api_error']], [['stop_hook_summary']], [['api_error', 'api_error', 'stop_hook_summary']]])(
  'an answer is in the requests after it, although its reports %j were written late',
  async (subtypes) => {
    const lines = late(...subtypes);
    expect(await wordsIn(lines)).toEqual(['Count the doors.', 'There are four.', 'And the windows?', 'Seven.']);
    const { stdout } = await ctx(['cache', FILE, '--each', '--json'], { files: { [FILE]: textOf(lines) } });
    expect(stdout.match(/"schema":"ctx\/cache-request"/g)).toHaveLength(2);
    const { problems } = await openSession(Buffer.from(textOf(lines)));
    expect(problems).toMatchObject([{ code: 'late-report', severity: 'warning', line: 3 }]);
  },
);

test('a report that follows its answer moves nothing', async () => {
  const lines = [
    user('a', null, 'Count the doors.'),
    answer('b', 'a', 'There are four.'),
    report('d', 'b', 'stop_hook_summary'),
    user('9', 'd', 'And the windows?'),
  ];
  expect(await wordsIn(lines)).toEqual(['Count the doors.', 'There are four.', 'And the windows?']);
  expect((await openSession(Buffer.from(textOf(lines)))).problems).toEqual([]);
});

test('a prompt that went back before an answer stays a branch, also where its request was tried again', async () => {
  const lines = [
    user('a', null, 'Count the doors.'),
    answer('b', 'a', 'There are four.'),
    user('c', 'b', 'And the windows?'),
    answer('e', 'c', 'Seven.'),
    user('9', 'b', 'Count the roofs.'),
    report('d', '9', 'api_error'),
    answer('8', 'd', 'One.'),
  ];
  expect(await wordsIn(lines)).toEqual(['Count the doors.', 'There are four.', 'Count the roofs.', 'One.']);
});
