import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditLoss } from '#analysis/loss/audit.js';
import type { SessionReport } from '#analysis/report/document.js';
import { buildPageBlocks } from '#analysis/report/page-blocks.js';
import { blockTextOf, listMessageNumbers } from '#analysis/report/report-reader.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { toLenient } from '#context/lenient.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { EntryPreviews } from '#context/words/entry-text.js';
import { shorten } from '#context/words/message-text.js';
import type { Head } from '#session/heads/head.js';
import { parentOf } from '#session/tree/tree.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { reported, type Reported } from '../../support/reports.js';
import { runs } from '../../support/runs.js';

/** What the page puts together for a request, and what the envelope there holds, in the same words. */
function sentBy(data: SessionReport, number: number): unknown {
  const { requests, messages, preambles, parts, tools } = data;
  const preamble = preambles[requests.preambles[number]!]!;
  const [from, to] = [number * CONTENT_KINDS.length, (number + 1) * CONTENT_KINDS.length];
  const ledger = [...preamble.kinds, ...Array.from(requests.ledgers).slice(from, to)];
  const words = (ids: readonly number[]): unknown =>
    ids.map((id) => messages[id]!).map(({ role, tokens, blocks }) => ({ role, tokens, blocks }));
  return {
    cached: words(listMessageNumbers(requests, number)),
    uncached: words(new Map(requests.uncached).get(number) ?? []),
    parts: preamble.parts.map((part) => [parts[part]!.name, parts[part]!.text]),
    tools: preamble.tools.map((tool) => JSON.parse(String(tools[tool]!.text)) as unknown),
    options: JSON.parse(preamble.options) as unknown,
    level: data.words[requests.levels[number]!],
    tokens: ledger.reduce((sum, each) => sum + each, 0),
  };
}

function envelopeWords({ system, tools, messages, options, meta }: ContextEnvelope, data: SessionReport): unknown {
  const tokensOf = new Map(data.messages.map(({ blocks, tokens }) => [JSON.stringify(blocks), tokens]));
  const words = (list: typeof messages.cached): unknown =>
    list.map((message) => {
      const blocks = buildPageBlocks(message, Infinity);
      return { role: message.role, tokens: tokensOf.get(JSON.stringify(blocks)), blocks };
    });
  return {
    cached: words(messages.cached),
    uncached: words(messages.uncached),
    parts: system.parts.map(({ name, text }) => [name, text]),
    tools,
    options,
    level: meta.thinkingLevel,
    tokens: meta.tokens.total - meta.tokens.uncached,
  };
}

function textsIn({ data }: Reported): string {
  return data.messages.flatMap(({ blocks }) => blocks.map(blockTextOf)).join('\n');
}

function expectRequests({ session, data }: Reported): void {
  const { heads, leaf } = session.tree;
  for (const [number, entry] of data.requests.entries.entries()) {
    const at = entry === -1 ? leaf : (heads.at(heads.parentAt(entry)) ?? null);
    const envelope = buildEnvelope(toLenient(session), at, { ephemeral: true });
    expect(sentBy(data, number)).toEqual(JSON.parse(JSON.stringify(envelopeWords(envelope, data))));
  }
}

