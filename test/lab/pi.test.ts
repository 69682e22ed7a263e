import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { buildCompactionEntries } from '#change/compact/compaction-entries.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import { findTrigger } from '#change/compact/trigger.js';
import pi, { planPiCompaction } from '#lab/builtin/pi.js';
import { recordedDefinition } from '#lab/builtin/recorded.js';
import type { DriveSource, MakeEngine } from '#lab/drive/drive-options.js';
import type { Driven } from '#lab/drive/driven-request.js';
import { pathTo } from '#session/tree/tree.js';
import { driveAll, type Drove, entriesOf, sourceIn, sourceOf, type Talked, talkOf } from '../support/engines.js';
import { type Entry, HEADER, lines } from '../support/entries.js';
import { fixtures, NO_SAMPLES, recordings } from '../support/files.js';
import { runs } from '../support/runs.js';

const byPi = (setup: Parameters<typeof pi.create>[0]): ReturnType<typeof pi.create> => pi.create(setup);
const asRecorded = (
  setup: Parameters<typeof recordedDefinition.create>[0],
): ReturnType<typeof recordedDefinition.create> => recordedDefinition.create(setup);

/** Each compaction: the entry above it, and the first that it keeps. */
function compactionsOf({ requests, end }: Drove): readonly (readonly [string | null, unknown])[] {
  return [...requests, end].flatMap(({ compactions }) =>
    compactions.flatMap(({ at, result }) => (result.compacted ? [[at, result.result?.firstKeptEntryId] as const] : [])),
  );
}

function recordedCompactions(source: DriveSource): readonly (readonly [unknown, unknown])[] {
  const { leaf } = source.tree;
  const along = leaf ? pathTo(source.tree, leaf) : [];
  return along.flatMap((head, at) => (head.type === 'compaction' ? [[along[at - 1]?.id ?? null, head.target]] : []));
}

/** The engine pi, compacted by hand after these entries, which end turns. */
function compactingAfter(entryIds: ReadonlySet<unknown>): MakeEngine {
  return (setup) => {
    const engine = pi.create(setup);
    return {
      ...engine,
      info: { ...engine.info, ownsCompaction: true },
      afterTurn() {
        const compaction = entryIds.has(setup.transcript().at(-1)?.entryId) ? planPiCompaction(setup) : null;
        if (compaction) setup.compacted(compaction);
        return Promise.resolve();
      },
    };
  };
}

/** An engine whose summaries are those of the compactions that are recorded at the same entries. */
function withRecordedSummaries(source: DriveSource, make: MakeEngine): MakeEngine {
  const along = pathTo(source.tree, source.tree.leaf!);
  return (setup) => {
    const summarize = (): string => {
      const newest = setup.transcript().at(-1)?.entryId;
      const rest = along.slice(along.findIndex(({ id }) => id === newest));
      const compaction = rest.find(({ type }) => type === 'compaction')!;
      return String(source.entry(compaction)['summary']);
    };
    return make({ ...setup, summarize });
  };
}

/** What was sent, without what no provider is told. */
function sentIn(requests: readonly Driven[]): readonly unknown[] {
  return requests.map(({ assembled: { system, tools, messages } }) => {
    return { system, tools, messages: messages.map((message) => ({ ...message, timestamp: 0 })) };
  });
}

/** Sessions that real Pi has compacted, and the setting under which it did. */
const COMPACTED: readonly (readonly [name: string, keepRecentTokens: number])[] = [
  ['weather.jsonl', 135],
  ['pi-0.74.2-compaction.jsonl', 3000],
  ['pi-1.5.2-compaction.jsonl', 3000],
];

describe('the engine pi, compacted where Pi was compacted, with the settings and summaries of then', () => {
  it.for(COMPACTED)(
    'compacts %s at the same entries, and sends the same',
    async ([name, keepRecentTokens], { skip }) => {
      const file = [...fixtures, ...recordings].find((each) => path.basename(each) === name);
      skip(file === undefined, NO_SAMPLES);
      const source = (await sourceOf(file ?? ''))!;
      const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens };
      const recorded = recordedCompactions(source);
      const byHand = compactingAfter(new Set(recorded.map(([at]) => at)));
      const drove = await driveAll(source, withRecordedSummaries(source, byHand), { settings });
      expect(compactionsOf(drove)).toEqual(recorded);
      const { requests } = await driveAll(source, asRecorded);
      expect(sentIn(drove.requests)).toEqual(sentIn(requests));
    },
  );
});

const SETTINGS: CompactionSettings = { enabled: true, reserveTokens: 200, keepRecentTokens: 100 };
const LIMIT = 1000;

