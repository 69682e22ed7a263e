import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const ZEROS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: COST };
const CALL = { type: 'toolCall', id: 'c1', name: 'ask', arguments: { model: 'delivery-mirror' } };

/** A file that is long enough for the line scanner. */
function fileWith(...answers: readonly JsonObject[]): string {
  const lines: JsonObject[] = [{ type: 'session', version: 3, id: 's', timestamp: '', cwd: '/' }];
  for (let at = 0; lines.length < 400; at += 1) {
    const answer = answers[at] ?? { provider: 'openai', model: 'gpt-5', usage: { ...ZEROS, input: 17 } };
    const message = { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(200) }], ...answer };
    const parentId = at === 0 ? null : idOf(at - 1);
    lines.push({ type: 'message', id: idOf(at), parentId, timestamp: '2026-09-01T00:00:00.000Z', message });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function idOf(at: number): string {
  return (0xa0000000 + at).toString(16);
}

describe('an answer that no provider gave, in a session of Pi', () => {
  it.each<[name: string, isLocal: boolean, answer: JsonObject]>([
    ['with zeros as usage', true, { provider: 'openclaw', model: 'gateway-injected', usage: ZEROS }],
    ['without a usage', true, { provider: 'openclaw', model: 'delivery-mirror' }],
    ['with the marked zeros of an import', true, { model: '<synthetic>', usage: { ...ZEROS, notRecorded: true } }],
    ['with its model after the usage', true, { usage: ZEROS, model: '<synthetic>' }],
    ['of a provider, with zeros', false, { provider: 'x', model: 'local', usage: ZEROS }],
    ['of a provider, without a usage', false, { provider: 'x', model: 'local' }],
    ['of a provider, whose call names such a model', false, { content: [CALL], model: 'local', usage: ZEROS }],
    ['of a provider, that names such a model alone', false, { content: [CALL], usage: ZEROS }],
  ])('%s: %s', (_name, isLocal, answer) => {
    const bytes = new TextEncoder().encode(fileWith({ model: 'gpt-5', usage: { ...ZEROS, input: 9 } }, answer));
    for (const isStrict of [false, true]) {
      const { heads } = readSession({ ...toByteSource(bytes), isStrict }, 's.jsonl').tree;
      const others = [...heads].filter(({ index }) => index !== 1);
      expect([isStrict, heads.isAnswerAt(1)]).toEqual([isStrict, !isLocal]);
      expect(others.every(({ index }) => heads.isAnswerAt(index))).toBe(true);
    }
  });

  it('keeps its mark in an old version', () => {
    const text = fileWith({ model: '<synthetic>', usage: ZEROS }).replace('"version":3', '"version":2');
    const { heads } = readSession(toByteSource(new TextEncoder().encode(text)), 's.jsonl').tree;
    expect([heads.isAnswerAt(0), heads.isAnswerAt(1)]).toEqual([false, true]);
  });
});
