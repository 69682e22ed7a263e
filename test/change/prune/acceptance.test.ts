import { describe, expect, it } from 'vitest';
import { collectFacts } from '#analysis/facts/facts.js';
import { PRUNE_FORMS } from '#change/prune/forms.js';
import { formatPacket, PACKET_TITLE } from '#change/prune/packet.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { sessionIn, statedFactsOf } from '../../support/facts.js';
import { ctx, type Ran } from '../../support/memory-io.js';
import { tried } from '../../support/runs.js';

type Json = Readonly<Record<string, unknown>>;

const NOW = Date.UTC(2026, 2, 2, 18);

function pruned(text: string, ...args: readonly string[]): Promise<Ran> {
  return ctx(['prune', 's.jsonl', '--yes', ...args], { files: { 's.jsonl': text }, now: NOW });
}

function textOf({ files }: Ran): string {
  return Buffer.from(files['s.jsonl'] ?? '').toString();
}

interface Context {
  readonly messages: readonly Json[];
  /** The entry of each message. */
  readonly from: readonly (string | null)[];
  readonly tokens: number;
}

async function contextOf(text: string): Promise<Context> {
  const { stdout } = await ctx(['show', 's.jsonl', '--json'], { files: { 's.jsonl': text } });
  const { messages, meta } = JSON.parse(stdout) as {
    messages: { cached: Json[] };
    meta: { provenance: { entryId: string | null }[]; tokens: { total: number } };
  };
  return { messages: messages.cached, from: meta.provenance.map(({ entryId }) => entryId), tokens: meta.tokens.total };
}

function said(messages: readonly Json[]): string {
  return JSON.stringify(messages);
}

function packetsIn({ messages }: Context): readonly Json[] {
  return messages.filter((message) => said([message]).includes(PACKET_TITLE));
}

/** What a tool shows, long enough to be worth shortening. */
function listing(name: string): string {
  return Array.from({ length: 130 }, (_, at) => `${name}: the entry number ${at} of a long list`).join('\n');
}

/** One turn: a question, a call with a long result, an answer. */
function turn(log: Log, nth: number): Log {
  return log
    .user(`u${nth}`, `Please write report ${nth}.`)
    .tool(`t${nth}`, 'survey', { area: `area-${nth}` }, listing(`survey-${nth}`))
    .assistant(`a${nth}`, `Report ${nth} is written.`);
}

function talk(turns: number, begin = new Log('talk')): string {
  let log = begin;
  for (let nth = 1; nth <= turns; nth += 1) log = turn(log, nth);
  return log.text();
}

