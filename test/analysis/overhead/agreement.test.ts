import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { collectOverhead, type SessionOverhead } from '#analysis/overhead/session-overhead.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { incrementCount } from '#base/maps.js';
import { contentKey } from '#context/contents/contents.js';
import { toLenient } from '#context/lenient.js';
import { type OpenSession, openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';

const FILES = [
  'weather.jsonl',
  'system-messages.jsonl',
  'tool-change.jsonl',
  'edits.jsonl',
  'edits-and-compaction.jsonl',
  'cache-breaks.jsonl',
  'compacted-twice.jsonl',
  'two-compactions.jsonl',
  'research.jsonl',
  'working.jsonl',
  'mixed/dual-written.jsonl',
  'ops/tools_replace.jsonl',
  'ops/messages_cached_replace.jsonl',
  'agents/claude-code/session.jsonl',
  'agents/claude-code/requests.jsonl',
  'agents/codex/rollout.jsonl',
  'agents/codex/continued/rollout-2026-11-24T03-38-01-01a20ba1-c690-7760-a0ca-2f9830e5231b.jsonl',
];

const KINDS = new Set(['memory files', 'tools', 'skills', 'agents', 'hooks']);
const WITHOUT_PRICES = { period: null, priceList: () => null };

function overheadOf(session: OpenSession): SessionOverhead {
  const source = { session, path: activePath(session.tree), baseline: {} };
  return collectOverhead(source, { ...WITHOUT_PRICES, shared: new SharedEntries() });
}

/** The sums of what the context before each answer holds, as `ctx show` prints it. */
function sumShownContents(session: OpenSession): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const shown = toLenient(session);
  const steps = activePath(session.tree);
  for (const [at, head] of steps.entries()) {
    if (!answersRequest(head)) continue;
    for (const content of buildEnvelope(shown, steps[at - 1] ?? null).meta.composition.contents)
      if (KINDS.has(content.kind) && content.tokens > 0) incrementCount(sums, contentKey(content), content.tokens);
  }
  return sums;
}

async function expectAgreement(bytes: Uint8Array): Promise<void> {
  const session = await openSession(bytes);
  const { contents } = overheadOf(session);
  const sums = new Map(contents.map((content) => [contentKey(content), content.sums.tokens]));
  expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(sumShownContents(session)));
  for (const { items, sums: own } of contents)
    expect([...items.values()].reduce((sum, { tokens }) => sum + tokens, 0)).toBe(own.tokens);
}

it.each(FILES)('requests carry in all what each context shows: %s', async (name) => {
  await expectAgreement(new Uint8Array(readFileSync(path.join(projectFolder, 'fixtures', name))));
});

it('also where edits, omissions and compactions come between requests', async () => {
  const tools = [{ name: 'read', description: 'Reads. '.repeat(20), parameters: {} }];
  const log = new Log('e').message('s1', {
    role: 'system',
    content: '',
    sections: { preamble: 'Hi.' },
    toolsAdded: tools,
  });
  const answer = (at: number): Record<string, unknown> => ({
    usage: { input: 200 + 40 * at, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 205 + 40 * at },
  });
  for (let at = 1; at <= 12; at += 1) {
    const skill = `<skill name="pdf" location="/s">\n${'Read it. '.repeat(at)}</skill>\n\nGo on ${at}.`;
    log
      .user(`u${at}`, at % 3 === 0 ? skill : `Go on ${at}. ${'word '.repeat(at)}`)
      .assistant(`a${at}`, 'Yes.', answer(at));
    if (at % 2 === 0)
      log.entry(`e${at}`, 'context_edit', { targetId: `u${at}`, replacement: { content: `Short ${at}.` } });
    if (at % 4 === 0) log.entry(`o${at}`, 'context_edit', { targetId: `u${at - 1}`, replacement: null });
    if (at === 8) log.compaction('k1', 'What was done.', 'u6');
  }
  await expectAgreement(new TextEncoder().encode(log.text()));
});

it('the sessions of these files carry something of each kind', async () => {
  const kinds = new Set<string>();
  for (const name of FILES) {
    const session = await openSession(new Uint8Array(readFileSync(path.join(projectFolder, 'fixtures', name))));
    for (const { kind } of overheadOf(session).contents) kinds.add(kind);
  }
  expect([...kinds].toSorted()).toEqual(['memory files', 'skills', 'tools']);
});
