import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnBlock } from '#analysis/reading/reading-block.js';
import { toLenient } from '#context/lenient.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { reported, type Reported } from '../../support/reports.js';
import { runs } from '../../support/runs.js';

function fixture(name: string): Promise<Reported> {
  return reported(text(name));
}

function text(name: string): string {
  return readFileSync(`${projectFolder}/fixtures/${name}.jsonl`, 'utf8');
}

/** The fates by the ids of the entries. */
function fatesIn({ data: { conversation, entries } }: Reported): readonly string[] {
  return conversation.fates.map(([entry, fate, by]) => `${entries.ids[entry]} ${fate} by ${entries.ids[by]}`);
}

describe('the conversation of a report', () => {
  it('names what the context omits or changes, and the entry that did it', async () => {
    expect(fatesIn(await fixture('edits-and-compaction'))).toMatchInlineSnapshot(`
      [
        "u1 omitted by k1",
        "a1 changed by e2",
      ]
    `);
    expect(fatesIn(await fixture('two-compactions'))).toMatchInlineSnapshot(`
      [
        "u1 omitted by k1",
        "k1 omitted by k2",
      ]
    `);
  });

  it('says nothing of a summary whose content an edit cannot replace', async () => {
    const log = new Log('summaries')
      .user('u1', 'go')
      .entry('b1', 'branch_summary', { fromId: 'u1', summary: '' })
      .entry('b2', 'branch_summary', { fromId: 'u1', summary: 'tried' });
    for (const targetId of ['b1', 'b2', 'u1'])
      log.entry(`of-${targetId}`, 'context_edit', { targetId, replacement: { content: 'x' } });
    log.entry('last', 'context_edit', { targetId: 'b2', replacement: null });
    expect(fatesIn(await reported(log.text()))).toEqual(['u1 changed by of-u1', 'b2 omitted by last']);
  });

  it('agrees with the context at the end of generated sessions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1e6 }), async (seed) => {
        const { session, data } = await reported(generateSession({ seed }));
        const { meta } = buildEnvelope(toLenient(session), session.tree.leaf);
        const sent = new Map(meta.provenance.map((from) => [from.line, from.origin]));
        for (const [entry, fate] of data.conversation.fates) {
          const head = session.tree.heads.at(entry);
          // A stored summary of this role may have nothing to send.
          if (head === undefined || head.role === 'compactionSummary') continue;
          expect(sent.get(head.line) ?? 'omitted').toBe(fate === 'omitted' ? 'omitted' : 'edit');
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('draws each entry of the path, and draws it again on demand', async () => {
    const { data } = await fixture('weather');
    const drawn = [...data.drawn];
    expect(drawn).toHaveLength(data.entries.path.length);
    expect([...data.drawn]).toEqual(drawn);
    for (const entry of drawn) for (const block of entry?.blocks ?? []) drawnBlock.parse(block);
    const names = data.entries.path.map((entry) => data.words[data.entries.names[entry]!]);
    const result = names.indexOf('toolResult');
    const calls = drawn[result - 1]?.blocks.flatMap((block) => (block.kind === 'call' ? [block.id] : []));
    expect(calls).toContain(drawn[result]?.answers);
    expect(data.conversation.turns.map((at) => names[at])).toContain('user');
  });

  it('cuts texts as the rest of the page', async () => {
    const { data } = await reported(text('weather'), 2000);
    expect(JSON.stringify([...data.drawn]).length).toBeLessThan(
      JSON.stringify([...(await fixture('weather')).data.drawn]).length,
    );
    expect(JSON.stringify([...data.drawn])).toContain('leftOut');
  });
});
