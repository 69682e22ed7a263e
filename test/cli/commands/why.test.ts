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
