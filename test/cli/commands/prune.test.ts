import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { entry, HEADER, lines as joinLines } from '../../support/entries.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { workingSession } from '../../support/working-session.js';

const TEXT = workingSession({ seed: 3, turns: 10 });
const FILES = { 's.jsonl': TEXT };
const NOW = Date.UTC(2026, 0, 5, 10);

function prune(args: string, world: World = {}): Promise<Ran> {
  return ctx(['prune', '--yes', ...args.split(' ')], { files: FILES, now: NOW, ...world });
}

type Json = Record<string, unknown>;

function textOf(ran: Ran, file = 's.jsonl'): string {
  const content = ran.files[file] ?? '';
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

function added(ran: Ran, file = 's.jsonl'): readonly Json[] {
  const lines = textOf(ran, file).slice(TEXT.length).trimEnd();
  return lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line) as Json);
}

async function contextOf(content: string | Uint8Array): Promise<readonly Json[]> {
  const { stdout } = await ctx(['show', 's.jsonl', '--json'], { files: { 's.jsonl': content } });
  return (JSON.parse(stdout) as { messages: { cached: Json[] } }).messages.cached;
}

describe('the tokens that a prune saves', () => {
  it('are the difference of the two sizes, also where they were measured in different ways', async () => {
    const usage = (input: number): Json => ({ input, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: input });
    const long = (tokens: number): string => 'word'.repeat(tokens);
    // All prompts grew by three tokens for each estimated one, those of the last model by one.
    const log = new Log('s')
      .user('u1', long(2000))
      .assistant('a1', 'One.', { usage: usage(2000), model: 'claude-haiku-4-5' })
      .user('u2', long(2000))
      .assistant('a2', 'Two.', { usage: usage(10_000) })
      .user('u3', long(600))
      .assistant('a3', 'Three.', { usage: usage(10_600) })
      .user('u4', long(3000));
    const files = { 's.jsonl': log.user('u5', 'Go on.').user('u6', 'And now?').text() };
    const { stdout } = await prune('s.jsonl --zone red --dry-run', { files });
    const fewer = /^ {2}total .* -([\d,]+)$/m.exec(stdout)?.[1];
    expect(stdout).toContain(`\nthe next request shrinks by ~${fewer} tokens (`);
  });
});

it('lists few of many entries, since the messages that they change follow', async () => {
  let log = new Log('s').user('u0', 'Read them.');
  for (let at = 0; at < 9; at += 1) log = log.tool(`t${at}`, 'read', { path: `${at}.ts` }, `${at} `.repeat(9000));
  for (let at = 1; at < 5; at += 1) log = log.user(`u${at}`, 'Go on.').assistant(`a${at}`, 'Done.');
  const { stdout } = await prune('s.jsonl --strategy distill --dry-run', { files: { 's.jsonl': log.text() } });
  expect(stdout.match(/^ {3}\w{8} {2}(?:custom|context_edit) /gm)).toHaveLength(5);
  expect(stdout).toContain('   … 5 more entries: --json lists all');
});