describe('turns', () => {
  it('go as a whole: no question and no answer of an older one stays behind', async () => {
    const { messages, from } = await contextOf(
      textOf(await pruned(talk(6), '--strategy', 'turns', '--recent-turns', '2', '--as', 'context_edit')),
    );
    expect(from.filter((id) => !id?.startsWith('d'))).toEqual(
      [5, 6].flatMap((nth) => [`u${nth}`, `t${nth}`, `t${nth}r`, `a${nth}`]),
    );
    for (const nth of [1, 2, 3, 4]) expect(said(messages)).not.toContain(`survey-${nth}:`);
  });

  it.each(['yellow', 'red', 'compact'])('keep the newest one byte for byte in zone %s', async (zone) => {
    const text = talk(9);
    const before = await contextOf(text);
    const after = await contextOf(textOf(await pruned(text, '--zone', zone)));
    const begin = after.messages.findIndex((message) => message['content'] === 'Please write report 9.');
    expect(said(after.messages.slice(begin))).toBe(said(before.messages.slice(-4)));
    expect(after.tokens).toBeLessThan(before.tokens);
  });

  it('that stay and are old have their long results shortened, and nothing else', async () => {
    const text = talk(7);
    const before = await contextOf(text);
    const ran = await pruned(text, '--strategy', 'turns,distill', '--recent-turns', '4', '--as', 'context_edit');
    const after = await contextOf(textOf(ran));
    const wasShortened = (id: string): boolean => {
      const [old, now] = [before, after].map(({ from, messages }) => said([messages[from.indexOf(id)] ?? {}]));
      return old !== now;
    };
    const kept = after.from.filter((id): id is string => id !== null && !id.startsWith('d'));
    expect(kept.filter(wasShortened)).toEqual(['t4r', 't5r']);
    expect(kept).toContain('t6r');
    expect(said(after.messages)).toContain('sha256');
  });

  it('get fewer from zone to zone', async () => {
    const kept = await Promise.all(
      ['yellow', 'red', 'compact'].map(async (zone) => {
        const { messages } = await contextOf(textOf(await pruned(talk(14), '--zone', zone)));
        return messages.filter((message) => said([message]).includes('write report') && message['role'] === 'user')
          .length;
      }),
    );
    // One of them is the packet, which names what was asked for before.
    expect(kept).toEqual([5, 3, 2]);
  });

  it.each(PRUNE_FORMS)('stay in order, each result right behind its call (%s)', async (form) => {
    let log = new Log('groups');
    for (let nth = 1; nth <= 8; nth += 1) {
      const ids = [`one-${nth}`, `two-${nth}`];
      const content = ids.map((id) => ({ type: 'toolCall', id, name: 'survey', arguments: { area: id } }));
      log = log
        .user(`u${nth}`, `Please write report ${nth}.`)
        .assistant(`c${nth}`, '', { content, stopReason: 'toolUse' });
      for (const id of ids)
        log = log.message(id, {
          role: 'toolResult',
          toolCallId: id,
          toolName: 'survey',
          content: [{ type: 'text', text: listing(id) }],
          isError: false,
        });
      log = log.assistant(`a${nth}`, `Report ${nth} is written.`);
    }
    for (const zone of ['yellow', 'red', 'compact']) {
      const { messages } = await contextOf(textOf(await pruned(log.text(), '--zone', zone, '--as', form)));
      let calls: readonly unknown[] = [];
      let last = 0;
      for (const message of messages.filter((each) => !said([each]).includes(PACKET_TITLE))) {
        expect(message['timestamp'] as number).toBeGreaterThanOrEqual(last);
        last = message['timestamp'] as number;
        if (message['role'] === 'toolResult') {
          expect(message['toolCallId']).toBe(calls[0]);
          calls = calls.slice(1);
          continue;
        }
        expect(calls).toEqual([]);
        const content = message['content'] as readonly Json[];
        if (message['role'] === 'assistant')
          calls = content.flatMap(({ type, id }) => (type === 'toolCall' ? [id] : []));
      }
      expect(calls).toEqual([]);
    }
  });
});

const SUMMARY = [
  '## Goal\nPrint dates in UTC.',
  '## Constraints & Preferences\n- Never touch src/legacy.js',
  '## Progress\n### In Progress\n- [ ] Write the changelog\n### Blocked\n- The release key has expired',
  '## Key Decisions\n- **No library**: Date is enough',
  `## Critical Context\n- The raw words of a compaction. ${'So they go on. '.repeat(300)}`,
].join('\n\n');

const BRANCH = `The raw words of a branch. ${'So it went on. '.repeat(200)}\n\n## Key Decisions\n- **No cache**: it is fast enough`;

/** A session with a compaction and a branch that was left. */
function summarised(): string {
  const log = turn(new Log('summarised'), 1)
    .compaction('k1', SUMMARY, 'u1', { tokensBefore: 20_000 })
    .entry('b1', 'branch_summary', { fromId: 'u1', summary: BRANCH });
  return [2, 3, 4].reduce(turn, log).text();
}

/** The policy whose packet replaces summaries. */
const REPLACING = ['--policy', 'context-manager'] as const;

