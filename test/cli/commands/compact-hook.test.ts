import { describe, expect, it } from 'vitest';
import { HEADER, lines } from '../../support/entries.js';
import { said, TWO_TURNS } from '../../support/hook-session.js';
import { ctx, type Ran } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

type Answer = (event: { readonly preparation: Readonly<Record<string, unknown>>; readonly reason: string }) => unknown;

const session = lines(HEADER, ...TWO_TURNS, said('u3', 'a3', 'user', 'And now?'));

function compact(answer: Answer, ...flags: readonly string[]): Promise<Ran> {
  const extension = (pi: { on(event: string, handler: Answer): void }): void => pi.on('session_before_compact', answer);
  return ctx(
    ['compact', 's.jsonl', '--yes', '--keep-recent', '1', '--hook', 'ext.ts', '--as', 'compaction', ...flags],
    {
      files: { 's.jsonl': session, 'ext.ts': '' },
      startPlugin: pluginsHere({ 'ext.ts': extension }),
    },
  );
}

describe('ctx compact --hook', () => {
  it('writes the summary, the details and the first kept entry of an extension', async () => {
    const { written } = await writtenBy(({ reason, preparation }) => ({
      compaction: {
        summary: `${reason} of ${String(preparation['tokensBefore'])}`,
        firstKeptEntryId: 'a3',
        details: { mine: 1 },
      },
    }));
    expect(written).toMatchObject({ type: 'compaction', firstKeptEntryId: 'a3', details: { mine: 1 }, fromHook: true });
    expect(written['summary']).toMatch(/^manual of \d+$/);
  });

  it('keeps nothing where the extension keeps nothing', async () => {
    const { written } = await writtenBy(() => ({ compaction: { summary: 'All of it.', firstKeptEntryId: null } }));
    expect(written['firstKeptEntryId']).toBe(written['id']);
  });

  it('makes the summary itself where no handler does, and says so', async () => {
    const { stdout, exitCode } = await compact(() => undefined, '--dry-run');
    expect([exitCode, stdout.includes('no handler of session_before_compact returned a compaction')]).toEqual([
      0,
      true,
    ]);
  });

  it.each<[string, Answer, number, RegExp]>([
    ['cancels', () => ({ cancel: true }), 4, /cancels the compaction/],
    [
      'keeps what is not there',
      () => ({ compaction: { summary: 's', firstKeptEntryId: 'x' } }),
      3,
      /not on the branch/,
    ],
    [
      'throws',
      () => {
        throw new Error('no luck');
      },
      3,
      /the extension failed: no luck/,
    ],
  ])('writes nothing where the extension %s', async (_, answer, code, message) => {
    const { exitCode, stderr, files } = await compact(answer);
    expect([exitCode, files['s.jsonl']]).toEqual([code, session]);
    expect(stderr).toMatch(message);
  });
});

async function writtenBy(answer: Answer): Promise<{ readonly written: Readonly<Record<string, unknown>> }> {
  const { files } = await compact(answer);
  const last = String(files['s.jsonl']).trim().split('\n').at(-1);
  return { written: JSON.parse(last ?? '{}') as Readonly<Record<string, unknown>> };
}
