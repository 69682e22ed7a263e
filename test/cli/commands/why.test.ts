import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { ctx, type Ran } from '../../support/memory-io.js';

const SESSION = new Log('s')
  .user('u1', 'Never touch the lighthouse.\nAnd paint the pier.')
  .assistant('a1', 'I will not.')
  .user('u2', 'The harbour is next.')
  .compaction('k1', 'About a pier.', 'u2')
  .user('u3', 'Go on.')
  .edit('e1', 'u3', null)
  .text();

function why(...argv: readonly string[]): Promise<Ran> {
  return ctx(['why', ...argv], { files: { 's.jsonl': SESSION } });
}

async function trace(words: string, ...argv: readonly string[]) {
  return schemas.why.parse(JSON.parse((await why(words, 's.jsonl', ...argv, '--json')).stdout));
}

describe('ctx why', () => {
  it('names the compaction that took a statement out, and what its summary has of it', async () => {
    expect(await trace('lighthouse')).toMatchObject({
      statements: [
        {
          entryId: 'u1',
          isVisible: false,
          hiddenBy: { entryId: 'k1', type: 'compaction' },
          summary: { found: 0, asked: 1, snippet: null },
        },
      ],
      summaryNow: { entryId: 'k1', found: 0 },
    });
    const { stdout, exitCode } = await why('lighthouse', 's.jsonl');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('the model no longer sees it, and the newest summary does not have the word');
    expect(stdout).toContain('taken out by the compaction k1');
    expect(stdout).toContain('ctx cat s.jsonl u1');
    expect(stdout).toContain('ctx revert s.jsonl k1 --dry-run');
  });

  it('takes the session before the words, too, as other commands do', async () => {
    const [before, after] = [await why('s.jsonl', 'lighthouse'), await why('lighthouse', 's.jsonl')];
    expect(before).toMatchObject({ exitCode: 0, stdout: after.stdout });
  });

  it('counts the words that the summary has', async () => {
    expect(await trace('paint pier')).toMatchObject({
      statements: [{ entryId: 'u1', summary: { found: 1, asked: 2, snippet: 'About a pier.' } }],
    });
  });

  it('says that the model sees a statement, and offers no way to bring it back', async () => {
    expect(await trace('harbour')).toMatchObject({ statements: [{ entryId: 'u2', isVisible: true, hiddenBy: null }] });
    const { stdout } = await why('harbour', 's.jsonl');
    expect(stdout).toContain('the model sees it in 1 of 1 place');
    expect(stdout).not.toContain('ctx revert');
  });

  it('tells a statement from a summary of it', async () => {
    expect((await why('pier', 's.jsonl')).stdout).toContain('and the newest summary has the word');
  });

  it('names an edit, which has no summary', async () => {
    expect(await trace('"go on"')).toMatchObject({
      statements: [{ entryId: 'u3', hiddenBy: { entryId: 'e1', type: 'context_edit' }, summary: null }],
    });
  });

  it('lists the places that matter most, and all of them with --full', async () => {
    const log = new Log('many');
    for (let at = 0; at < 9; at += 1) log.user(`u${at}`, `The lighthouse, the ${at}th time.`);
    const files = { 's.jsonl': log.text() };
    const listed = schemas.why.parse(
      JSON.parse((await ctx(['why', 'lighthouse', 's.jsonl', '--json'], { files })).stdout),
    );
    expect([listed.statements.length, listed.leftOut]).toEqual([4, 5]);
    const screen = (await ctx(['why', 'lighthouse', 's.jsonl'], { files })).stdout;
    expect(screen).toContain('… and 5 more places: --full lists all');
    expect(screen).toContain('the model sees it in 9 of 9 places');
    const all = await ctx(['why', 'lighthouse', 's.jsonl', '--full', '--json'], { files });
    expect(JSON.parse(all.stdout)).not.toHaveProperty('leftOut');
    expect(schemas.why.parse(JSON.parse(all.stdout)).statements).toHaveLength(9);
  });

  it('looks at the path up to a revision', async () => {
    expect(await trace('lighthouse', 'a1')).toMatchObject({ statements: [{ isVisible: true }], summaryNow: null });
  });

  it('fails for words that nothing on the path has, and without a word', async () => {
    const nothing = await why('battleship', 's.jsonl');
    expect(nothing).toMatchObject({ exitCode: 1 });
    expect(nothing.stdout).toContain('ctx find battleship');
    expect(await why('++', 's.jsonl')).toMatchObject({ exitCode: 2 });
  });
});
