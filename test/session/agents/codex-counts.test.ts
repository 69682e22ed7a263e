import { describe, expect, test } from 'vitest';
import { ctx } from '../../support/memory-io.js';

const FILE =
  '/home/ada/.codex/sessions/2025/10/02/rollout-2025-10-02T08-00-00-0199a3d0-0000-7000-8000-0000000000c1.jsonl';

/** Writes the lines of a rollout, in which each count continues the totals of those before. */
class Rollout {
  private readonly lines: string[] = [];
  private total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  private written: object[] = [];

  constructor(version: string | undefined) {
    this.line('session_meta', { id: '0199a3d0-0000-7000-8000-0000000000c1', cli_version: version });
    this.line('turn_context', { model: 'gpt-5-codex' });
  }

  line(type: string, payload: object): this {
    const timestamp = new Date(Date.parse('2025-10-02T08:00:00Z') + this.lines.length * 1000).toISOString();
    this.lines.push(JSON.stringify({ timestamp, type, payload }));
    return this;
  }

  private message(role: string, type: string, text: string): this {
    return this.line('response_item', { type: 'message', role, content: [{ type, text }] });
  }

  user(text: string): this {
    return this.message('user', 'input_text', text);
  }

  says(text: string): this {
    return this.message('assistant', 'output_text', text);
  }

  calls(id: string): this {
    return this.line('response_item', { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }).line(
      'response_item',
      { type: 'function_call', name: 'shell', arguments: '{"command":["pwd"]}', call_id: id },
    );
  }

  results(id: string): this {
    return this.line('response_item', { type: 'function_call_output', call_id: id, output: '/srv' });
  }

  /** A request whose count is not written. */
  spends(input: number, output: number): object {
    const last = {
      input_tokens: input,
      cached_input_tokens: input - 100,
      output_tokens: output,
      total_tokens: input + output,
    };
    for (const [key, tokens] of Object.entries(last)) this.total[key as keyof typeof last] += tokens;
    const info = { total_token_usage: { ...this.total }, last_token_usage: last, model_context_window: 272_000 };
    return { type: 'token_count', info };
  }

  counts(input: number, output: number): this {
    const count = this.spends(input, output);
    this.written.push(count);
    return this.line('event_msg', count);
  }

  /** Repeats a count: the newest one, or an earlier one. */
  repeats(at = -1): this {
    return this.line('event_msg', this.written.at(at) ?? {});
  }

  get files(): Readonly<Record<string, string>> {
    return { [FILE]: this.lines.map((line) => `${line}\n`).join('') };
  }
}

interface Logged {
  readonly type: string;
  readonly role: string | null;
  readonly preview: string;
  readonly usage: {
    readonly input: number;
    readonly cacheRead: number;
    readonly output: number;
    readonly isDerived?: true;
  } | null;
}

async function logged({ files }: Rollout): Promise<readonly Logged[]> {
  const { stdout } = await ctx(['log', FILE, '--json'], { files });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Logged);
}

/** The last word of each answer with the prompt and the output of its request, and those of requests without an answer. */
async function countsOf(rollout: Rollout): Promise<readonly unknown[]> {
  return (await logged(rollout)).flatMap(({ type, role, preview, usage }) => {
    if (role !== 'assistant' && type !== 'usage') return [];
    const name = type === 'usage' ? 'none' : (preview.split(' ').at(-1) ?? '');
    return [[name, usage && usage.input + usage.cacheRead, usage && usage.output]];
  });
}

async function totalsOf({ files }: Rollout): Promise<unknown> {
  const { stdout } = await ctx(['stats', FILE, '--json'], { files });
  const { usageRecorded } = JSON.parse(stdout) as {
    readonly usageRecorded: { readonly calls: number; readonly total: number };
  };
  return [usageRecorded.calls, usageRecorded.total];
}