describe('what a compaction or a left branch has said', () => {
  it.each(PRUNE_FORMS)('stays by default, whatever else goes (%s)', async (form) => {
    const ran = await pruned(summarised(), '--zone', 'compact', '--as', form);
    const after = await contextOf(textOf(ran));
    expect(said(after.messages)).toMatch(/raw words of a compaction.*raw words of a branch/);
    expect(said(after.messages)).not.toContain('survey-3:');
    expect(packetsIn(after).length).toBe(1);
    expect(ran.stdout).not.toContain('drops the summary');
  });

  it.each([
    [['--strategy', 'summaries'], 'drops the summary of a compaction and of a branch'],
    [['--strategy', 'turns,distill'], null],
  ] as const)('is named in the first line where it goes: %j', async (args, words) => {
    // The first line goes on in the next one where the terminal is narrow.
    const text = (await pruned(summarised(), ...args)).stdout.replace(/\s+/g, ' ');
    const first = /^appended .*? to s\.jsonl(?:; drops the summary of a compaction(?: and of a branch)?)?/.exec(
      text,
    )?.[0];
    expect(first?.split('; ')[1] ?? null).toBe(words);
  });

  it.each(PRUNE_FORMS)('is not in the context any more once the ledger has it (%s)', async (form) => {
    const before = await contextOf(summarised());
    expect(said(before.messages)).toMatch(/raw words of a compaction.*raw words of a branch/);
    const after = await contextOf(
      textOf(await pruned(summarised(), ...REPLACING, '--zone', 'red', '--recent-turns', '2', '--as', form)),
    );
    expect(said(after.messages)).not.toMatch(/raw words of|So they go on|So it went on/);
    expect(packetsIn(after).length).toBe(1);
  });

  it('is in the packet as goal, task, constraints, decisions and blockers, and not as it was written', async () => {
    const [packet] = packetsIn(
      await contextOf(textOf(await pruned(summarised(), ...REPLACING, '--zone', 'red', '--recent-turns', '2'))),
    );
    const text = said([packet ?? {}]);
    for (const fact of [
      '## Goal\\n- Print dates in UTC',
      '## Constraints\\n- Never touch src/legacy.js',
      'No library',
      'No cache',
      'Write the changelog',
      'The release key has expired',
    ])
      expect(text).toContain(fact);
    expect(text).not.toMatch(/Critical Context|Key Decisions|Latest|raw words/);
  });

  it('stays for stock Pi where the request would begin with an answer', async () => {
    const log = turn(new Log('cut'), 1).compaction('k1', SUMMARY, 'a1', { tokensBefore: 20_000 });
    const text = turn(log, 2).text();
    const args = ['--strategy', 'summaries', '--as', 'context_edit', '--json'];
    expect(JSON.parse((await pruned(text, ...args)).stdout)).toMatchObject({
      pruned: false,
      why: expect.stringContaining('a request cannot begin with an answer') as unknown,
    });
    const { messages } = await contextOf(
      textOf(await pruned(text, '--strategy', 'turns,summaries', '--recent-turns', '1', '--as', 'context_edit')),
    );
    expect(messages[0]?.['role']).toBe('user');
    expect(said(messages)).not.toContain('raw words');
  });

  it('stays in the session, where it can be read', async () => {
    const files = { 's.jsonl': textOf(await pruned(summarised(), '--zone', 'red', '--recent-turns', '2')) };
    const { stdout } = await ctx(['cat', 's.jsonl', 'k1'], { files });
    expect(stdout).toContain('The raw words of a compaction');
  });
});

const LIMIT = 12_000;

/** A session, to whose leaf a turn is added and which is then pruned as the policy says, again and again. */
async function longSession(turns: number, form: string): Promise<readonly Context[]> {
  let text = talk(1);
  const seen: Context[] = [];
  for (let nth = 2; nth <= turns; nth += 1) {
    const { id } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as { id: string };
    const [, ...lines] = turn(new Log('more').from(id), nth).text().trimEnd().split('\n');
    const ran = await pruned(`${text}${lines.join('\n')}\n`, '--limit', String(LIMIT), '--as', form);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    text = textOf(ran);
    seen.push(await contextOf(text));
  }
  return seen;
}

