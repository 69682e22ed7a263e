import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BreakClass } from '#analysis/cache/break-classes.js';
import { type CacheReport, reportCache } from '#analysis/cache/report-cache.js';
import { pathTo } from '#session/tree/tree.js';
import { opened } from '../../support/entries.js';
import { runs } from '../../support/runs.js';
import { EDIT, HAIKU, type Json, PlantedSession, TOOLS } from './planted-session.js';

/** Plants one cause, makes the request that suffers from it, and gives the entry that is to blame. */
type Plant = (session: PlantedSession) => string | null;

const REASON = { scope: 'cached', invalidateCacheReason: 'as planted' };

/** A miss that is big enough for anybody. */
function missing(session: PlantedSession): { read: number } {
  return { read: Math.floor(session.draw() * (session.prompt - 1100)) };
}

/** The request that meets what was planted, often after some noise. */
function suffer(session: PlantedSession): void {
  session.isPlanted = true;
  if (session.draw() < 0.3) session.noise();
  session.user();
  session.assistant(missing(session));
}

function transform(session: PlantedSession, op: Json, name = 'planted'): string {
  return session.entry('context_transform', { schemaVersion: 1, transformerName: name, patch: [{ ...REASON, ...op }] });
}

function planting(plant: (session: PlantedSession) => string): Plant {
  return (session) => {
    const id = plant(session);
    suffer(session);
    return id;
  };
}

const ANY: Readonly<Record<'compaction' | 'transform' | 'edit' | 'system' | 'tools' | 'tool order', Plant>> = {
  compaction: planting((session) => {
    if (session.draw() < 0.3)
      return transform(
        session,
        { op: 'compaction_apply', summary: 'All was well.', firstKeptMessageIndex: 1, timestamp: 0 },
        'compaction',
      );
    const firstKeptEntryId = session.draw() < 0.3 ? 'nowhere' : session.pick(session.sent);
    return session.entry('compaction', { summary: 'All was well.', firstKeptEntryId, tokensBefore: 1000 });
  }),
  transform: planting((session) => {
    const messages = [{ role: 'user', content: 'All that matters.', timestamp: 0 }];
    return transform(
      session,
      session.pick<Json>([
        { op: 'system_part_set', partName: 'rules', text: 'Be long.' },
        { op: 'tools_remove', toolNames: ['read'] },
        { op: 'tools_replace', tools: TOOLS.map((tool) => ({ ...tool, description: 'Of another kind' })) },
        { op: 'messages_cached_replace', messages },
      ]),
    );
  }),
  edit: planting((session) => {
    const replacement = session.draw() < 0.5 ? null : { content: session.words() };
    return session.entry('context_edit', { targetId: session.pick(session.sent), replacement });
  }),
  system: planting((session) =>
    session.system({
      sections: session.pick<Json>([
        { rules: 'Be long.' },
        { rules: null },
        { preamble: 'You do not help.' },
        { skills: 'None.' },
      ]),
    }),
  ),
  tools: planting((session) =>
    session.system(
      session.pick<Json>([
        { toolsAdded: [EDIT] },
        { toolsRemoved: [{ name: 'read' }] },
        { toolsAdded: [{ ...TOOLS[1], description: 'Run it' }] },
      ]),
    ),
  ),
  'tool order': planting((session) => session.system({ toolsRemoved: [{ name: 'read' }], toolsAdded: [TOOLS[0]] })),
};

const SWITCH: Plant = (session) => {
  const id = session.entry('model_change', { provider: HAIKU.provider, modelId: HAIKU.model });
  session.model = HAIKU;
  suffer(session);
  return id;
};