describe('a prune of many turns', () => {
  function talk(turns: number): string {
    let log = new Log('long').user('u0', 'Read it.').tool('t0', 'read', { path: 'src/a.ts' }, 'export const a = 1;');
    log = log.assistant('a0', 'It is read.');
    for (let nth = 1; nth <= turns; nth += 1)
      log = log.user(`u${nth}`, `Do part ${nth}.`).assistant(`a${nth}`, 'It is done.');
    return log.user('z1', 'Now look at src/a.ts once more.').assistant('z2', 'It exports a.').text();
  }
  const pruned = async (turns: number): Promise<Json> => {
    const ran = await prune('s.jsonl --strategy turns,summaries --recent-turns 1 --dry-run --json', {
      files: { 's.jsonl': talk(turns) },
    });
    return JSON.parse(ran.stdout) as Json;
  };

  it('runs a strategy once that is named twice', async () => {
    const ran = await prune('s.jsonl --strategy turns,turns --recent-turns 1 --dry-run --json', {
      files: { 's.jsonl': talk(20) },
    });
    expect((JSON.parse(ran.stdout) as { prune: Json }).prune['strategies']).toEqual(['turns']);
  });

  it('keeps an old turn with a file that the newest turn mentions', async () => {
    const { prune: about, entries } = (await pruned(20)) as { prune: Json; entries: readonly Json[] };
    expect(entries.length).toBeGreaterThan(40);
    expect(about['packet']).not.toContain('to be read again');
    expect(JSON.stringify(about['refusals'])).toContain('the newest turn mentions src/a.ts');
  });

  it('names the file in the packet instead, if it would take more than 100 edits to keep it', async () => {
    const { prune: about, entries } = (await pruned(60)) as { prune: Json; entries: readonly Json[] };
    expect(entries).toHaveLength(2);
    expect(about['packet']).toMatch(/## Files of the newest turn, to be read again\n- src\/a.ts \(last result: .*t0/);
  });
});

describe('ctx prune', () => {
  it('appends one transform that holds all messages that stay', async () => {
    const ran = await prune('s.jsonl --strategy distill,fold --as context_transform');
    expect(ran.exitCode).toBe(0);
    expect(textOf(ran).startsWith(TEXT)).toBe(true);
    const [transform, ...others] = added(ran);
    expect(others).toEqual([]);
    expect(transform).toMatchObject({
      type: 'context_transform',
      transformerName: 'prune',
      patch: [{ op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: 'prune' }],
      details: { zone: null, strategies: ['distill', 'fold'] },
    });
    const before = await contextOf(TEXT);
    expect((await contextOf(textOf(ran))).length).toBe(before.length);
  });

  it('appends what stock Pi honours: edits, and a compaction that keeps from the first message that stays', async () => {
    const ran = await prune('s.jsonl --zone red');
    expect(ran.stdout).not.toContain('ignores');
    const [record, compaction, ...edits] = added(ran);
    expect(record).toMatchObject({ type: 'custom', customType: 'ctx.prune', data: { entries: edits.length + 1 } });
    const [summary, first] = await contextOf(textOf(ran));
    expect(compaction).toMatchObject({
      type: 'compaction',
      summary: expect.stringContaining('[Context packet') as string,
      details: { customType: 'ctx.packet' },
      fromHook: true,
    });
    expect(JSON.stringify(summary)).toContain('[Context packet');
    const kept = TEXT.split('\n').find((line) => line.includes(`"id":"${String(compaction?.['firstKeptEntryId'])}"`));
    expect((JSON.parse(kept ?? '{}') as Json)['message']).toEqual(first);
    expect(new Set(edits.map(({ type }) => type))).toEqual(new Set(['context_edit']));
  });

  it('appends a transform where the reader of the session knows them, and says what stock Pi ignores', async () => {
    const gate = [{ op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' }];
    const gated = await ctx(['apply', 's.jsonl', 'gate.json', '--yes'], {
      files: { ...FILES, 'gate.json': JSON.stringify(gate) },
    });
    expect(gated.stdout).toContain('note: stock Pi ignores this entry\n');
    const ran = await prune('s.jsonl --zone red', { files: gated.files });
    expect(textOf(ran).trimEnd().split('\n').at(-1)).toContain('"transformerName":"prune"');
    expect(ran.stdout).toContain('note: stock Pi ignores this entry; --as stock writes what it honours\n');
    const dry = await prune('s.jsonl --zone red --as context_transform --dry-run --json');
    const plan = schemas.plan.parse(JSON.parse(dry.stdout));
    expect(plan.ignoredByStock).toEqual([plan.entries[0]?.id]);
    expect(plan.predicted.stockSha256).not.toBe(plan.predicted.sha256);
  });

  it('appends edits that stock Pi knows, below an entry that says what they are', async () => {
    const ran = await prune('s.jsonl --zone compact --as context_edit');
    const [record, ...others] = added(ran);
    expect(record).toMatchObject({ type: 'custom', customType: 'ctx.prune', data: { entries: others.length } });
    expect(others.at(-1)).toMatchObject({ type: 'custom_message', customType: 'ctx.packet', display: false });
    expect(new Set(others.slice(0, -1).map(({ type }) => type))).toEqual(new Set(['context_edit']));
  });

  it.each(['stock', 'context_transform', 'context_edit'])(
    'can be undone whole from any of its entries (%s)',
    async (form) => {
      const ran = await prune(`s.jsonl --zone compact --as ${form}`);
      const before = await contextOf(TEXT);
      for (const { id } of added(ran).filter((_entry, at, all) => at === 0 || at === 1 || at === all.length - 1)) {
        const back = await ctx(['revert', 's.jsonl', String(id), '--yes'], {
          files: { 's.jsonl': textOf(ran) },
          now: NOW,
        });
        expect(back.exitCode, back.stderr).toBe(0);
        expect(await contextOf(textOf(back))).toEqual(before);
      }
    },
  );

  it('undoes a prune that other messages follow', async () => {
    const ran = await prune('s.jsonl --zone compact --as context_edit');
    const entries = added(ran);
    const said = { role: 'user', content: 'Go on.', timestamp: NOW };
    const more = {
      type: 'message',
      id: 'more',
      parentId: entries.at(-1)?.['id'],
      timestamp: '2026-01-05T10:00:01.000Z',
      message: said,
    };
    const files = { 's.jsonl': `${textOf(ran)}${JSON.stringify(more)}\n` };
    const back = await ctx(['revert', 's.jsonl', String(entries[1]?.['id']), '--yes'], { files, now: NOW });
    expect(back.exitCode, back.stderr).toBe(0);
    expect(await contextOf(textOf(back))).toEqual([...(await contextOf(TEXT)), said]);
  });

  it('writes nothing when it is only asked what it would do, and says the same as what it writes', async () => {
    const dry = await prune('s.jsonl --zone red --dry-run --json');
    expect(textOf(dry)).toBe(TEXT);
    const plan = schemas.plan.parse(JSON.parse(dry.stdout));
    const ran = await prune('s.jsonl --zone red');
    expect(added(ran)).toEqual(plan.entries);
    expect(plan.prune?.saved).toBe(plan.tokens.before.total - plan.tokens.after.total);
    expect(plan.prune?.decisions.length).toBeGreaterThan(10);
  });

  it('prunes at an entry, on a new branch', async () => {
    const ran = await prune('s.jsonl --zone compact --at @{turn:6} --json');
    expect(ran.exitCode, ran.stderr).toBe(0);
    const { stdout } = await ctx(['tree', 's.jsonl', '--json'], { files: { 's.jsonl': textOf(ran) } });
    expect(stdout).toContain(String(added(ran)[0]?.['id']));
    const at = await ctx(['show', 's.jsonl', '@{turn:6}', '--json'], { files: { 's.jsonl': TEXT } });
    const { meta } = schemas.envelope.parse(JSON.parse(at.stdout));
    expect(schemas.written.parse(JSON.parse(ran.stdout)).size.before).toEqual(meta.size);
    expect((await contextOf(textOf(ran))).length).toBeLessThan((await contextOf(TEXT)).length);
  });

  it('leaves a new file behind, and the session as it is', async () => {
    const ran = await prune('s.jsonl --zone red --output new.jsonl');
    expect(textOf(ran)).toBe(TEXT);
    expect(added(ran, 'new.jsonl')[0]).toMatchObject({ type: 'custom', customType: 'ctx.prune' });
  });

  it('uses the zone of the context, and does nothing in zone green', async () => {
    const { stdout, exitCode, files } = await prune('s.jsonl --limit 900k');
    expect([stdout.replaceAll(/\s+/g, ' '), exitCode]).toEqual([
      'nothing to prune in zone green: the policy does nothing there; --strategy distill prunes in any zone ',
      0,
    ]);
    expect(files['s.jsonl']).toBe(TEXT);
    const full = await prune('s.jsonl --limit 6k --dry-run --json');
    expect(schemas.plan.parse(JSON.parse(full.stdout)).prune?.zone).not.toBe('green');
  });

  it.each([
    [
      'a newest turn of 4,000 characters after 40',
      40,
      4000,
      /newest turn stays whole, and is 99% of the messages; ctx compact/,
    ],
    [
      'a newest turn of 40 characters after 4,000',
      4000,
      40,
      /^nothing to prune: the strategies found nothing that could go$/m,
    ],
  ])('explains that nothing could go: %s', async (_, first, newest, why) => {
    const text = joinLines(
      HEADER,
      entry('message', 'u1', null, { message: { role: 'user', content: 'x'.repeat(first) } }),
      entry('message', 'a1', 'u1', { message: { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] } }),
      entry('message', 'u2', 'a1', { message: { role: 'user', content: 'y'.repeat(newest) } }),
    );
    const { stdout } = await ctx(['prune', 's.jsonl', '--strategy', 'dedupe'], {
      files: { 's.jsonl': text },
      columns: 200,
    });
    expect(stdout).toMatch(why);
  });

  it.each([
    ['s.jsonl --strategy squash', 2, 'unknown strategy "squash"'],
    ['s.jsonl --strategy turn', 2, 'did you mean "turns"'],
    ['s.jsonl --zone red --recent-turns 0', 2, 'the newest turn always stays'],
    ['s.jsonl --strategy compress --plan p.json --side-files full', 2, '--plan writes no side files'],
    ['--explain squash', 2, 'unknown strategy "squash"'],
  ])('says what is wrong with %s', async (args, exitCode, message) => {
    const ran = await prune(args);
    expect([ran.exitCode, ran.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(ran.stderr.trimEnd().split('\n').length).toBe(1);
  });

  it('knows the zone by the context window of the model, and names a model that has none', async () => {
    expect((await prune('s.jsonl')).stdout).toContain('nothing to prune in zone green: the policy does nothing there;');
    const files = { 's.jsonl': TEXT.replaceAll(/"(model|modelId)":"[^"]*"/g, '"$1":"m1"') };
    const { stderr, exitCode } = await prune('s.jsonl', { files });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the context window of the model "m1" is unknown')]);
    expect(stderr).toContain('supply it with --limit');
  });

  it('takes the policy of the configuration', async () => {
    const config = { prune: { zones: { red: [['turns', { keep: 2 }]] }, protect: { roles: ['user'] } } };
    const files = { ...FILES, '/p/ctx.config.json': JSON.stringify(config) };
    const ran = await prune('s.jsonl --zone red --dry-run --json', {
      files,
      cwd: '/p',
    });
    const said = JSON.parse(ran.stdout) as { why?: string };
    expect(said.why).toContain('messages of kind user are protected');
  });

  it('says of a policy that makes no sense where it is wrong', async () => {
    const files = { ...FILES, '/p/ctx.config.json': '{"prune":{"zones":{"red":["squash"]}}}' };
    const ran = await prune('s.jsonl --zone red', { files, cwd: '/p' });
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('unknown strategy "squash"')]);
  });

  it('leaves protected tools, files and labels alone', async () => {
    const label = {
      type: 'label',
      id: 'l1',
      parentId: JSON.parse(TEXT.trimEnd().split('\n').at(-1)!).id as string,
      timestamp: '2026-01-05T10:00:00.000Z',
      targetId: '10000001',
      label: 'keep me',
    };
    const protect = { tools: ['ba*'], paths: ['*.md'], labels: ['keep*'] };
    const files = {
      's.jsonl': `${TEXT}${JSON.stringify(label)}\n`,
      '/p/ctx.config.json': JSON.stringify({ prune: { protect } }),
    };
    const ran = await prune('s.jsonl --strategy turns,fold --recent-turns 2 --dry-run --json', { files, cwd: '/p' });
    const { prune: done } = schemas.plan.parse(JSON.parse(ran.stdout));
    const because = new Set(done?.refusals.map((refusal) => refusal.because));
    expect([...because].some((why) => why.startsWith('the tool bash'))).toBe(true);
    expect([...because].some((why) => why.startsWith('the file README.md'))).toBe(true);
    expect(because).toContain('entries with the label keep me are protected');
  });

  it('prunes only what pays for itself soon enough', async () => {
    const late = await prune('s.jsonl --strategy images --only-if-worth 0 --json', { now: Date.UTC(2026, 0, 5, 9, 5) });
    expect(JSON.parse(late.stdout)).toMatchObject({ schema: 'ctx/prune-check', pruned: false });
    expect(added(late)).toEqual([]);
    const cold = await prune('s.jsonl --strategy fold --only-if-worth 0', { now: Date.UTC(2027, 0, 1) });
    expect(added(cold).length).toBeGreaterThan(1);
  });

  it('writes side files that hold in full what was shortened', async () => {
    const ran = await prune('s.jsonl --strategy compress --side-files full');
    const names = Object.keys(ran.files).filter((name) => name.startsWith('full/'));
    expect(names.length).toBeGreaterThan(0);
    const context = JSON.stringify(await contextOf(textOf(ran)));
    for (const name of names) expect(context).toContain(name);
    const dry = await prune('s.jsonl --strategy compress --side-files full --dry-run');
    expect(Object.keys(dry.files)).toEqual(['s.jsonl']);
  });

  it('leaves no side files behind where nothing else is written', async () => {
    const files = { ...FILES, 'out.jsonl': 'mine' };
    const ran = await prune('s.jsonl --strategy compress --side-files full --output out.jsonl', { files });
    expect([ran.exitCode, Object.keys(ran.files)]).toEqual([4, Object.keys(files)]);
  });

  it('replaces no other file by a side file, and writes nothing then', async () => {
    const named = await prune('s.jsonl --strategy compress --side-files full');
    const name = Object.keys(named.files).find((file) => file.startsWith('full/')) ?? '';
    const ran = await prune('s.jsonl --strategy compress --side-files full', { files: { ...FILES, [name]: 'mine' } });
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('would replace something else')]);
    expect(textOf(ran)).toBe(TEXT);
  });

  it('writes the side files that the configuration asks for', async () => {
    const config = JSON.stringify({ prune: { zones: { red: [['compress', { spill: 'side' }]] } } });
    const files = { ...FILES, '/p/ctx.config.json': config };
    const ran = await prune('s.jsonl --zone red', { files, cwd: '/p', trusted: ['/p/ctx.config.json'] });
    expect(Object.keys(ran.files).filter((file) => file.startsWith('side/')).length).toBeGreaterThan(0);
  });

  it('refuses a packet behind a call whose result is still to come', async () => {
    const lines = TEXT.trimEnd().split('\n');
    const open = lines.findLastIndex((line) => line.includes('"toolCall"'));
    const files = { 's.jsonl': `${lines.slice(0, open + 1).join('\n')}\n` };
    const ran = await prune('s.jsonl --zone compact --as context_edit', { files });
    expect([ran.exitCode, ran.stderr]).toEqual([
      4,
      expect.stringContaining('a tool call of the newest turn has no result'),
    ]);
  });

  it('leads with the totals of each strategy where the list is long', async () => {
    const files = { 's.jsonl': workingSession({ seed: 3, turns: 60 }) };
    const { stdout } = await prune('s.jsonl --zone red --recent-turns 4 --limit 20k --dry-run', { files });
    expect(stdout).toMatch(/\n\n +strategy +dropped +shortened +tokens saved\n/);
    expect(stdout).toMatch(/^ +turns +374 +~[\d,]+$/m);
    expect(stdout).toContain(' more, --json lists all\n');
    const [, rows = ''] = stdout.split(/tokens saved\n(?: +\w.*\n)+\n/);
    const more = rows.split('\n').findIndex((row) => row.includes('more, --json'));
    expect(
      rows
        .split('\n')
        .slice(0, more)
        .filter((row) => /^ {3}\w/.test(row)),
    ).toHaveLength(13);
    expect(rows).toMatch(/^ {3}turns .* turns old; \w+\n {40,}(?:and|still) .*/m);
    expect(rows).toMatch(/^ +strategy +entry +message +saves +why\n/);
    const short = await prune('s.jsonl --strategy distill --dry-run');
    expect(short.stdout).not.toContain('tokens saved');
  });

  it('lists the strategies, and explains one', async () => {
    const listed = await prune('--list --json');
    const names = listed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => schemas.strategy.parse(JSON.parse(line)).name);
    expect(names).toEqual(expect.arrayContaining(['turns', 'summaries', 'distill', 'fold', 'images', 'decay']));
    expect((await prune('--explain turns')).stdout).toContain('"keep": whole number');
  });
});