it('refuses a second packet where stock Pi cannot take away the first', async () => {
  const once = textOf(await pruned(talk(6), '--strategy', 'turns', '--recent-turns', '3', '--as', 'context_transform'));
  const ran = await pruned(once, '--strategy', 'turns', '--recent-turns', '1', '--as', 'context_edit');
  expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('ctx revert s.jsonl d0000001')]);
  expect(textOf(ran)).toBe(once);
});

describe.each(tried(PRUNE_FORMS, 3))('a long session that is pruned at each end of a turn as %s', (form) => {
  it('has a context that does not grow with it, and never more than one packet in it', async () => {
    const seen = await longSession(40, form);
    const sizes = seen.map(({ tokens }) => tokens);
    expect((await contextOf(talk(40))).tokens).toBeGreaterThan(4 * LIMIT);
    expect(Math.max(...sizes)).toBeLessThan(LIMIT);
    expect(Math.max(...sizes.slice(-13)) / Math.max(...sizes.slice(0, 26))).toBeLessThan(1.05);
    expect(sizes.filter((size, at) => at > 0 && size < (sizes[at - 1] ?? 0)).length).toBeGreaterThan(3);
    const packets = seen.map((context) => packetsIn(context).length);
    expect(Math.max(...packets)).toBe(1);
    expect(packets.at(-1)).toBe(1);
    const texts = new Set(seen.map((context) => said(packetsIn(context))));
    expect(texts.size).toBeGreaterThan(3);
  });
});

/** A session of which the provider has counted so many tokens at the end of each turn. */
function counted(...totals: readonly (number | 'compacted')[]): string {
  let log = new Log('counted');
  for (const [at, total] of totals.entries()) {
    if (total === 'compacted') {
      log = log.compaction(`k${at}`, 'It was short.', undefined, { tokensBefore: 1 });
      continue;
    }
    const usage = { input: total - 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: total };
    log = log.user(`u${at}`, `Please write report ${at}.`).assistant(`a${at}`, 'Yes.', { usage });
  }
  return log.text();
}

/** The tokens of the turn ends at which the gate asked for a compaction, and when Pi would have compacted. */
async function asked(text: string): Promise<readonly number[]> {
  const { stdout } = await ctx(['status', '--history', 's.jsonl', '--limit', '100k', '--each', '--json'], {
    files: { 's.jsonl': text },
  });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  return lines.flatMap((line) => {
    if (line['schema'] !== 'ctx/gate-turn') return [];
    const { asks, tokens } = schemas['gate-turn'].parse(line);
    return asks === 'compact' ? [tokens.total] : [];
  });
}

describe('the gate', () => {
  it('asks for a compaction once red begins, before Pi would compact by itself', async () => {
    const text = counted(40_000, 66_000, 72_000, 90_000);
    expect(await asked(text)).toEqual([72_000]);
    const args = ['status', 's.jsonl', '--limit', '100k', '--at', 'a2', '--json'];
    const { stdout } = await ctx(args, { files: { 's.jsonl': text } });
    const { pi, zone } = schemas['status'].parse(JSON.parse(stdout));
    expect([zone, pi?.reason]).toEqual(['red', null]);
    expect(pi?.threshold).toBeGreaterThan(72_000);
  });

  it('does not ask again while nothing has changed', async () => {
    expect(await asked(counted(72_000, 73_000, 74_000, 75_000, 76_000, 77_000, 78_000))).toEqual([72_000]);
  });

  it('does not ask again and again around the threshold', async () => {
    expect(await asked(counted(71_000, 69_000, 71_500, 69_500, 72_500))).toEqual([71_000, 72_500]);
  });

  it('asks again after a compaction, and after the tokens have fallen back', async () => {
    expect(await asked(counted(72_000, 'compacted', 20_000, 73_000))).toEqual([72_000, 73_000]);
    expect(await asked(counted(72_000, 30_000, 31_000, 32_000, 74_000))).toEqual([72_000, 74_000]);
  });
});

