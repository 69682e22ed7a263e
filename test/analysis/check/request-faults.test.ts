import { describe, expect, it } from 'vitest';
import { listRejectingRules, RequestFaultFinder } from '#analysis/check/request-faults.js';
import type { LlmMessage } from '#context/replay/content.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';

const rules = listRejectingRules();

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
  const built = new RequestFaultFinder(rules);
  return requests.map((messages) =>
    built
      .find(
        messages,
        messages.map((_, at) => `m${at}`),
      )
      .map(({ rule, entryId }) => `${rule} ${entryId}`),
  );
}

const picture = (text: string): LlmMessage => ({
  role: 'user',
  content: [
    { type: 'text', text },
    { type: 'image', data: 'no image', mimeType: 'image/png' },
  ],
});

/** Mostly a call at even places, and its result after it. */
function someMessage(at: number, next: () => number): LlmMessage {
  if (next() % 4 === 0) return user('look');
  const id = `c${Math.floor(at / 2)}`;
  return at % 2 === 0 ? call(id) : result(id);
}

function sorted(built: RequestFaultFinder, messages: readonly LlmMessage[]): readonly string[] {
  const sources = messages.map((_, at) => `m${at}`);
  return built
    .find(messages, sources)
    .map(({ rule, entryId }) => `${rule} ${entryId}`)
    .toSorted();
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

  it('has the faults that it has alone, whatever ended the requests before', () => {
    const random = new Random(7);
    const next = (): number => random.int(0, 1e6);
    let [refused, sound] = [0, 0];
    for (let session = 0; session < runs(200); session += 1) {
      const built = new RequestFaultFinder(rules);
      let messages: readonly LlmMessage[] = [];
      for (let request = 0; request < 8; request += 1) {
        messages = [...messages, someMessage(messages.length, next)];
        const ends = [[user('now')], [user('now'), picture('now')], [call(`c${Math.floor(messages.length / 2)}`)]];
        const sent = [...messages, ...(ends[next() % 3] ?? [])];
        const faults = sorted(built, sent);
        expect(faults).toEqual(sorted(new RequestFaultFinder(rules), sent));
        if (faults.length > 0) refused += 1;
        else sound += 1;
      }
    }
    expect(Math.min(refused, sound)).toBeGreaterThan(runs(100));
  });

  it('does not mix up requests that are checked side by side', () => {
    const [one, other] = [new RequestFaultFinder(rules), new RequestFaultFinder(rules)];
    expect(one.find([user('look'), result('c1')], [])).toHaveLength(1);
    expect(other.find([user('look'), call('c1'), result('c1')], [])).toEqual([]);
  });
});