/** Causes that only the numbers of the provider show. */
const RECORDED: Readonly<Record<'thinking level' | 'ttl' | 'image' | 'branch' | 'provider miss', Plant>> = {
  'thinking level': (session) => {
    const id = session.entry('thinking_level_change', { thinkingLevel: 'xhigh' });
    session.user();
    session.assistant(missing(session));
    return id;
  },
  ttl: (session) => {
    session.wait(5 + session.draw() * 600);
    session.user();
    session.assistant({ read: 0 });
    return null;
  },
  image: (session) => {
    const id = session.user([{ type: 'image', data: 'aWI=', mimeType: 'image/png' }]);
    session.assistant(missing(session));
    return id;
  },
  branch: (session) => {
    const { parent, prompt } = session;
    session.user();
    session.assistant({ growth: 3000 });
    session.parent = parent;
    session.prompt = prompt;
    const id = session.user();
    session.assistant({ growth: 3000 });
    return id;
  },
  'provider miss': (session) => {
    session.user();
    session.assistant(missing(session));
    return null;
  },
};

async function reportOf(text: string): Promise<CacheReport> {
  const session = await opened(text);
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  return reportCache({ session, path, baseline: {} });
}

it('answers calls that have no result, and is not led astray when one comes late', async () => {
  const session = new PlantedSession(() => 0.3, true);
  session.turn();
  session.user();
  const content = ['a', 'b'].map((id) => ({ type: 'toolCall', id, name: 'bash', arguments: {} }));
  session.assistant({}, { content, stopReason: 'toolUse' });
  session.result('a');
  session.assistant();
  session.result('b');
  session.assistant();
  expect(found(await reportOf(session.text()))).toEqual([]);
});

interface Found {
  readonly number: number;
  readonly class: BreakClass;
  readonly entryId: string | null;
  readonly also: readonly BreakClass[];
}

function found({ requests }: CacheReport): readonly Found[] {
  return requests.flatMap(({ request: number, break: broken }) =>
    broken ? [{ number, class: broken.class, entryId: broken.entryId, also: broken.also }] : [],
  );
}

/** A session of some turns, with what happens in the middle of it. */
function sessionWith(
  numbers: readonly number[],
  isRecorded: boolean,
  plant: Plant | null,
): { text: string; id: string | null } {
  let at = 0;
  const draw = (): number => {
    at += 1;
    // The numbers are used again and again, each time as others.
    return ((numbers[at % numbers.length] ?? 0) * 997 + at * 0.618) % 1;
  };
  const session = new PlantedSession(draw, isRecorded);
  const turns = (most: number): void => {
    for (let left = 1 + Math.floor(draw() * most); left > 0; left -= 1) {
      session.turn();
      if (draw() < 0.4) session.noise();
    }
  };
  turns(5);
  session.turn();
  session.isWhole = plant === null;
  const id = plant?.(session) ?? null;
  turns(3);
  return { text: session.text(), id };
}

const drawn = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 5, maxLength: 20 });
const RUNS = { numRuns: runs(60) };

describe('a session with one planted cause', () => {
  it.each(Object.entries({ ...ANY, 'model switch': SWITCH }))('%s, recorded or not', async (name, plant) => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.boolean(), async (numbers, isRecorded) => {
        const { text, id } = sessionWith(numbers, isRecorded, plant);
        expect(found(await reportOf(text))).toEqual([
          { number: expect.any(Number) as number, class: name, entryId: id, also: [] },
        ]);
      }),
      RUNS,
    );
  });

  it.each(Object.entries(RECORDED))('%s', async (name, plant) => {
    await fc.assert(
      fc.asyncProperty(drawn, async (numbers) => {
        const { text, id } = sessionWith(numbers, true, plant);
        expect(found(await reportOf(text))).toEqual([
          { number: expect.any(Number) as number, class: name, entryId: id, also: [] },
        ]);
      }),
      RUNS,
    );
  });
});

describe('a session without a break', () => {
  it('has no finding', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.boolean(), async (numbers, isRecorded) => {
        const report = await reportOf(sessionWith(numbers, isRecorded, null).text);
        expect(found(report)).toEqual([]);
        expect(report.summary).toMatchObject({ breaks: 0, piMisses: { requests: 0 }, declaredForNothing: [] });
      }),
      { numRuns: runs(200) },
    );
  });
});