describe('ctx status', () => {
  async function statusOf(text: string): Promise<ReturnType<(typeof schemas)['status']['parse']>> {
    const { stdout } = await ctx(['status', 's.jsonl', '--limit', '6k', '--json'], { files: { 's.jsonl': text } });
    return schemas['status'].parse(JSON.parse(stdout));
  }

  it('says mode, zone, the size of the packet and which summaries there are', async () => {
    const before = await statusOf(summarised());
    expect(before).toMatchObject({ mode: 'compact', zone: 'compact', packet: { tokensEstimated: 0, entryId: null } });
    expect(before.summaries.map(({ kind, entryId }) => [kind, entryId])).toEqual([
      ['compaction', 'k1'],
      ['branch', 'b1'],
    ]);
    const after = await statusOf(textOf(await pruned(summarised(), ...REPLACING, '--limit', '6k')));
    expect(after).toMatchObject({ mode: 'watch', zone: 'green', summaries: [] });
    expect(after.packet.tokensEstimated).toBeGreaterThan(50);
    expect(after.packet.entryId).not.toBe(null);
  });
});

describe('facts of one millisecond', () => {
  it('make the same packet in whatever order they are put together', () => {
    const lines = summarised()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.stringify({ ...(JSON.parse(line) as Json), timestamp: '2026-03-02T09:00:00.000Z' }));
    const candidates = statedFactsOf(sessionIn(`${lines.join('\n')}\n`)).map((each) => ({ ...each, time: 1 }));
    const packet = formatPacket(collectFacts(candidates), { maxTokens: 2000 });
    expect(candidates.length).toBeGreaterThan(8);
    for (let at = 1; at < candidates.length; at += 1) {
      const turned = [...candidates.slice(at), ...candidates.slice(0, at)];
      for (const order of [turned, turned.toReversed()])
        expect(formatPacket(collectFacts(order), { maxTokens: 2000 })).toBe(packet);
    }
  });
});

describe('what is written', () => {
  const isOwn: Readonly<Record<(typeof PRUNE_FORMS)[number], (entry: Json) => boolean>> = {
    context_transform: ({ type, transformerName }) => type === 'context_transform' && transformerName === 'prune',
    stock: ({ type, customType, details }) =>
      type === 'context_edit' ||
      (type === 'custom' && customType === 'ctx.prune') ||
      (type === 'compaction' && JSON.stringify(details) === '{"customType":"ctx.packet"}'),
    context_edit: ({ type, customType, display }) =>
      type === 'context_edit' ||
      (type === 'custom' && customType === 'ctx.prune') ||
      (type === 'custom_message' && customType === 'ctx.packet' && display === false),
  };

  it.each(PRUNE_FORMS)('is nothing but the entries of the prune, below the old end (%s)', async (form) => {
    const text = summarised();
    const ran = await pruned(text, ...REPLACING, '--zone', 'compact', '--as', form);
    expect(Object.keys(ran.files)).toEqual(['s.jsonl']);
    expect(textOf(ran).startsWith(text)).toBe(true);
    const entries = textOf(ran)
      .slice(text.length)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    expect(entries.filter((entry) => !isOwn[form](entry))).toEqual([]);
    const parents = ['a4', ...entries.map(({ id }) => id)].slice(0, -1);
    expect(entries.map(({ parentId }) => parentId)).toEqual(parents);
  });

  it('is nothing at all by ctx status and ctx facts', async () => {
    for (const args of ['status s.jsonl --limit 20k', 'status --history s.jsonl --limit 20k', 'facts s.jsonl']) {
      const files = { 's.jsonl': summarised() };
      const ran = await ctx(args.split(' '), { files });
      expect([ran.exitCode, ran.files]).toEqual([0, files]);
    }
  });
});
