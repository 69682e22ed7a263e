import { describe, expect, it } from 'vitest';
import { BuiltRequests, refusingRules } from '#analysis/check/built-requests.js';
import type { LlmMessage } from '#context/replay/content.js';

const rules = await refusingRules();

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const call = (id: string): LlmMessage => ({
  role: 'assistant',
  content: [{ type: 'toolCall', id, name: 'read', arguments: {} }],
});
const result = (toolCallId: string): LlmMessage => ({
  role: 'toolResult',
  toolCallId,
  content: [{ type: 'text', text: 'a file' }],
});

/** The rules that each of some requests breaks, checked one after another. */
function broken(...requests: readonly (readonly LlmMessage[])[]): readonly (readonly string[])[] {
  const built = new BuiltRequests(rules);
  return requests.map((messages) =>
    built
      .next(
        messages,
        messages.map((_, at) => `m${at}`),
      )
      .map(({ rule, entryId }) => `${rule} ${entryId}`),
  );
}

describe('a built request', () => {
  it('is sendable where each result has its call', () => {
    expect(broken([user('look'), call('c1'), result('c1')])).toEqual([[]]);
  });

  it('is refused where it holds nothing that is sent', () => {
    const failed: LlmMessage = { role: 'assistant', content: [], stopReason: 'error' };
    expect(broken([], [failed])).toEqual([['empty-request null'], ['empty-request null']]);
  });

  it('is refused for a result without its call, before its call, and twice', () => {
    expect(broken([user('look'), result('c1')])).toEqual([['result-without-call m1']]);
    expect(broken([user('look'), result('c1'), call('c1')])).toEqual([['result-out-of-order m1']]);
    expect(broken([call('c1'), result('c1'), result('c1')])).toEqual([['duplicate-result m2']]);
  });

  it('stays refused while it only grows, and not after that', () => {
    const bad = [user('look'), result('c1')];
    const good = [user('look'), call('c1'), result('c1')];
    expect(broken(bad, [...bad, user('go on')], good).map((faults) => faults.length)).toEqual([1, 1, 0]);
  });

  it('does not mix up requests that are checked side by side', () => {
    const [one, other] = [new BuiltRequests(rules), new BuiltRequests(rules)];
    expect(one.next([user('look'), result('c1')], [])).toHaveLength(1);
    expect(other.next([user('look'), call('c1'), result('c1')], [])).toEqual([]);
  });
});
