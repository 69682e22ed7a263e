import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteValue } from '#analysis/check/define.js';
import {
  AnswerModels,
  describeModel,
  usesAnthropicApi,
  usesResponsesApi,
} from '#analysis/check/provider/answer-model.js';
import { detectImageType, isBase64 } from '#analysis/check/provider/image-data.js';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { locateBlock } from '#analysis/check/provider/message.js';
import { PendingHits } from '#analysis/check/provider/pending-hits.js';
import { listImages } from '#analysis/check/provider/request-images.js';
import { readThinking } from '#analysis/check/provider/thinking.js';
import { describeToolCall, readCallAt } from '#analysis/check/provider/tool-call.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { Provenance } from '#context/replay/envelope.js';
import { entry, sessionOf, user } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const message = (fields: object): LlmMessage => ({ role: 'assistant', ...fields });

describe('a picture', () => {
  it('is base64 if encoding its bytes again gives the same text', () => {
    const written = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    const spoilt = fc
      .tuple(written, fc.nat(), fc.constantFrom('', ' ', '=', '-', '_', '\n', 'A', '?', '==', 'é'))
      .map(([text, at, what]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + what + text.slice(place + (at % 2));
      });
    fc.assert(
      fc.property(fc.oneof(written, spoilt), (text) => {
        // Of what the last character says, two or four bits are of no byte.
        const isIt = text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
        expect(isBase64(text)).toBe(isIt);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('may be longer than what is looked at at once', () => {
    const piece = 'AAAA'.repeat(16_384);
    expect(isBase64(piece)).toBe(true);
    expect(isBase64(`${piece}AA==`)).toBe(true);
    expect(isBase64(`${piece}${piece}AAA=`)).toBe(true);
    expect(isBase64(`${piece.slice(0, -2)}==AAAA`)).toBe(false);
    expect(isBase64(`${piece.slice(0, -1)}=${piece}`)).toBe(false);
    expect(isBase64(`${piece}${piece.slice(0, -1)}?${piece}`)).toBe(false);
  });

  it.each([
    ['89504e470d0a1a0a0000000d', 'image/png'],
    ['ffd8ffe0', 'image/jpeg'],
    ['474946383961', 'image/gif'],
    ['524946460000000057454250', 'image/webp'],
    ['524946460000000057415645', null],
    ['000000000000000057454250', null],
    ['424d0000', 'image/bmp'],
    ['49492a000000', 'image/tiff'],
    ['4d4d002a0000', 'image/tiff'],
    ['255044462d31', 'application/pdf'],
    ['3c73766720786d6c', 'image/svg+xml'],
    ['3c3f786d6c20', 'image/svg+xml'],
    ['00ffd8ff', null],
    ['', null],
  ])('that begins with the bytes %s is of type %s', (hex, type) => {
    // Whatever stands behind: base64 mixes the last byte with the next one.
    for (const more of ['000000', 'ffffff'])
      expect(detectImageType(Buffer.from(hex + more, 'hex').toString('base64'))).toBe(type);
  });

  it('is found wherever it stands in a content that is a list', () => {
    const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const content = [image, { type: 'text', text: 'x' }, null, [image], image];
    expect([...listImages(message({ content }))]).toEqual([
      { image, at: 0 },
      { image, at: 4 },
    ]);
    expect([...listImages(message({ content: image }))]).toEqual([]);
  });
});

describe('a model', () => {
  it.each([
    [{ api: 'anthropic-messages', provider: 'proxy' }, true, false],
    [{ provider: 'anthropic' }, true, false],
    [{ api: 'openai-completions', provider: 'anthropic' }, false, false],
    [{ api: 'openai-responses' }, false, true],
    [{ api: 'openai-codex-responses' }, false, true],
    [{ api: 'azure-openai-responses' }, false, true],
    [{ provider: 'openai' }, false, false],
    [{}, false, false],
  ])('%j is of Anthropic: %j, of the Responses API: %j', (fields, anthropic, responses) => {
    const model = new AnswerModels().readModel(fields);
    expect([usesAnthropicApi(model), usesResponsesApi(model)]).toEqual([anthropic, responses]);
  });

  it.each([
    [{ provider: 'openai', model: 'gpt-5' }, '"openai/gpt-5"'],
    [{ provider: 'openai' }, '"openai"'],
    [{ model: 'gpt-5', provider: 7 }, '"gpt-5"'],
    [{}, 'an unknown model'],
  ])('%j is called %s', (fields, name) => {
    expect(describeModel(new AnswerModels().readModel(fields))).toBe(name);
  });

  it('is the same one as long as provider, API and model are', () => {
    const models = new AnswerModels();
    const [one, other, third] = [
      { provider: 'a', api: 'b', model: 'c' },
      { provider: 'a', api: 'b', model: 'd' },
      { provider: 'a', api: 'd', model: 'c' },
    ];
    const first = models.readModel(one);
    expect(first).toEqual(one);
    expect(models.readModel({ ...one, usage: 7 })).toBe(first);
    const second = models.readModel(other);
    expect(second).toEqual(other);
    expect(models.readModel(third)).toEqual(third);
    expect(models.readModel({ ...one, provider: 'e' })).toEqual({ ...one, provider: 'e' });
    expect([models.readModel(one), models.readModel(other)]).toEqual([one, other]);
    expect(models.readModel(one)).toBe(first);
    expect(models.readModel(other)).toBe(second);
  });

  it('is told what waits for it, once, and not what waits for others', () => {
    const due = new PendingHits();
    expect([...due.takeOfNewest()]).toEqual([]);
    const [one, other] = [due.noteAnswer(message({ model: 'one' })), due.noteAnswer(message({ model: 'other' }))];
    due.add(one, { message: 'first' });
    due.add(one, { message: 'second' });
    due.add(other, { message: 'third' });
    expect([...due.takeOfNewest()]).toEqual([{ message: 'third' }]);
    expect([...due.takeOfNewest()]).toEqual([]);
    due.noteAnswer(message({ model: 'one' }));
    expect([...due.takeOfNewest()]).toEqual([{ message: 'first' }, { message: 'second' }]);
    expect([...due.takeOfNewest()]).toEqual([]);
  });

  it('may be one of those that mind whatever waits', () => {
    const due = new PendingHits();
    const one = due.noteAnswer(message({ model: 'one' }));
    due.add(one, { message: 'first' });
    due.add(due.noteAnswer(message({ model: 'other' })), { message: 'second' });
    expect([...due.takeAll(({ model }) => model === 'one')]).toEqual([]);
    expect([...due.takeAll(({ model }) => model === 'other')]).toEqual([{ message: 'first' }, { message: 'second' }]);
    expect([...due.takeAll(() => true)]).toEqual([]);
    due.add(one, { message: 'third' });
    due.forget();
    expect([...due.takeAll(() => true)]).toEqual([]);
  });

  it('is told no more than a thousand things', () => {
    const due = new PendingHits();
    const model = due.noteAnswer(message({}));
    for (let at = 0; at < 1005; at += 1) due.add(model, { message: String(at) });
    expect([...due.takeOfNewest()]).toHaveLength(1000);
  });
});

describe('a block', () => {
  it.each<[unknown, unknown]>([
    [
      { type: 'toolCall', id: 'c1', name: 'read' },
      { id: 'c1', name: 'read', at: 1 },
    ],
    [
      { type: 'toolCall', id: 'c1', name: 7 },
      { id: 'c1', name: null, at: 1 },
    ],
    [
      { type: 'toolCall', id: '' },
      { id: '', name: null, at: 1 },
    ],
    [{ type: 'toolCall', id: 7 }, null],
    [{ type: 'toolCall' }, null],
    [{ type: 'text', id: 'c1' }, null],
    [['toolCall'], null],
    [null, null],
  ])('%j calls %j', (block, call) => {
    expect(readCallAt([null, block], 1)).toEqual(call);
  });

  it.each([
    [{ type: 'thinking', thinking: 'Look.' }, true],
    [{ type: 'thinking', thinking: ' ' }, false],
    [{ type: 'thinking' }, false],
    [{ type: 'thinking', thinking: '', thinkingSignature: 'c2ln' }, true],
    [{ type: 'thinking', thinking: '', thinkingSignature: ' ' }, false],
    [{ type: 'thinking', thinking: '', redacted: true }, true],
    [{ type: 'thinking', thinking: '', redacted: false }, false],
    [{ type: 'text', thinking: 'Look.' }, false],
    [null, false],
  ])('%j is thinking that is sent: %j', (block, isSent) => {
    expect(readThinking(block)).toBe(isSent ? block : null);
  });

  it('stands in the entry that its message comes from, if it is the own one of that', () => {
    const session = sessionOf(
      user('u1', null),
      entry('custom_message', 'm1', 'u1', { content: 'x' }),
      entry('compaction', 'k1', 'm1', { summary: 'x' }),
    );
    const from = (line: number, origin: Provenance['origin'] = 'entry'): Provenance => ({ entryId: 'x', origin, line });
    expect(locateBlock(session, from(2), 3).place).toBe('message.content[3]');
    expect(locateBlock(session, from(3), 0).place).toBe('content[0]');
    expect(locateBlock(session, from(4), 0).place).toBeUndefined();
    expect(locateBlock(session, from(9), 0).place).toBeUndefined();
    expect(locateBlock(session, from(2, 'edit'), 0).place).toBeUndefined();
  });
});

it.each([
  [{ role: 'assistant', stopReason: 'error' }, true],
  [{ role: 'assistant', stopReason: 'aborted' }, true],
  [{ role: 'assistant', stopReason: 'length' }, false],
  [{ role: 'assistant' }, false],
  [{ role: 'user', stopReason: 'error' }, false],
])('%j is left out of every request: %j', (fields, isLeftOut) => {
  expect(isFailedAnswer(message(fields))).toBe(isLeftOut);
});

it.each<[unknown, string]>([
  ['x', '"x"'],
  ['two\nlines "quoted"', String.raw`"two\nlines \"quoted\""`],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
  [7, '7'],
  [null, 'null'],
  [undefined, 'undefined'],
  [true, 'true'],
  [[], 'an empty list'],
  [[1], 'a list'],
  [{ a: 1 }, 'an object'],
])('%j is quoted as %s', (value, words) => {
  expect(quoteValue(value)).toBe(words);
});

it('a call is named by its id, and by its tool where it says one', () => {
  expect(describeToolCall({ id: 'c1', name: 'read' })).toBe('the call "c1" of "read"');
  expect(describeToolCall({ id: 'c1', name: null })).toBe('the call "c1"');
});
