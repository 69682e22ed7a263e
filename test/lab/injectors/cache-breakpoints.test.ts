import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '#change/prune/policy.js';
import type { RequestFormat } from '#cli/commands/export/formats/define.js';
import { exportFormats } from '#cli/commands/export/formats/index.js';
import { openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { buildAssemblyDocument } from '#lab/build-assembly-document.js';
import { createThreePhaseEngine, type ThreePhaseEngine } from '#lab/builtin/three-phase.js';
import { driveEngine } from '#lab/drive/drive.js';
import type { Driven } from '#lab/drive/driven-request.js';
import { type Assembly, buildDefaultAssembly } from '#lab/injectors/assembly.js';
import { type CacheBreakpoint, listCacheBreakpoints } from '#lab/injectors/cache-breakpoints.js';
import type { Placement } from '#lab/injectors/define.js';
import { buildTextInjector } from '#lab/injectors/text-injector.js';
import { bytes } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

const SESSION = readFileSync(`${projectFolder}/fixtures/research.jsonl`, 'utf8');
const anthropic = exportFormats.find(({ name }) => name === 'anthropic') as RequestFormat;

interface Payload {
  readonly system: readonly object[];
  readonly tools: readonly object[];
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[];
}

/** The request that the engine builds at the leaf, its breakpoints, and the payload with them. */
async function requestOf(assembly: Assembly): Promise<{
  readonly assembled: AssemblyDocument;
  readonly breakpoints: readonly CacheBreakpoint[];
  readonly payload: Payload;
}> {
  const session = await openSession(bytes(SESSION));
  let engine: ThreePhaseEngine | null = null;
  let last: Driven | null = null;
  const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };
  const options = { tokenBudget: null, settings, policy: defaultPolicy(), asksAtEnd: true };
  for await (const each of driveEngine(session, (setup) => (engine = createThreePhaseEngine(setup, assembly)), options))
    last = each;
  const { leaf } = session.tree;
  const declared = buildEnvelope(session, leaf);
  const { contributions: placed, origins } = engine as unknown as ThreePhaseEngine;
  const report = { placed: placed(), origins: origins() };
  const about = { session, engine: 'three-phase', budget: null, declared, report, deeds: [] };
  const assembled = buildAssemblyDocument(last as unknown as Driven, about);
  const breakpoints = listCacheBreakpoints(assembled);
  const { system, tools, options: asked, messages } = assembled;
  const envelope = { ...declared, system, tools, options: asked, messages };
  const { pieces } = anthropic.write({ session, at: leaf, envelope, model: undefined, maxTokens: 1000, breakpoints });
  return { assembled, breakpoints, payload: JSON.parse([...pieces].join('')) as Payload };
}

const own = (name: string, placement: Omit<Placement, 'priority' | 'maxTokens'>) => {
  const whole = { ...placement, priority: 50, maxTokens: 500 };
  const settings = { texts: [{ path: name, text: `The text of ${name}.` }], top: 0 };
  return { injector: buildTextInjector(name, whole), placement: whole, settings };
};

const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const minutes = { cache_control: { type: 'ephemeral', ttl: '5m' } };

describe('cache breakpoints', () => {
  it('are an hour for stable content, five minutes for that of the session, and none for what is dynamic', async () => {
    const seats = [...buildDefaultAssembly().injectors, own('team', { phase: 'user-context', cache: 'session' })];
    const { breakpoints, payload, assembled } = await requestOf({ ...buildDefaultAssembly(), injectors: seats });
    expect(breakpoints).toEqual([
      { place: 'tools', at: 3, ttl: '1h' },
      { place: 'system', at: 2, ttl: '1h' },
      { place: 'messages', at: 0, ttl: '5m' },
      { place: 'messages', at: assembled.messages.cached.length - 1, ttl: '5m' },
    ]);
    expect(payload.tools.at(-1)).toMatchObject(hour);
    expect(payload.system).toMatchObject([hour]);
    expect(payload.messages[0]?.content).toMatchObject([
      { text: expect.stringContaining('team') as unknown, ...minutes },
    ]);
    const [conversation, tail] = payload.messages.slice(-2);
    expect(conversation?.content).toMatchObject([{ text: 'What is left to do?', ...minutes }]);
    expect(JSON.stringify(tail)).toMatch(/Current state.*Next: What is left to do/);
    expect(JSON.stringify(payload).match(/cache_control/g)).toHaveLength(4);
  });

  it('part the prompt where the strategy changes, and are four at most', async () => {
    const seats = [
      ...buildDefaultAssembly().injectors,
      own('team', { phase: 'user-context', cache: 'session' }),
      own('sprint', { phase: 'system', cache: 'session' }),
    ];
    const { breakpoints, payload } = await requestOf({ ...buildDefaultAssembly(), injectors: seats });
    expect(breakpoints.map(({ place, ttl }) => `${place} ${ttl}`)).toEqual([
      'system 1h',
      'system 5m',
      'messages 5m',
      'messages 5m',
    ]);
    expect(payload.system).toMatchObject([hour, { text: '\n\nThe text of sprint.', ...minutes }]);
    expect(JSON.stringify(payload.tools)).not.toContain('cache_control');
  });

  it('are before a tail that is in the newest message', async () => {
    const { payload } = await requestOf({ ...buildDefaultAssembly(), tail: 'newest-message' });
    expect(payload.messages.at(-1)?.content.map((block) => 'cache_control' in block)).toEqual([false, false]);
    expect(payload.messages.at(-2)?.content).toMatchObject([{ text: 'Part 14 is done.', ...minutes }]);
  });
});
