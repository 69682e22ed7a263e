import { describe, expect, it } from 'vitest';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/empty-envelope.js';
import { withParts } from '#context/replay/system.js';
import { countTokens } from '#context/replay/tokens.js';
import { commonPrefix } from '../../../src/analysis/diff/report.js';

const base: EnvelopeContent = {
  ...withParts(EMPTY_ENVELOPE, [
    { name: 'preamble', text: 'x'.repeat(40) },
    { name: 'rules', text: 'y'.repeat(40) },
  ]),
  tools: [{ name: 'read' }],
  options: {},
  messages: { cached: [{ role: 'user', content: 'z'.repeat(40) }], uncached: [] },
};
const TOOLS = Math.ceil('{"name":"read"}'.length / 4);
const withMessages = (...cached: EnvelopeContent['messages']['cached']): EnvelopeContent => {
  return { ...base, messages: { cached, uncached: [] } };
};

describe('the common prefix of two requests', () => {
  it('is all of the earlier one where the later one goes on', () => {
    const later = withMessages(...base.messages.cached, { role: 'assistant', content: 'Hi' });
    expect(commonPrefix(base, later)).toEqual({ tokens: countTokens(base).total, end: null });
  });

  it('ends at a part that changed, before all messages', () => {
    const later = { ...base, ...withParts(base, [base.system.parts[0]!, { name: 'rules', text: 'other' }]) };
    expect(commonPrefix(base, later)).toEqual({
      tokens: TOOLS + 10,
      end: { section: 'system', index: 1, name: 'rules' },
    });
  });

  it('ends behind the tools where one was added, and where one is gone', () => {
    const later = { ...base, tools: [...base.tools, { name: 'bash' }] };
    expect(commonPrefix(base, later)).toEqual({ tokens: TOOLS, end: { section: 'tools', index: 1, name: 'bash' } });
    expect(commonPrefix(later, base)).toEqual({ tokens: TOOLS, end: { section: 'tools', index: 1, name: null } });
  });

  it('ends at a message that changed or is gone', () => {
    const end = { section: 'messages', index: 0, name: 'user' };
    expect(commonPrefix(base, withMessages({ role: 'user', content: 'other' }))).toMatchObject({ end });
    expect(commonPrefix(base, withMessages())).toMatchObject({ end: { ...end, name: null } });
  });

  it('ends where one has more in a section than the other, with the name of what the later one has there', () => {
    const fewer = { ...base, ...withParts(base, [base.system.parts[0]!]) };
    const more = { ...base, ...withParts(base, [...base.system.parts, { name: 'more', text: 'x' }]) };
    expect(commonPrefix(base, fewer)).toEqual({ tokens: TOOLS + 10, end: { section: 'system', index: 1, name: null } });
    expect(commonPrefix(base, more)).toEqual({
      tokens: TOOLS + 10 + 10,
      end: { section: 'system', index: 2, name: 'more' },
    });
    const none = { ...withParts(base, []), tools: [] };
    expect(commonPrefix(none, base)).toEqual({ tokens: 0, end: { section: 'tools', index: 0, name: 'read' } });
    expect(commonPrefix(base, none)).toEqual({ tokens: 0, end: { section: 'tools', index: 0, name: null } });
    expect(commonPrefix(base, { ...none, messages: { cached: [], uncached: [] } }).end?.section).toBe('tools');
  });

  it('is all there is where the later one is as long, and may end among what is not cached', () => {
    expect(commonPrefix(base, structuredClone(base))).toEqual({ tokens: countTokens(base).total, end: null });
    const uncached = [{ role: 'user' as const, content: 'now' }];
    const before: EnvelopeContent = { ...base, messages: { ...base.messages, uncached } };
    expect(commonPrefix(before, base)).toEqual({
      tokens: TOOLS + 30,
      end: { section: 'messages', index: 1, name: null },
    });
    expect(commonPrefix(base, before)).toEqual({ tokens: countTokens(base).total, end: null });
  });

  it('compares the sent content: not the order of keys, parts without text or the separator of the first', () => {
    const ordered = withMessages({ content: 'z'.repeat(40), role: 'user' });
    expect(commonPrefix(base, ordered).end).toBeNull();
    const [first, second] = base.system.parts;
    const parts = (...list: EnvelopeContent['system']['parts']): EnvelopeContent => ({
      ...base,
      system: { ...base.system, parts: list },
    });
    const empty = { name: 'empty', text: '', separator: '---' };
    expect(commonPrefix(base, parts(empty, { ...first!, separator: '\n' }, empty, second!)).end).toBeNull();
    expect(commonPrefix(base, parts(first!, { ...second!, separator: '---' })).end).toEqual({
      section: 'system',
      index: 1,
      name: 'rules',
    });
  });
});
