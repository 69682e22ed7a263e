import { describe, expect, it } from 'vitest';
import { applyPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { AssembledContent } from '#lab/drive/driven-request.js';
import { findEngineChange } from '#live/pipeline/engine-change.js';

const user = (text: string, timestamp: number): LlmMessage => ({ role: 'user', content: text, timestamp });
const REPLAYED: EnvelopeContent = {
  system: { parts: [{ name: 'base', text: 'Base.' }], compiled: 'Base.' },
  tools: [{ name: 'read' }, { name: 'bash' }],
  messages: { cached: [user('one', 1), user('two', 2)], uncached: [] },
  options: {},
};

/** An engine's request: each message with its source. */
function assembled(
  messages: readonly (readonly [LlmMessage, string | null])[],
  more: Partial<AssembledContent> = {},
): AssembledContent {
  const { system, tools, options } = REPLAYED;
  const sizes = { tokens: 0, estimatedTokens: 0, promptAuthority: 'assembled' } as const;
  const [all, sources] = [messages.map(([message]) => message), messages.map(([, source]) => source)];
  return { system, tools, options, messages: all, sources, ...sizes, ...more };
}

const ONE = [user('one', 1), 'u1'] as const;
const TWO = [user('two', 2), 'u2'] as const;
const change = (request: AssembledContent): ReturnType<typeof findEngineChange> =>
  findEngineChange(REPLAYED, request, 'engine x');

describe('the change of an engine', () => {
  it('is nothing where it sends the context', () => {
    const { patch, messages } = change(assembled([ONE, TWO]));
    expect(patch).toEqual([]);
    expect(messages).toEqual(REPLAYED.messages);
  });

  it('is a patch that makes the context the request', () => {
    const system = { parts: [{ name: 'own', text: 'Own.' }], compiled: 'Own.' };
    const { patch } = change(assembled([TWO], { system, tools: [{ name: 'read' }] }));
    const { envelope } = applyPatch(REPLAYED, patch);
    expect(envelope).toEqual({
      ...REPLAYED,
      system,
      tools: [{ name: 'read' }],
      messages: { cached: [user('two', 2)], uncached: [] },
    });
  });

  it('does not store a tail, which is for one request', () => {
    const { patch, messages } = change(assembled([ONE, TWO, [user('Recall.', 2), null]]));
    expect(patch).toEqual([]);
    expect(messages.uncached).toEqual([user('Recall.', 2)]);
  });

  it('does not store a tail in the newest message', () => {
    const { patch, messages } = change(assembled([ONE, [user('two, and recall', 2), null]]));
    expect(patch).toEqual([]);
    expect(messages).toEqual({ cached: [user('one', 1), user('two, and recall', 2)], uncached: [] });
  });

  it('stores an older message that it replaced', () => {
    const { patch } = change(assembled([[user('1', 1), null], TWO]));
    expect(applyPatch(REPLAYED, patch).envelope.messages.cached).toEqual([user('1', 1), user('two', 2)]);
  });
});
