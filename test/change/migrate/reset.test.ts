import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { projectFolder } from '../../support/files.js';
import { importedBytes } from '../../support/imported.js';

const FIXTURE = path.join(projectFolder, 'fixtures/agents/openclaw/session.jsonl');

it.each([
  ['keeps nothing', '', 2],
  ['keeps messages', ',"firstKeptEntryId":"u3"', 4],
])('a reset that %s is a compaction without a summary in Pi', async (_what, kept, count) => {
  const text = readFileSync(FIXTURE, 'utf8').replace('"reason":"new","firstKeptEntryId":"u3"', `"reason":"new"${kept}`);
  const session = await openSession(new TextEncoder().encode(text));
  const { messages } = buildEnvelope(session, session.tree.leaf);
  expect(messages.cached).toHaveLength(count);
  const bytes = importedBytes(session);
  expect(new TextDecoder().decode(bytes)).not.toContain('reset_boundary');
  const imported = await openSession(bytes);
  const read = buildEnvelope(imported, imported.tree.leaf);
  expect(read.messages.cached.map(({ content }) => content)).toEqual(messages.cached.map(({ content }) => content));
});
