import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '#base/errors.js';
import { buildImportSource } from '#change/migrate/import-session.js';
import { eachEnvelope } from '#context/envelope-at.js';
import { openSession, type OpenSession, toOpenSession } from '#context/open.js';
import { formatId } from '#session/heads/head.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { readSession } from '../../src/session/read-session.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { mutated, mutation } from '../support/damaged-files.js';
import { bytes } from '../support/entries.js';
import { triedSamplesOf } from '../support/files.js';
import { unwrapped } from '../support/imported.js';
import { runs } from '../support/runs.js';

const seed = fc.integer({ min: 0, max: 100_000 });

describe('a session of Claude Code', () => {
  it('accounts for every byte and reads every entry, whatever the damage', async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.boolean(), fc.array(mutation, { maxLength: 4 }), async (from, isDamaged, changes) => {
        const prefix = '{"type":"file-history-snapshot","messageId":"m"}\n';
        const file = changes.reduce(mutated, bytes(generateClaudeCode(from, isDamaged)));
        const session = await openSession(Buffer.concat([bytes(prefix), file]));
        expect(bytesAccountedFor(session.scan)).toBe(session.source.size);
        expect(session.agent?.name).toBe('claude-code');
        for (const head of session.tree.heads) expect(session.entry(head)['id']).toBe(head.id);
        expect(linesInOrder(session)).toBe(true);
        expect([...eachEnvelope(session, 'HEAD', { lenient: true })]).toBeDefined();
      }),
      { numRuns: runs(150) },
    );
  });

  it('is the same at every entry once it is imported', async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.boolean(), async (from, isDamaged) => {
        await expectSameImport(await openSession(bytes(generateClaudeCode(from, isDamaged))));
      }),
      { numRuns: runs(60) },
    );
  });

  it.each(triedSamplesOf('claude-code'))('is the same at every entry once it is imported: %s', async (file) => {
    const session = await openSession(file);
    await expectSameImport(session);
    session.close();
  });
});

function linesInOrder({ tree: { heads } }: OpenSession): boolean {
  let last = 0;
  for (const { line } of heads) {
    if (line < last) return false;
    last = line;
  }
  return true;
}

async function expectSameImport(session: OpenSession): Promise<void> {
  const { source } = buildImportSource(session);
  const imported = await toOpenSession(readSession(source, 'imported.jsonl'));
  // Only lost parents stay lost.
  const lost = session.problems.filter(({ code }) => code === 'orphan');
  const errors = imported.problems.filter(({ severity }) => severity === 'error');
  expect(errors.map(nameOf)).toEqual(lost.map(nameOf));
  // Without a message, nothing is active here, but Pi continues from the last entry.
  if (!session.tree.leaf) return;
  expect(formatId(imported.tree.leaf?.id)).toBe(formatId(session.tree.leaf.id));
  const contents = contentsOf(imported);
  // An import also adds entries that Pi needs.
  for (const [id, content] of contentsOf(session)) expect(contents.get(id), id).toBe(content);
}

function nameOf({ code, entryId }: Problem): string {
  return `${code} ${entryId}`;
}

/** The contexts without what an import adds for Pi: its words around a summary, and zeros for usage that is not recorded. */
function contentsOf(session: OpenSession): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  const known = (key: string, value: unknown): unknown => (key === 'usage' ? undefined : value);
  for (const { head, content } of eachEnvelope(session, 'HEAD', { lenient: true }))
    contents.set(
      String(head.id),
      JSON.stringify({ ...content, messages: content.messages.cached.map(unwrapped) }, known),
    );
  return contents;
}
