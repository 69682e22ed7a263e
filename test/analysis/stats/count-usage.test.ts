import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSession } from '#analysis/stats/count-session.js';
import { countUsage } from '#analysis/stats/count-usage.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { openSession } from '#context/open.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { readAnswerEnd } from '#session/scan/answer-end.js';
import { anyCharacter } from '../../support/any-character.js';
import { generateSession } from '../../support/generate.js';

type Json = Record<string, unknown>;

/** Shorter files are read by JSON.parse alone. */
const FAST_BYTES = 1 << 16;
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/home/ada"}';
const LONG = line(0, { role: 'user', content: 'x'.repeat(FAST_BYTES), timestamp: 1 });

function line(index: number, message: Json, before = ''): string {
  const id = index.toString(16).padStart(8, '0');
  const parent = index === 0 ? 'null' : `"${(index - 1).toString(16).padStart(8, '0')}"`;
  const start = `{"type":"message","id":"${id}","parentId":${parent},"timestamp":"2026-01-05T09:00:01.000Z"`;
  return `${start}${before},"message":${JSON.stringify(message)}}`;
}

function fileOf(...lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode([HEADER, LONG, ...lines, ''].join('\n'));
}

async function both(bytes: Uint8Array): Promise<{ readonly alone: unknown; readonly whole: unknown }> {
  const session = await openSession(bytes);
  const alone = countUsage(session, new SharedEntries(), () => null);
  const { messages, shared, ...stats } = countSession(session, { method: BY_CHARACTERS, title: '' });
  const whole = Object.fromEntries(Object.keys(alone).map((key) => [key, stats[key as keyof typeof stats]]));
  const { user, assistant } = messages;
  const { entries, usage } = shared;
  return { alone, whole: { ...whole, messages: { user, assistant }, shared: { entries, usage } } };
}

const usage = { input: 7, output: 3, cacheRead: 2, cacheWrite: 1, cost: { total: 0.5 } };

/** Fields of a message in any order and with any content, as long as it is JSON. */
const message = fc
  .tuple(
    fc.shuffledSubarray(['content', 'api', 'provider', 'model', 'responseModel', 'usage', 'stopReason', 'odd'], {
      minLength: 3,
    }),
    fc.constantFrom<unknown>('', 'a"b\\', [{ type: 'text', text: '"],"model":"no","usage":{"input":9}' }], [], {
      a: 1,
    }),
    fc.string({ unit: anyCharacter }),
  )
  .map(([keys, content, text]): Json => {
    const values: Json = { content, api: 'x', provider: text, model: 'm', responseModel: 'r', usage, odd: [text] };
    return { role: 'assistant', ...Object.fromEntries(keys.map((key) => [key, values[key] ?? 1.5])) };
  });

describe('the recorded usage alone', () => {
  it.each([1, 2, 3, 4, 5])('is that of the whole counts: generated session %d', async (seed) => {
    const text = generateSession({ seed, entries: 400, odd: 0.05, edits: 0.05 });
    const { alone, whole } = await both(new TextEncoder().encode(text));
    expect(alone).toEqual(whole);
  });

  it('is that of the whole counts, whatever the order of the fields of an answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 8 }), async (messages) => {
        const { alone, whole } = await both(fileOf(...messages.map((one, at) => line(at + 1, one))));
        expect(alone).toEqual(whole);
      }),
    );
  });

  it.each([
    [
      'a model before the content',
      line(1, { role: 'assistant', responseModel: 'r', content: [], provider: 'p', model: 'm', usage }),
    ],
    [
      'a model that is spelled with an escape',
      line(1, { role: 'assistant', content: [], provider: 'p', model: 'm', usage }).replace(
        '"role"',
        String.raw`"\u0072esponseModel":"r","role"`,
      ),
    ],
    [
      'white space',
      line(1, { role: 'assistant', content: [], provider: 'p', model: 'm', usage }).replace('"model":', '"model" : '),
    ],
    [
      'a repeated key',
      line(1, { role: 'assistant', content: [], provider: 'p', model: 'm', usage }).replace(
        '"role"',
        '"usage":{"input":1},"role"',
      ),
    ],
    [
      'a message behind another field',
      line(1, { role: 'assistant', content: [], provider: 'p', model: 'm', usage }, ',"odd":[1]'),
    ],
  ])('is exact for an answer with %s', async (_name, text) => {
    const { alone, whole } = await both(fileOf(text));
    expect(alone).toEqual(whole);
  });

  it("is read without the content where the answer is in Pi's form", async () => {
    const answer = { role: 'assistant', content: [], api: 'a', provider: 'p', model: 'm', usage, stopReason: 'stop' };
    const behind = { ...answer, responseModel: 'r' };
    const session = await openSession(
      fileOf(line(1, answer), line(2, { responseModel: 'r', ...answer }), line(3, behind)),
    );
    const [, first, second, third] = session.tree.heads;
    expect(first && readAnswerEnd(session, first)).toMatchObject({ message: { provider: 'p', model: 'm', usage } });
    expect(second && readAnswerEnd(session, second)).toBeNull();
    expect(third && readAnswerEnd(session, third)).toMatchObject({
      message: { model: 'm', responseModel: 'r', usage },
    });
  });
});