describe('A count belongs to the answer', () => {
  test.each(['0.39.0', '0.46.0-alpha.3', '0.55.2', '0.66.0', undefined])(
    'after it, as version %s writes it',
    async (version) => {
      const rollout = new Rollout(version);
      rollout.user('Where?').counts(3100, 40).calls('c1').results('c1').repeats();
      rollout.counts(3400, 12).calls('c2').results('c2').counts(3900, 25).says('There');
      rollout.user('And now?').repeats().counts(4200, 9).says('Here');
      expect(await countsOf(rollout)).toEqual([
        ['pwd', 3100, 40],
        ['pwd', 3400, 12],
        ['There', 3900, 25],
        ['Here', 4200, 9],
      ]);
      const shown = await ctx(['show', FILE, '@{request:2}', '--json'], { files: rollout.files });
      expect(JSON.parse(shown.stdout)).toMatchObject({ meta: { size: { tokens: 3400, method: 'recorded' } } });
    },
  );

  test.each(['0.55.0', '0.63.0', '0.77.0', '1.2.0', undefined])('before it, in version %s', async (version) => {
    const rollout = new Rollout(version);
    rollout.user('Where?').calls('c1').results('c1').counts(3100, 40).repeats();
    rollout.calls('c2').counts(3400, 12).results('c2').says('There').counts(3900, 25);
    expect(await countsOf(rollout)).toEqual([
      ['pwd', 3100, 40],
      ['pwd', 3400, 12],
      ['There', 3900, 25],
    ]);
  });

  test('before it, where a newer version continued the rollout of an old one', async () => {
    const rollout = new Rollout('0.41.0');
    rollout.user('Where?').counts(3100, 40).says('There');
    rollout.user('And now?').says('Here').counts(3300, 14);
    rollout.user('Really?').calls('c1').results('c1').counts(3500, 15).says('Yes').counts(3600, 16);
    expect(await countsOf(rollout)).toEqual([
      ['There', 3100, 40],
      ['Here', 3300, 14],
      ['pwd', 3500, 15],
      ['Yes', 3600, 16],
    ]);
  });

  test('and that of a compaction to none', async () => {
    const rollout = new Rollout('0.44.0');
    rollout.user('Where?').counts(90_000, 40).calls('c1').results('c1').counts(95_000, 600);
    rollout.line('compacted', { message: 'They asked where.' }).counts(5000, 20).says('There');
    expect(await countsOf(rollout)).toEqual([
      ['pwd', 90_000, 40],
      ['none', 95_000, 600],
      ['There', 5000, 20],
    ]);
  });

  test('also if the answer was cut off, and the next one was counted', async () => {
    const rollout = new Rollout('0.50.0');
    rollout.user('Where?').counts(3100, 40).calls('c1');
    rollout.line('event_msg', { type: 'turn_aborted', reason: 'interrupted' });
    rollout.user('Stop').counts(3300, 9).says('Stopped');
    expect(await countsOf(rollout)).toEqual([
      ['pwd', 3100, 40],
      ['Stopped', 3300, 9],
    ]);
  });
});

describe('A request is counted once', () => {
  test.each(['0.52.0', '0.98.0'])(
    'if its count is written again after those of others, as after a review: %s',
    async (version) => {
      const rollout = new Rollout(version);
      const answer = (input: number, text: string): void => {
        if (version === '0.52.0') rollout.counts(input, 11).says(text);
        else rollout.says(text).counts(input, 11);
      };
      rollout.user('One');
      answer(2000, 'First');
      rollout.user('Two');
      answer(2100, 'Second');
      rollout.repeats(0).repeats(1).user('Three').repeats(0);
      answer(2200, 'Third');
      rollout.repeats(0);
      expect(await countsOf(rollout)).toEqual([
        ['First', 2000, 11],
        ['Second', 2100, 11],
        ['Third', 2200, 11],
      ]);
      expect(await totalsOf(rollout)).toEqual([3, 6333]);
    },
  );
});