/** A session in which Pi has compacted by itself at the ends of turns: the rule is that of `ctx compact`, which real Pi was compared with. */
function compactedByPi(turns: readonly Talked[]): DriveSource {
  const entries: Entry[] = [];
  for (const each of entriesOf(turns)) {
    const above = entries.at(-1)?.['id'] ?? null;
    entries.push({ ...each, parentId: above });
    const { message } = each as { message: JsonObject };
    if (message['role'] !== 'assistant' || message['stopReason'] !== 'stop') continue;
    const source = sourceIn(lines(HEADER, ...entries));
    const along = pathTo(source.tree, source.tree.leaf!);
    const asked = {
      path: along,
      contextWindow: LIMIT,
      maxOutput: null,
      settings: SETTINGS,
    };
    if (findTrigger(source, asked).reason === null) continue;
    const preparation = prepareCompaction(source, { ...asked, keepRecentTokens: SETTINGS.keepRecentTokens });
    if (!preparation) continue;
    const compaction = { path: along, preparation, summary: { text: `what happened until ${String(each['id'])}` } };
    const now = (): number => Date.parse(String(each['timestamp'])) + 500;
    const newId = (): string => `k${entries.length}`;
    for (const made of buildCompactionEntries(source, { ...compaction, form: 'compaction' }, { now, newId }))
      entries.push({ ...made, fromHook: false });
  }
  return sourceIn(lines(HEADER, ...entries));
}

const turn = fc.record({
  // All together fit into the window, as the provider's numbers say too.
  asked: fc.integer({ min: 10, max: 90 }),
  billed: fc.tuple(fc.integer({ min: 400, max: 990 })),
});

describe('the engine pi, left to itself', () => {
  it('compacts where Pi has compacted, and sends the same afterwards', async () => {
    let compactions = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 9 }), async (turns) => {
        const source = compactedByPi(turns);
        const options = { tokenBudget: LIMIT, settings: SETTINGS };
        const drove = await driveAll(source, withRecordedSummaries(source, byPi), options);
        const ours = compactionsOf(drove);
        expect(ours.map(([at]) => at)).toEqual(recordedCompactions(source).map(([at]) => at));
        const { requests } = await driveAll(source, asRecorded);
        expect(sentIn(drove.requests)).toEqual(sentIn(requests));
        compactions += ours.length;
      }),
      { numRuns: runs(30) },
    );
    expect(compactions).toBeGreaterThan(runs(8));
  });

  it('compacts within a turn too, as soon as a request would be over the threshold', async () => {
    const turns = [
      { asked: 100, billed: [300] },
      { asked: 100, billed: [600, 790, 0, 0] },
    ];
    const { requests } = await driveAll(talkOf(turns), byPi, { tokenBudget: LIMIT, settings: SETTINGS });
    // 790 and the result behind it are more than 800.
    expect(requests.map(({ compactions }) => compactions.map(({ why }) => why))).toEqual([
      [],
      [],
      [],
      ['threshold'],
      [],
    ]);
    expect(requests[3]?.assembled.messages[0]).toMatchObject({ role: 'user' });
    expect(JSON.stringify(requests[3]?.assembled.messages[0])).toContain('compacted into the following summary');
  });

  it('does nothing below the threshold, without a limit, and where the settings say so', async () => {
    const source = talkOf([
      { asked: 50, billed: [799] },
      { asked: 50, billed: [800] },
    ]);
    const over = talkOf([
      { asked: 50, billed: [600] },
      { asked: 50, billed: [801] },
    ]);
    const options = { tokenBudget: LIMIT, settings: { ...SETTINGS, keepRecentTokens: 20 } };
    expect(compactionsOf(await driveAll(source, byPi, options))).toEqual([]);
    expect(compactionsOf(await driveAll(over, byPi, options))).toHaveLength(1);
    expect(compactionsOf(await driveAll(over, byPi, { ...options, tokenBudget: null }))).toEqual([]);
    const settings = { ...options.settings, enabled: false };
    expect(compactionsOf(await driveAll(over, byPi, { ...options, settings }))).toEqual([]);
  });

  it.each([
    [
      'its messages',
      (entry: Entry): Entry => ({ ...entry, message: { ...(entry['message'] as Entry), timestamp: 1e20 } }),
    ],
    ['its entries', (entry: Entry): Entry => ({ ...entry, timestamp: 'then' })],
  ])('compacts where no calendar has the time of %s', async (_, made) => {
    const entries = entriesOf([
      { asked: 50, billed: [600] },
      { asked: 50, billed: [801] },
    ]);
    const options = { tokenBudget: LIMIT, settings: { ...SETTINGS, keepRecentTokens: 20 } };
    const source = sourceIn(lines(HEADER, ...entries.map(made)));
    expect(compactionsOf(await driveAll(source, byPi, options))).toHaveLength(1);
  });

  it('uses an estimate of the difference to the recording, and does not compact a second time', async () => {
    // The recording has never compacted: what it was billed counts all that the engine has left out.
    const turns = [
      { asked: 500, billed: [600] },
      { asked: 100, billed: [850] },
      { asked: 100, billed: [990] },
    ];
    const drove = await driveAll(talkOf(turns), byPi, { tokenBudget: LIMIT, settings: SETTINGS });
    expect(compactionsOf(drove).map(([at]) => at)).toEqual(['a2']);
  });
});
