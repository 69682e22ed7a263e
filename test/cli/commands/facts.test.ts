import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKET_TITLE } from '#change/prune/packet.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const log = new Log('the-session')
  .user('u1', 'Fix the dates. Never touch src/legacy.js.')
  .assistant('a1', 'They are in UTC now.')
  .user('u2', 'Write the changelog.')
  .compaction('k1', '## Goal\nPrint dates in UTC\n\n## Next Steps\n1. Release it', 'u2')
  .user('u3', 'Add \u001b[31mred\u0007.');
const files = { 's.jsonl': log.text() };

async function documentOf(...argv: readonly string[]) {
  const { stdout } = await ctx(['facts', 's.jsonl', ...argv, '--json'], { files });
  return schemas.ledger.parse(JSON.parse(stdout));
}

describe('ctx facts --resume', () => {
  const resume = (file: Log, ...argv: readonly string[]) =>
    ctx(['facts', 's.jsonl', '--resume', ...argv], { files: { 's.jsonl': file.text() } });

  it('prints once, after a compaction, what the context does not hold any more', async () => {
    const ran = await resume(log);
    expect(ran.exitCode).toBe(0);
    for (const said of ['Print dates in UTC', 'Never touch src/legacy.js', 'Release it', 'Fix the dates'])
      expect(ran.stdout).toContain(said);
    // Both stand in the context.
    expect(ran.stdout).not.toContain('changelog');
    expect(ran.stdout).not.toContain('- Add');
    expect(ran.stdout).not.toContain('## Next Steps');
    const answered = await resume(log.assistant('a3', 'It is red.'));
    expect([answered.exitCode, answered.stdout]).toEqual([1, expect.stringContaining('nothing to resume')]);
    expect((await resume(log, '--at', 'a1')).exitCode).toBe(0);
  });

  it('prints it after a move in the tree, with and without a summary', async () => {
    const talk = new Log('t')
      .user('u1', 'Never touch it.')
      .assistant('a1', 'No.')
      .user('u2', 'Go.')
      .assistant('a2', 'Yes.');
    expect((await resume(talk)).exitCode).toBe(1);
    const { stdout } = await ctx(['facts', 's.jsonl', '--resume', '--at', 'a1', '--json'], {
      files: { 's.jsonl': talk.text() },
    });
    expect(schemas.ledger.parse(JSON.parse(stdout)).resume).toEqual({ by: 'move', entryId: 'a1', line: 3 });
    const left = talk.entry('b1', 'branch_summary', {
      fromId: 'a2',
      summary: '## Constraints & Preferences\n- No library',
    });
    expect((await resume(left)).stdout).toContain('- No library');
    expect((await resume(left.user('u3', 'On.').assistant('a3', 'On it.'))).exitCode).toBe(1);
  });
});

describe('ctx facts', () => {
  it('names for each thing the entry that says so', async () => {
    const { goal, constraints, tasks, done, at } = await documentOf();
    expect(at).toEqual({ entryId: 'u3', line: 6 });
    expect(goal).toEqual({
      text: 'Print dates in UTC',
      outcome: null,
      time: '2026-03-02T09:04:00.000Z',
      source: { entryId: 'k1', line: 5, kind: 'compaction' },
    });
    expect(constraints.facts.map(({ text, source }) => [text, source.entryId])).toEqual([
      ['Never touch src/legacy.js.', 'u1'],
    ]);
    expect(tasks.facts.map(({ source }) => source.entryId)).toEqual(['u2', 'k1', 'u3']);
    expect(done.facts.map(({ outcome, source }) => [outcome, source.kind])).toEqual([
      ['They are in UTC now.', 'assistant'],
    ]);
  });

  it('shows how it stood at another entry', async () => {
    const { goal, tasks } = await documentOf('--at', 'u2');
    expect([goal?.source.entryId, tasks.facts.map(({ text }) => text)]).toEqual(['u1', ['Write the changelog.']]);
  });

  it('lists it in a table that is safe to read', async () => {
    const { stdout } = await ctx(['facts', 's.jsonl'], { files, columns: 100 });
    expect(stdout).toContain('k1        2026-03-02 09:04  summary    Print dates in UTC');
    expect(stdout).not.toMatch(/[\u001b\u0007]/);
    expect(stdout).not.toContain('Decisions');
  });

  it('prints every text whole if that is asked for', async () => {
    const { stdout } = await ctx(['facts', 's.jsonl', '--full'], { files, columns: 60 });
    expect(stdout).toContain('\n  Fix the dates. Never touch src/legacy.js. → They are in UTC now.\n');
  });

  it('prints the packet, as long as it may be', async () => {
    const { stdout } = await ctx(['facts', 's.jsonl', '--packet'], { files });
    expect(stdout).toContain(PACKET_TITLE);
    expect(stdout).toContain('- Release it');
    const { packet } = await documentOf('--packet', '--tokens', '64');
    expect(packet.tokens).toBeLessThanOrEqual(64);
  });

  it('has no time where a session of another agent has an impossible one', async () => {
    const file = '/home/ada/.kimi-code/sessions/wd_shop/s/agents/main/wire.jsonl';
    const recorded = readFileSync(path.join(projectFolder, 'fixtures/agents/kimi-code/wire.jsonl'), 'utf8');
    for (const time of ['1e308', '8640000000000001']) {
      const recording = { [file]: recorded.replaceAll(/"time":\d+/g, `"time":${time}`) };
      const { exitCode, stdout } = await ctx(['facts', file, '--json'], { files: recording });
      expect([time, exitCode]).toEqual([time, 0]);
      expect(stdout).toContain('"time":null');
    }
  });

  it('reports an empty session', async () => {
    const { stdout, exitCode } = await ctx(['facts', 'e.jsonl'], { files: { 'e.jsonl': new Log('empty').text() } });
    expect([stdout, exitCode]).toEqual(['no facts found\n', 0]);
  });

  it.each([
    [['s.jsonl', '--packet', '--tokens', '63'], 2],
    [['s.jsonl', '--tokens', '100'], 2],
    [['s.jsonl', '--at', 'nowhere'], 2],
    [['none.jsonl'], 3],
  ])('refuses %j', async (argv, expected) => {
    const { exitCode, stdout } = await ctx(['facts', ...argv], { files });
    expect([exitCode, stdout]).toEqual([expected, '']);
  });
});
