import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { assertAppendable } from '#change/plan/appendable.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import type { Plan } from '#change/plan/plan.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { ignorePatches } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { AgentMessage } from '#lab/contract.js';
import { rewriteBranch } from '#lab/drive/transcript/rewrite.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { fixtures, recordings } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { countedIds } from '../support/memory-io.js';
import { isComparable, seenOtherwise } from './judged.js';

/** Generated sessions, and those of the project that can be appended to. */
function* sessions(): Generator<Uint8Array> {
  for (let seed = 0; seed < 60; seed += 1)
    yield Buffer.from(generateSession({ seed, entries: 30, compactions: 0.1, edits: 0.15 }));
  for (const file of [...fixtures, ...recordings]) {
    if (!isComparable(file) || /damaged|missing/.test(file)) continue;
    const bytes = readFileSync(file);
    if (bytes.length < 1e6) yield bytes;
  }
}

/** null for one that Pi would rewrite, or that is none. */
function readWritable(bytes: Uint8Array): Session | null {
  try {
    const session = readSession(toByteSource(bytes), 's.jsonl');
    assertAppendable(session);
    return session;
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}

/** Messages of every other entry of the path are said in other words, from the first or from the middle on. */
function* rewritesOf(session: Session): Generator<Plan> {
  const along = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
  const spoken = along.filter(({ role }) => role === 'user' || role === 'toolResult');
  for (const from of [0, Math.floor(spoken.length / 2)]) {
    const replacements = spoken.slice(from).flatMap((head, at) => {
      const { message } = session.entry(head) as { message: AgentMessage };
      const content = [{ type: 'text', text: 'said in other words' }];
      return at % 2 === 0 ? [{ entryId: String(head.id), message: { ...message, content } }] : [];
    });
    const { result, entries } = rewriteBranch({ session, path: along }, replacements, countedIds());
    if (result.changed) yield buildPlan(buildDraft(session, entries), 'rewrite');
  }
}

function envelopeIn(bytes: Uint8Array): string {
  const session = readSession(toByteSource(bytes), 's.jsonl');
  return JSON.stringify(buildEnvelope(ignorePatches(session), session.tree.leaf).messages);
}

it('real Pi shows a transcript that was rewritten as it was predicted', async () => {
  const files: Uint8Array[] = [];
  let shown = 0;
  for (const bytes of sessions()) {
    const session = readWritable(bytes);
    for (const plan of session ? rewritesOf(session) : []) {
      const file = Buffer.concat([bytes, encodeEntries(plan)]);
      // What was replaced is what is shown, where it is shown at all.
      if (envelopeIn(file).includes('said in other words')) shown += 1;
      files.push(file);
    }
  }
  expect(await seenOtherwise(files)).toEqual([]);
  expect(files.length).toBeGreaterThan(80);
  expect(shown).toBeGreaterThan(files.length / 2);
});
