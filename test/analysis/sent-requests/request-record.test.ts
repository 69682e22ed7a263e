import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashRequest } from '#analysis/sent-requests/hash-request.js';
import { readPiRequest, type RequestContent } from '#analysis/sent-requests/request-content.js';
import { buildRequestRecord, restoreRequest } from '#analysis/sent-requests/request-record.js';

const messages = fc.array(fc.record({ role: fc.constant('user'), content: fc.string({ maxLength: 3 }) }), {
  maxLength: 8,
});
const content: fc.Arbitrary<RequestContent> = fc.record({
  system: fc.string({ maxLength: 3 }),
  tools: fc.array(fc.record({ name: fc.string({ maxLength: 2 }) }), { maxLength: 3 }),
  messages,
  reasoning: fc.option(fc.constantFrom('low', 'high')),
});

describe('the record of a request', () => {
  it('leads from the request that is shown to the one that was sent', () => {
    fc.assert(
      fc.property(content, content, (shown, sent) => {
        const record = buildRequestRecord(shown, sent, new Set());
        expect(restoreRequest(shown, record, new Map(Object.entries(record.values ?? {})))).toEqual(sent);
        expect(record.sha256).toBe(hashRequest(structuredClone(sent)));
      }),
    );
  });

  it('contains a value once in a session', () => {
    const shown: RequestContent = { system: 'a', tools: [], messages: [], reasoning: null };
    const sent = { ...shown, system: 'b' };
    const first = buildRequestRecord(shown, sent, new Set());
    const again = buildRequestRecord(shown, sent, new Set(Object.keys(first.values ?? {})));
    expect(again).toEqual({ ...first, values: {} });
    expect(restoreRequest(shown, again, new Map())).toBeNull();
  });

  it('has no difference for an equal request, whatever the order of its keys', () => {
    const shown: RequestContent = {
      system: '',
      tools: [],
      messages: [{ role: 'user', content: 'Hi' }],
      reasoning: null,
    };
    const sent = readPiRequest([{ content: 'Hi', role: 'user', details: undefined }], undefined, shown);
    expect(sent.messages[0]).toBe(shown.messages[0]);
    expect(buildRequestRecord(shown, sent, new Set())).not.toHaveProperty('differs');
  });
});

describe('the hash of a request', () => {
  it('differs if any part differs', () => {
    const base: RequestContent = { system: 'a', tools: [{ name: 'x' }], messages: [{ role: 'user' }], reasoning: null };
    const others: readonly RequestContent[] = [
      { ...base, system: 'b' },
      { ...base, tools: [] },
      { ...base, messages: [] },
      { ...base, messages: [{ role: 'user' }, { role: 'user' }] },
      { ...base, reasoning: 'low' },
    ];
    const all = [base, ...others].map(hashRequest);
    expect(new Set(all).size).toBe(all.length);
  });
});