test('A rollout that a version with records of usage continued has the requests before them, and each once', async () => {
  const rollout = new Rollout('0.140.0');
  rollout.user('One').says('First').counts(2000, 11).user('Two').says('Second').counts(2100, 12);
  rollout.user('Three').says('Third');
  const usage = { input_tokens: 2300, cached_input_tokens: 2200, output_tokens: 13, total_tokens: 2313 };
  rollout.line('token_usage_record', { response_id: 'resp_3', usage }).counts(2300, 13).repeats();
  expect(await countsOf(rollout)).toEqual([
    ['First', 2000, 11],
    ['Second', 2100, 12],
    ['Third', 2300, 13],
  ]);
});

test.each(['REDACTED', '[redacted by export]'])(
  'A replaced original of thinking is no signature: %s',
  async (encrypted_content) => {
    const rollout = new Rollout('0.140.0').user('Where?');
    for (const id of ['c1', 'c2']) {
      rollout.line('response_item', { type: 'reasoning', summary: [], encrypted_content });
      const call = { type: 'function_call', name: 'shell', arguments: '{}', call_id: id };
      rollout
        .line('response_item', call)
        .results(id)
        .counts(2000 + Number(id[1]), 9);
    }
    const { stdout, exitCode } = await ctx(['check', FILE], { files: rollout.files });
    // The provider refuses it all the same, but no rule takes it for a signature of thinking.
    expect(stdout).toContain('cannot go on: thinking has no valid signature');
    expect(stdout).toContain('1 error in 1 session');
    expect(exitCode).toBe(1);
  },
);

describe('The tokens of an interrupted answer', () => {
  const interrupted = (more: (rollout: Rollout) => void): Rollout => {
    const rollout = new Rollout('0.150.0');
    rollout.user('Where?').says('There').counts(3100, 40);
    rollout.user('Wait').calls('c1').results('c1').line('event_msg', { type: 'turn_aborted', reason: 'interrupted' });
    more(rollout);
    return rollout.user('Go on').says('Done').counts(3600, 16);
  };

  test('follow from the totals around it, and say so', async () => {
    const rollout = interrupted((each) => each.spends(3300, 21));
    const entries = await logged(rollout);
    const own = entries.find(({ preview, role }) => role === 'assistant' && preview.includes('pwd'));
    expect(own?.usage).toMatchObject({ input: 100, cacheRead: 3200, output: 21, isDerived: true });
    expect(entries.filter(({ usage }) => usage?.isDerived)).toHaveLength(1);
    expect(await totalsOf(rollout)).toEqual([3, 10_077]);
    const { files } = rollout;
    const size = await ctx(['show', FILE, '@{request:3}'], { files });
    expect(size.stdout).toMatch(/^ {2}3,600 tokens: recorded/m);
    const log = await ctx(['log', FILE], { files, columns: 200 });
    expect(log.stdout).toMatch(/~3,321 +~3,321 .*shell pwd/);
    const id = /(\w{8}) +assistant .*shell pwd/.exec(log.stdout)?.[1] ?? '';
    const at = await ctx(['show', FILE, id], { files });
    expect(at.stdout).toMatch(/3,321 tokens: derived from the totals/);
    const entry = await ctx(['cat', FILE, id], { files });
    expect(entry.stdout).toMatch(/^derived from recorded totals: 3,321 tokens: 100 in/m);
  });

  test('are of no answer where several were interrupted', async () => {
    const rollout = interrupted((each) => {
      each.spends(3300, 21);
      each.user('No').says('Wait').line('event_msg', { type: 'turn_aborted', reason: 'interrupted' }).spends(3400, 5);
    });
    expect(await countsOf(rollout)).toEqual([
      ['There', 3100, 40],
      ['pwd', null, null],
      ['Wait', null, null],
      ['Done', 3600, 16],
      ['none', 6700, 26],
    ]);
    expect(await totalsOf(rollout)).toEqual([3, 13_482]);
  });

  test('are unknown where the totals did not grow', async () => {
    const rollout = interrupted(() => undefined);
    expect(await countsOf(rollout)).toEqual([
      ['There', 3100, 40],
      ['pwd', null, null],
      ['Done', 3600, 16],
    ]);
    expect(await totalsOf(rollout)).toEqual([2, 6756]);
  });
});
