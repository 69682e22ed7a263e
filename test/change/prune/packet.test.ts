import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FACT_KINDS, FACT_STATES, type FactKind, type StatedFact } from '#analysis/facts/fact.js';
import { ALL_FACTS, collectFacts } from '#analysis/facts/facts.js';
import {
  formatPacket,
  isPacket,
  LEAST_PACKET_TOKENS,
  PACKET_TITLE,
  toPacketMessage,
  type Whereabouts,
} from '#change/prune/packet.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { runs } from '../../support/runs.js';

function said(kind: FactKind, text: string, rest: Partial<StatedFact> = {}): StatedFact {
  const source = { entryId: 'e1', line: 2, kind: 'compaction', place: 0 } as const;
  return { kind, key: kind === 'goal' ? 'goal' : text, text, state: 'open', outcome: null, time: 1, source, ...rest };
}

const full = [
  said('goal', 'Print dates in UTC'),
  said('constraint', 'Never touch src/legacy.js'),
  said('constraint', 'Keep answers short', { time: 2 }),
  said('decision', 'No library'),
  said('task', 'Write the changelog'),
  said('task', 'Read the code', { state: 'done', outcome: 'It has two files.' }),
  said('blocker', '`npm test` failed: Error: 2 tests failed'),
];

const someFacts = fc.array(
  fc
    .record({
      kind: fc.constantFrom(...FACT_KINDS),
      text: fc.oneof(
        fc.string({ minLength: 1, maxLength: 300 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
      ),
      state: fc.constantFrom(...FACT_STATES),
      outcome: fc.constantFrom(null, 'It is done.'),
      time: fc.integer({ min: 1, max: 9 }),
    })
    .map(({ kind, text, ...rest }) => said(kind, text, rest)),
  { maxLength: 60 },
);

describe('a packet', () => {
  it('says what the facts holds, a section for each', () => {
    expect(formatPacket(collectFacts(full), { maxTokens: 500 })).toBe(`${PACKET_TITLE}

## Goal
- Print dates in UTC

## Constraints
- Never touch src/legacy.js
- Keep answers short

## Decisions
- No library

## To do
- Write the changelog

## Blocked or failing
- \`npm test\` failed: Error: 2 tests failed

## Done or answered
- Read the code → It has two files.`);
  });

  it('has no section without a line, and says a line once', () => {
    const text = formatPacket(collectFacts([said('goal', 'Fix it'), said('task', 'Fix it')]), { maxTokens: 500 });
    expect(text).toBe(`${PACKET_TITLE}\n\n## Goal\n- Fix it`);
  });

  it('states that there are no facts', () => {
    expect(formatPacket(collectFacts([]), { maxTokens: 500 })).toBe(`${PACKET_TITLE}\n\n(no facts)`);
  });

  it('says whose words the goal is in', () => {
    const goal = said('goal', 'Fix it', { source: { entryId: 'u1', line: 2, kind: 'user', place: 0 } });
    expect(formatPacket(collectFacts([goal]), { maxTokens: 500 })).toContain(
      '## Goal, in the words of the user\n- Fix it',
    );
  });

  it('leaves out what is worth less first, and says how much', () => {
    const decisions = Array.from({ length: 14 }, (_, at) =>
      said('decision', `decision number ${at} of them all`, { time: at }),
    );
    const text = formatPacket(collectFacts([...full, ...decisions]), { maxTokens: 100 });
    expect(text).toContain('Keep answers short');
    expect(text).toContain('Write the changelog');
    expect(text).toContain('decision number 13');
    expect(text).not.toContain('decision number 4 ');
    expect(text).not.toContain('Done');
    expect(text).toMatch(/## Decisions\n… and 1\d more\n/);
  });

  it('holds the facts that leave the context first, then those that had left it, and none that stay', () => {
    const at = (name: string, kind: FactKind, text: string, time: number): StatedFact =>
      said(kind, text, { time, source: { entryId: name, line: 2, kind: 'user', place: 0 } });
    const many = Array.from({ length: 30 }, (_, nth) =>
      at('gone', 'constraint', `Old rule number ${nth} of all`, 10 + nth),
    );
    const facts = collectFacts(
      [
        ...many,
        at('left', 'decision', 'Use Date.UTC', 1),
        at('left', 'constraint', 'No library', 2),
        at('here', 'constraint', 'Be brief', 99),
      ],
      ALL_FACTS,
    );
    const whereabouts = ({
      source: { entryId },
    }: {
      readonly source: { readonly entryId: string | null };
    }): Whereabouts => (entryId === 'left' ? 'leaves' : entryId === 'gone' ? 'gone' : 'stays');
    expect(formatPacket(facts, { maxTokens: 64, whereabouts })).toBe(`${PACKET_TITLE}

## Constraints
… and 26 more
- No library
- Old rule number 26 of all
- Old rule number 27 of all
- Old rule number 28 of all
- Old rule number 29 of all

## Decisions
- Use Date.UTC`);
    expect(formatPacket(facts, { maxTokens: 2000, whereabouts })).toContain('rule number 0 ');
    expect(formatPacket(facts, { maxTokens: 2000, whereabouts })).not.toContain('Be brief');
  });

  it('never takes more than its bound, begins with its title, and is known by it', () => {
    fc.assert(
      fc.property(someFacts, fc.integer({ min: LEAST_PACKET_TOKENS, max: 800 }), (candidates, maxTokens) => {
        const text = formatPacket(collectFacts(candidates), { maxTokens });
        const message = toPacketMessage(text, 0);
        expect(countMessageTokens(message)).toBeLessThanOrEqual(maxTokens);
        expect(text.startsWith(`${PACKET_TITLE}\n\n`)).toBe(true);
        expect(isPacket(message)).toBe(true);
        expect(formatPacket(collectFacts(candidates.toReversed()), { maxTokens })).toBe(text);
      }),
      { numRuns: runs(60) },
    );
  });

  it('shows the goal however small it is', () => {
    const text = formatPacket(collectFacts([said('goal', 'Print dates in UTC, '.repeat(20))]), {
      maxTokens: LEAST_PACKET_TOKENS,
    });
    expect(text).toMatch(/## Goal\n- Print dates in UTC.* …$/);
  });

  it('says what it has no room for at all', () => {
    const text = formatPacket(collectFacts([...full, said('task', 'long '.repeat(60).trim(), { time: 0 })]), {
      maxTokens: 64,
    });
    expect(text).toMatch(/\n\n\(omitted: 1 failing, 1 done\)$|\(omitted: .*1 done\)$/);
  });

  describe('of little room', () => {
    const some = (kind: FactKind, count: number, rest: Partial<StatedFact> = {}): readonly StatedFact[] =>
      Array.from({ length: count }, (_, at) => said(kind, `${kind} ${at}`, { time: at, ...rest }));
    const done = some('task', 6, { state: 'done' }).map((each) => ({
      ...each,
      key: `done ${each.key}`,
      text: 'Finished.',
    }));
    const facts = collectFacts([
      said('goal', 'Print dates in UTC'),
      ...['constraint', 'decision', 'task', 'blocker'].flatMap((kind) => some(kind as FactKind, 6)),
      ...done.map((each, at) => ({ ...each, text: `${each.text} ${at}` })),
    ]);
    const lines = (kind: string, from: number): string =>
      Array.from({ length: 6 - from }, (_, at) => `- ${kind} ${from + at}`).join('\n');

    it('holds the goal, then constraints and tasks in turns, the newest of each', () => {
      expect(formatPacket(facts, { maxTokens: 64 })).toBe(`${PACKET_TITLE}

## Goal
- Print dates in UTC

## Constraints
… and 3 more
${lines('constraint', 3)}

## To do
… and 2 more
${lines('task', 2)}

(omitted: 6 decisions, 6 failing, 6 done)`);
      expect(formatPacket(facts, { maxTokens: 1 })).toBe(formatPacket(facts, { maxTokens: 64 }));
    });

    it('holds what fails before decisions, and those before what is done', () => {
      expect(formatPacket(facts, { maxTokens: 92 })).toBe(`${PACKET_TITLE}

## Goal
- Print dates in UTC

## Constraints
${lines('constraint', 0)}

## To do
${lines('task', 0)}

## Blocked or failing
… and 2 more
${lines('blocker', 2)}

(omitted: 6 decisions, 6 done)`);
      expect(formatPacket(facts, { maxTokens: 130 })).toBe(`${PACKET_TITLE}

## Goal
- Print dates in UTC

## Constraints
${lines('constraint', 0)}

## Decisions
${lines('decision', 0)}

## To do
${lines('task', 0)}

## Blocked or failing
… and 1 more
${lines('blocker', 1)}

## Done or answered
… and 3 more
- Finished. 3
- Finished. 4
- Finished. 5`);
    });

    it('says how many are older than those that a facts lists', () => {
      const many = formatPacket(collectFacts([...some('task', 300), said('goal', 'Fix it')]), { maxTokens: 64 });
      const shown = many.split('\n').filter((line) => line.startsWith('- task '));
      expect(shown.at(-1)).toBe('- task 299');
      expect(many).toContain(`## To do\n… and ${300 - shown.length} more\n- task ${300 - shown.length}\n`);
      expect(many.length).toBeLessThanOrEqual(256);
    });
  });
});

describe('a message', () => {
  it('is a packet where a user says so at its beginning', () => {
    expect(toPacketMessage('text', 7)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'text' }],
      timestamp: 7,
    });
    expect(isPacket(toPacketMessage(`${PACKET_TITLE}…`, 0))).toBe(true);
    expect(isPacket(toPacketMessage(` ${PACKET_TITLE}`, 0))).toBe(false);
    expect(isPacket({ ...toPacketMessage(PACKET_TITLE, 0), role: 'assistant' })).toBe(false);
  });
});
