import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContextEngine } from '#lab/contract.js';
import { EngineDriver } from '#lab/drive/engine-driver.js';
import { engines } from '#lab/index.js';
import type { Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '../../src/session/tree/turns.js';
import { driveAll, engine, entriesOf, SETTINGS, sourceIn, sourceOf } from '../support/engines.js';
import { type Entry, entry, HEADER, lines } from '../support/entries.js';
import { fixtures } from '../support/files.js';

const NAMES = /^(?:weather|compacted-twice|edits-and-compaction|pressure|system-messages|branches)\.jsonl$/;
const FILES = fixtures.filter((file) => NAMES.test(path.basename(file)));

describe('an engine that follows a session', () => {
  it.each(FILES.flatMap((file) => engines.map(({ name }) => [name, path.basename(file), file] as const)))(
    'asks %s for the requests of %s as it grows, as of the whole file',
    async (name, _, file) => {
      const { create } = engines.find((each) => each.name === name)!;
      const source = (await sourceOf(file))!;
      const grown: Head[] = [];
      const followed = await EngineDriver.start(source, create, { ...SETTINGS, tokenBudget: 40_000, path: grown });
      const requests: unknown[] = [];
      for (const head of activePath(source.tree)) {
        if (answersRequest(head)) requests.push((await followed.next()).assembled);
        grown.push(head);
      }
      await followed.close();
      const whole = await driveAll(source, create, { tokenBudget: 40_000 });
      expect(requests).toEqual(whole.requests.map(({ assembled }) => assembled));
    },
  );
});

const OP = { scope: 'cached', invalidateCacheReason: 'test' };

function transformOf(id: string, parentId: string, writtenBy: Entry): Entry {
  const patch = [{ op: 'system_part_set', ...OP, partName: 'mode', text: 'Read only.' }];
  return entry('context_transform', id, parentId, { schemaVersion: 1, transformerName: 'x', patch, writtenBy });
}

/** A session of two turns, the second one with a transform before it. */
function withTransform(writtenBy: Entry, ...more: readonly Entry[]): ReturnType<typeof sourceIn> {
  const [u1, a1, ...others] = entriesOf([
    { asked: 5, billed: [100] },
    { asked: 5, billed: [200] },
  ]);
  const [u2, a2] = others;
  const transform = transformOf('t1', 'a1', writtenBy);
  const rest = [{ ...u2, parentId: more.at(-1)?.['id'] ?? 't1' }, a2];
  return sourceIn(lines(HEADER, ...[u1, a1, transform, ...more, ...rest].map((each) => each ?? {})));
}

async function partsWith(writtenBy: Entry): Promise<readonly string[]> {
  const { requests } = await driveAll(withTransform(writtenBy), () => engine());
  return requests.at(-1)!.assembled.system.parts.map(({ name }) => name);
}

describe('a transform that an engine wrote while an agent ran', () => {
  it('is left out where that engine runs again', async () => {
    expect(await partsWith({ engine: 'test' })).toEqual([]);
  });

  it('is kept where another one runs', async () => {
    expect(await partsWith({ engine: 'other' })).toEqual(['mode']);
    expect(await partsWith({ hook: 'test' })).toEqual(['mode']);
  });
});

describe('the usage of an answer', () => {
  const inCharge = (name: string | null): Entry =>
    entry('custom', 'c1', 't1', { customType: 'ctx.live', data: { hooks: [], engine: name } });

  /** The tokens that an engine with a long tail is told at the end of the last turn. */
  async function toldWith(name: string | null): Promise<number | undefined> {
    let told: number | undefined;
    const tail = { role: 'user', content: [{ type: 'text', text: 'abc '.repeat(1000) }], timestamp: 0 };
    const long: Partial<ContextEngine> = {
      assemble: ({ messages }) => Promise.resolve({ messages: [...messages, tail], estimatedTokens: 1000 }),
      afterTurn: async ({ runtimeContext }) => void (told = runtimeContext?.currentTokenCount),
    };
    await driveAll(withTransform({}, inCharge(name)), () => engine(long));
    return told;
  }

  it('is that of the request of the engine that was in charge', async () => {
    expect(await toldWith('test')).toBe(200);
  });

  it('is corrected where another one was', async () => {
    expect(await toldWith(null)).toBeGreaterThan(1000);
    expect(await toldWith('other')).toBeGreaterThan(1000);
  });
});
