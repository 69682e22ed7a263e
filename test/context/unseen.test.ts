import { describe, expect, test } from 'vitest';
import { ctx } from '../support/memory-io.js';

type Line = Readonly<Record<string, unknown>>;
const SHOWN = 'The third service wrote an error about its lease to the log. ';

/** A session of turns, each with the text of the user and the recorded prompt of the answer. */
function session(
  turns: readonly (readonly [text: string, prompt: number, more?: Line])[],
  between: Line[] = [],
): string {
  const lines: Line[] = [{ type: 'session', version: 3, id: 's', timestamp: '2026-05-06T10:00:00.000Z', cwd: '/srv' }];
  let parentId: string | null = null;
  const add = (entry: Line): void => {
    const id = `e${lines.length}`;
    lines.push({ id, parentId, timestamp: '2026-05-06T10:00:00.000Z', ...entry });
    parentId = id;
  };
  for (const [at, [text, input, more = {}]] of turns.entries()) {
    add({ type: 'message', message: { role: 'user', content: text, timestamp: 0 } });
    const usage = { input, output: 40, cacheRead: 0, cacheWrite: 0, totalTokens: input + 40 };
    const by = { api: 'openai-completions', provider: 'ollama', model: 'gemma3:4b', stopReason: 'stop', timestamp: 0 };
    add({
      type: 'message',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }], ...by, usage, ...more },
    });
    if (at === 0) for (const entry of between) add(entry);
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const texts = (tokens: number): string => SHOWN.repeat(Math.ceil((tokens * 4) / SHOWN.length));

async function findings(file: string): Promise<readonly string[]> {
  const { stdout } = await ctx(['check', 's.jsonl', '--json'], { files: { 's.jsonl': file } });
  const { files } = JSON.parse(stdout) as { readonly files: readonly { readonly findings: readonly Finding[] }[] };
  const all = files.flatMap(({ findings: found }) => found);
  return all.flatMap(({ rule, message, entryId }) => (rule === 'unseen-messages' ? [`${entryId} ${message}`] : []));
}

interface Finding {
  readonly rule: string;
  readonly message: string;
  readonly entryId: string;
}

describe('A recorded prompt that is smaller than its messages', () => {
  test('is a warning of show, status, check and report', async () => {
    const file = session([
      [texts(3500), 2048],
      [texts(2000), 2011],
      [texts(2500), 2040],
    ]);
    const files = { 's.jsonl': file };
    const shown = await ctx(['show', 's.jsonl', '--json'], { files });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      meta: {
        unseen: { entryId: 'e6', reason: 'smaller', promptTokens: 2040, requests: 3 },
        size: { notItemised: null },
      },
    });
    const text = /the model did not see all of these messages:\s+the\s+provider\s+counted\s+2,040\s+tokens/;
    expect((await ctx(['show', 's.jsonl'], { files })).stdout).toMatch(text);
    expect((await ctx(['show', 's.jsonl'], { files })).stdout).not.toContain('not recorded');
    expect((await ctx(['status', 's.jsonl'], { files })).stdout).toMatch(text);
    expect(JSON.parse((await ctx(['status', 's.jsonl', '--json'], { files })).stdout)).toMatchObject({
      unseen: { promptTokens: 2040 },
    });
    const [found, ...others] = await findings(file);
    expect(found).toMatch(/^e6 the model did not see .* as of 2 requests before it$/);
    expect(others).toEqual([]);
    const report = await ctx(['report', 's.jsonl', '--output', 'r.html'], { files });
    expect(Buffer.from(report.files['r.html'] ?? []).toString()).toContain(
      'the model did not see all of these messages',
    );
  });

  test.each<[string, Parameters<typeof session>[0], RegExp]>([
    [
      'constant, though messages were added',
      [
        ['One', 4096],
        [texts(700), 4096],
      ],
      /4,096 tokens for this prompt and for the one/,
    ],
    [
      'much smaller than the one before it',
      [
        ['One', 60_000],
        ['Two', 31_000],
      ],
      /the prompt fell from 60,000 to 31,000 tokens/,
    ],
    [
      'much smaller than one before it, and grew again',
      [
        ['One', 60_000],
        ['Two', 9000],
        ['Three', 9100],
      ],
      /fell from 60,000 to 9,000/,
    ],
  ])('is %s', async (_, turns, text) => {
    expect(await findings(session(turns))).toEqual([expect.stringMatching(text)]);
  });

  test.each<[string, Parameters<typeof session>[0], Line[]?]>([
    ['the prompt has what the texts have at least', [[texts(5000), 3600]]],
    ['only spaces and encoded data are more', [[`${' '.repeat(40_000)}${'aB3d'.repeat(20_000)}`, 900]]],
    [
      'little was added',
      [
        ['One', 4096],
        ['Two', 4096],
      ],
    ],
    [
      'another model counted',
      [
        ['One', 60_000],
        ['Two', 30_000, { model: 'gemma3:27b' }],
      ],
    ],
    [
      'the prompt fell by less than thinking takes',
      [
        ['One', 60_000],
        ['Two', 41_000],
      ],
    ],
    [
      'a compaction is between them',
      [
        ['One', 60_000],
        ['Two', 9000],
      ],
      [{ type: 'compaction', summary: 'One.', firstKeptEntryId: 'e2', tokensBefore: 60_040 }],
    ],
    [
      'an edit is between them',
      [
        [texts(9000), 13_000],
        ['Two', 2500],
      ],
      [{ type: 'context_edit', targetId: 'e1', replacement: { content: 'Cleared.' } }],
    ],
  ])('is none where %s', async (_, turns, between) => {
    expect(await findings(session(turns, between))).toEqual([]);
  });

  test('is forgotten where a larger window sees all again', async () => {
    const file = session([
      [texts(3500), 2048],
      [texts(500), 6000],
    ]);
    const { stdout } = await ctx(['show', 's.jsonl', '--json'], { files: { 's.jsonl': file } });
    expect(JSON.parse(stdout)).toMatchObject({ meta: { unseen: null } });
    expect(await findings(file)).toEqual([expect.stringContaining('2,048')]);
  });
});

test('recorded tokens that do not fit in the context window are a warning of show and status', async () => {
  const files = { 's.jsonl': session([['Which service?', 48_000]]) };
  for (const command of ['show', 'status']) {
    const shown = async (limit: string) => (await ctx([command, 's.jsonl', '--limit', limit], { files })).stdout;
    expect(words(await shown('48039'))).toContain(
      'the recorded 48,040 tokens of a request are more than the context window of 48,039 that you set',
    );
    expect(await shown('48040')).not.toContain('more than the context window');
  }
});

function words(page: string): string {
  return page.replaceAll(/\s+/g, ' ');
}
