import { describe, expect, it } from 'vitest';
import type { Example } from '#analysis/check/define.js';
import { assistant, HEADER, textContent, user } from '#analysis/check/example.js';
import { findImageLimits } from '#analysis/check/provider/image-limits.js';
import type { JsonObject } from '#base/json.js';
import { check } from '../../support/check.js';
import { ctx } from '../../support/memory-io.js';

/** A PNG of a size, padded to a number of bytes. */
function png(width: number, height: number, bytes = 48): JsonObject {
  const data = Buffer.alloc(bytes);
  data.write('\x89PNG\r\n\x1a\n', 'latin1');
  data.writeUInt32BE(13, 8);
  data.write('IHDR', 12, 'latin1');
  data.writeUInt32BE(width, 16);
  data.writeUInt32BE(height, 20);
  return { type: 'image', mimeType: 'image/png', data: data.toString('base64') };
}

const CLAUDE: JsonObject = { provider: 'anthropic', model: 'claude-opus-4-5' };
const GPT: JsonObject = { provider: 'openai', model: 'gpt-5.2', api: 'openai-responses' };

/** Messages with these images, after an answer of a model. */
function sending(model: JsonObject, ...messages: readonly (readonly JsonObject[])[]): Example {
  return [
    HEADER,
    user('u0', null, 'I will send pictures.'),
    assistant('a0', 'u0', [textContent('Please do.')], model),
    ...messages.map((images, at) => user(`i${at}`, at === 0 ? 'a0' : `i${at - 1}`, [textContent('Here.'), ...images])),
  ];
}

const RULES = ['unsupported-image', 'too-many-images', 'request-too-large'];
const found = async (lines: Example): Promise<readonly string[]> =>
  (await check(lines, { rules: RULES })).map(({ rule, entryId, place, message }) =>
    [rule, entryId, place, message].filter((part) => part !== null).join(' | '),
  );

const many = (count: number, one: () => JsonObject): readonly JsonObject[] => Array.from({ length: count }, one);

describe('an image that is too long', () => {
  it.each([
    [8000, 8000, []],
    [
      12,
      8001,
      [
        'unsupported-image | i0 | message.content[1] | the image has 12 x 8,001 pixels, and no side may have more than 8,000',
      ],
    ],
  ])('%i x %i pixels, for Claude', async (width, height, expected) => {
    expect(await found(sending(CLAUDE, [png(width, height)]))).toEqual(expected);
  });

  it('is no problem for a provider that shrinks it', async () => {
    expect(await found(sending(GPT, [png(12, 20_000)]))).toEqual([]);
  });

  it('counts from 2,000 pixels on where more than 20 are sent, each by its place', async () => {
    const wide = png(2001, 40);
    const twenty = [[wide], many(19, () => png(2000, 2000))];
    expect(await found(sending(CLAUDE, ...twenty))).toEqual([]);
    expect(await found(sending(CLAUDE, ...twenty, [png(9, 9)]))).toEqual([
      'unsupported-image | i0 | message.content[1] | the image has 2,001 x 40 pixels, and in a request with more than 20 images no side may have more than 2,000',
    ]);
    expect(await found(sending(GPT, ...twenty, [wide]))).toEqual([]);
  });
});

describe('images of many bytes', () => {
  it('are limited one by one, as the model takes them', async () => {
    const six = [png(100, 100, 4_500_000)];
    expect(await found(sending(CLAUDE, six))).toEqual([
      'unsupported-image | i0 | message.content[1] | the image has 6000000 bytes as base64, more than 5242880',
    ]);
    expect(await found(sending(GPT, six))).toEqual([]);
  });

  it.each<[string, JsonObject, number, boolean]>([
    ['Claude', CLAUDE, 7, false],
    ['Claude', CLAUDE, 9, true],
    ['Claude on Bedrock', { provider: 'amazon-bedrock', model: 'anthropic.claude-opus-4-5' }, 6, true],
    ['GPT', GPT, 12, false],
    ['GPT', GPT, 14, true],
    ['Gemini', { provider: 'google', model: 'gemini-3-pro-preview' }, 6, true],
  ])('are limited together: %s takes %j with %i of 4 MB: refused %j', async (_name, model, count, isRefused) => {
    const images = Array.from({ length: count }, () => [png(64, 64, 2_999_997)]);
    const rules = (await found(sending(model, ...images))).map((line) => line.split(' | ')[0]);
    expect(rules).toEqual(isRefused ? ['request-too-large'] : []);
  });

  it('the limits of an unknown provider are the strictest', () => {
    expect(findImageLimits(null)).toEqual(findImageLimits({ provider: 'anthropic', modelId: 'claude-opus-4-5' }));
  });
});

describe('ctx repair', () => {
  const textOf = (lines: Example): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  async function repaired(lines: Example) {
    const files = { 's.jsonl': textOf(lines) };
    const { exitCode, files: after, stdout } = await ctx(['repair', 's.jsonl', '--output', 'r.jsonl'], { files });
    return { exitCode, stdout, files: { 's.jsonl': String(after['r.jsonl'] ?? '') } };
  }
  const rules = async (files: Record<string, string>): Promise<unknown> =>
    JSON.parse((await ctx(['check', 's.jsonl', '--rules', RULES.join(','), '--json'], { files })).stdout);

  it('replaces an image that the provider refuses by text, which can be taken back', async () => {
    const lines = sending(CLAUDE, [png(10, 10), png(9001, 10)]);
    const { stdout, files } = await repaired(lines);
    expect(stdout).toContain('replaces 1 image by text');
    expect(files['s.jsonl'].startsWith(textOf(lines))).toBe(true);
    expect(await rules(files)).toMatchObject({ totals: { errors: 0 } });
    const shown = JSON.parse((await ctx(['show', 's.jsonl', '--json'], { files })).stdout) as {
      messages: { cached: { content: { type: string; text?: string }[] }[] };
    };
    const content = shown.messages.cached.at(-1)?.content ?? [];
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect(content[2]?.text).toBe(
      '[Image left out: the image has 9,001 x 10 pixels, and no side may have more than 8,000. It is in the entry i0.]',
    );
    const id = String(JSON.parse(files['s.jsonl'].trimEnd().split('\n').at(-1) ?? '').id);
    const undone = await ctx(['revert', 's.jsonl', id, '--yes'], { files });
    expect(await rules({ 's.jsonl': String(undone.files['s.jsonl']) })).toMatchObject({ totals: { errors: 1 } });
  });

  it('replaces only those that are too large among many, and the oldest of too many bytes', async () => {
    const among = await repaired(
      sending(
        CLAUDE,
        [png(3000, 9)],
        many(20, () => png(9, 9)),
        [png(9, 2500)],
      ),
    );
    expect(await rules(among.files)).toMatchObject({ totals: { errors: 0, warnings: 0 } });
    expect(among.stdout.match(/replaces 1 image by text/g)).toHaveLength(2);
    const heavy = await repaired(sending(CLAUDE, ...Array.from({ length: 10 }, () => [png(64, 64, 2_999_997)])));
    expect(await rules(heavy.files)).toMatchObject({ totals: { errors: 0 } });
    expect(heavy.stdout.match(/replaces 1 image by text/g)).toHaveLength(2);
    expect(heavy.stdout).toContain('i1');
  });

  it('leaves a session alone whose images the provider takes', async () => {
    const lines = sending(GPT, [png(9001, 10)]);
    expect((await repaired(lines)).files['s.jsonl']).toBe(textOf(lines));
  });
});