describe('the envelope of each request', () => {
  // What is damaged may have paths that are cut elsewhere.
  it.each(fixtures.filter((file) => !file.includes('damaged')))('is that of ctx show in %s', async (file) => {
    expectRequests(await reported(readFileSync(file, 'utf8')));
  });

  it('is that of ctx show in any session, on all branches', async () => {
    const shape = fc.record({
      seed: fc.nat(),
      entries: fc.constantFrom(10, 40, 90),
      transforms: fc.constantFrom(0, 0.1),
      compactions: fc.constantFrom(0, 0.05, 0.15),
      edits: fc.constantFrom(0, 0.1, 0.3),
      odd: fc.constantFrom(0, 0.05),
    });
    await fc.assert(
      fc.asyncProperty(shape, async (wanted) => {
        const { session, data } = await reported(generateSession(wanted));
        expectRequests({ session, data });
        const answers = [...session.tree.heads].filter(({ role }) => role === 'assistant');
        expect(data.requests.leftOut).toBe(0);
        expect(data.requests.entries.filter((entry) => entry !== -1).length).toBeLessThanOrEqual(answers.length);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('the entries', () => {
  it('are all there, in the order of the file and in that of their tree', async () => {
    const { data, session } = await reported(generateSession({ seed: 7, entries: 200 }));
    const { entries } = data;
    expect(entries.ids).toHaveLength(session.tree.heads.length);
    expect(entries.order.toSorted((a, b) => a - b)).toEqual(entries.ids.map((_, at) => at));
    for (const [at, message] of entries.messages.entries())
      expect(message === -1 ? entries.others.some(([entry]) => entry === at) : data.messages[message]!.entry).toBe(
        message === -1 ? true : at,
      );
  });
});

it('names the call of a tool result as ctx log does', async () => {
  const { data, session } = await reported(readFileSync('fixtures/weather.jsonl', 'utf8'));
  const previews = new EntryPreviews(session);
  const results = [...session.tree.heads].filter(({ role }) => role === 'toolResult');
  expect(results.length).toBeGreaterThan(5);
  for (const head of results)
    expect(data.messages[data.entries.messages[head.index]!]!.preview).toBe(shorten(previews.preview(head), 140));
});

/** The entries whose messages are in the context at an entry. */
function entriesAt({ session }: Reported, at: Head | null): ReadonlySet<string | null> {
  const { provenance } = buildEnvelope(toLenient(session), at).meta;
  return new Set(provenance.map(({ entryId }) => entryId));
}

describe('the losses', () => {
  it('state the messages that this compaction removed from the context, without those of earlier ones', async () => {
    const several: number[] = [];
    for (let seed = 0; seed < 20; seed += 1) {
      const report = await reported(generateSession({ seed, compactions: 0.1, transforms: 0, edits: 0, entries: 80 }));
      for (const { entry, removed } of report.data.losses) {
        const head = report.session.tree.heads.at(entry)!;
        const after = entriesAt(report, head);
        const before = entriesAt(report, parentOf(report.session.tree, head) ?? null);
        expect(removed).toBe([...before].filter((id) => !after.has(id)).length);
      }
      several.push(report.data.losses.length);
    }
    expect(Math.max(...several)).toBeGreaterThan(2);
  });

  it('are those of ctx loss, at each compaction', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(0, 0.1), async (seed, transforms) => {
        const { session, data } = await reported(generateSession({ seed, transforms, compactions: 0.1, entries: 60 }));
        for (const { entry, counts, classes } of data.losses) {
          const audited = auditLoss({ session }, session.tree.heads.at(entry)!);
          expect(counts).toEqual(audited.counts);
          // Those that an earlier compaction left in no summary are among its own.
          const { boundary, left } = audited;
          if (left.every(({ by }) => by === boundary?.entryId)) expect(classes).toEqual(audited.classes);
        }
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('a limit', () => {
  it('cuts the longest texts, and says how long they were', async () => {
    const text = generateSession({ seed: 3, entries: 60 });
    const long = 'x'.repeat(50_000);
    const message = { role: 'user', content: [{ type: 'text', text: long }] };
    const last = { type: 'message', id: 'long', parentId: null, timestamp: '2026-02-01T00:00:00.000Z', message };
    const { data } = await reported(`${text}${JSON.stringify(last)}\n`, 30_000);
    const cut = { text: long.slice(0, data.textLimit!), language: '' };
    const leftOut = { lines: 1, characters: 50_000 - data.textLimit! };
    expect(data.messages.at(-1)!.blocks).toEqual([{ kind: 'text', content: cut, leftOut }]);
    const whole = await reported(text);
    expect(whole.data.textLimit).toBe(null);
    expect(data.messages.slice(0, -1)).toEqual(whole.data.messages);
  });

  it('does not change what is counted', async () => {
    const text = generateSession({ seed: 5, entries: 80 });
    const [small, whole] = [await reported(text, 3000), await reported(text)];
    expect(small.data.requests.ledgers).toEqual(whole.data.requests.ledgers);
    expect(small.data.entries.tokens).toEqual(whole.data.entries.tokens);
    expect(textsIn(small).length).toBeLessThan(textsIn(whole).length);
  });
});

it('names the agent that wrote the session, which has no version of Pi', async () => {
  const file = path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl');
  const { data } = await reported(readFileSync(file, 'utf8'));
  expect(data.agent).toMatchObject({ title: 'Claude Code', version: '2.1.270', parts: { usage: 'recorded' } });
  expect(data.sessionVersion).toBe(null);
  const { agent, sessionVersion } = (await reported(generateSession({ seed: 1 }))).data;
  expect([agent, sessionVersion]).toEqual([null, 3]);
});

it('says the same each time', async () => {
  const text = generateSession({ seed: 11, transforms: 0.05 });
  const [one, other] = [await reported(text), await reported(text)];
  expect(JSON.stringify(one.data)).toBe(JSON.stringify(other.data));
});
