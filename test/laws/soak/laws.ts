import { expect } from 'vitest';
import { openSession } from '#context/open.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';
import { ctx } from '../../support/memory-io.js';

const FILE = 's.jsonl';

/** What must hold of a session that was written to in any way. */
export async function expectAllLaws(bytes: Uint8Array): Promise<void> {
  await expectSameReaders(bytes);
  await expectSound(bytes);
  await expectPairs(bytes);
}

/** A law that a step has to keep. */
export function holds(law: string, found: unknown, wanted: unknown): void {
  expect({ [law]: found }).toEqual({ [law]: wanted });
}

/** Law L3: what is read is the same each time, also where every line is parsed. */
async function expectSameReaders(bytes: Uint8Array): Promise<void> {
  for (const argv of [
    ['show', FILE, '--json'],
    ['show', FILE, '--each'],
    ['tree', FILE, '--json', '--filter', 'all'],
  ]) {
    const [lazy, strict] = await Promise.all(
      [{}, { CTX_STRICT: '1' }].map(async (env) => {
        const { exitCode, stdout, stderr } = await ctx(argv, { files: { [FILE]: bytes }, env });
        return { exitCode, stdout, stderr };
      }),
    );
    // An edit may stay behind the entry that it was about, where a range was extracted: that is said on stderr.
    expect(lazy?.exitCode).toBe(0);
    expect(lazy).toEqual(strict);
  }
}

/** No rule finds an error, and every category of tokens is in the total. */
async function expectSound(bytes: Uint8Array): Promise<void> {
  const { stdout } = await ctx(
    ['check', FILE, '--json', '--severity', 'error', '--rules', 'file,tree,schema,context,provider'],
    {
      files: { [FILE]: bytes },
    },
  );
  const { files } = JSON.parse(stdout) as { files: readonly { findings: readonly unknown[] }[] };
  expect(files.flatMap(({ findings }) => findings)).toEqual([]);
}

/** Law L4: every byte is accounted for. Law L10: no write parts a tool call from its result. */
async function expectPairs(bytes: Uint8Array): Promise<void> {
  const session = await openSession(bytes, nodeFiles);
  expect(bytesAccountedFor(session.scan)).toBe(bytes.length);
  const { messages } = replayContext(session, session.tree.leaf);
  const calls = new Set<unknown>();
  for (const message of messages.cached as readonly { role: string; content: unknown; toolCallId?: unknown }[]) {
    if (message.role === 'toolResult') expect([...calls]).toContain(message.toolCallId);
    if (message.role !== 'assistant' || !Array.isArray(message.content)) continue;
    for (const block of message.content as readonly { type: string; id?: unknown }[])
      if (block.type === 'toolCall') calls.add(block.id);
  }
}
