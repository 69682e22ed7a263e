import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import { Redactor } from '#change/redact/redactor.js';
import { eachEnvelope } from '#context/envelope-at.js';
import { type OpenSession, openSession } from '#context/open.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { generateSession, type Shape } from '../../support/generate.js';
import { ctx } from '../../support/memory-io.js';
import { formsOf, type Planted, plantSecrets } from '../../support/planted-secrets.js';

const shapes = fc.record<Shape>({
  seed: fc.nat(1_000_000),
  entries: fc.integer({ min: 5, max: 40 }),
  version: fc.constantFrom(1, 2, 3, 3),
  transforms: fc.constantFrom(0, 0.2),
  compactions: fc.constantFrom(0, 0.1),
});

async function redactorFor({ values }: Pick<Planted, 'values'>): Promise<Redactor> {
  return new Redactor({ values: values.map((value) => ({ value, kind: 'value' })), patterns: [] });
}

async function redact(redactor: Redactor, text: string): Promise<string> {
  const source = toByteSource(Buffer.from(text));
  const result = buildRedactedSource(source, await redactor.redact(source, 's.jsonl'));
  return Buffer.from(result.read(0, result.size)).toString();
}

describe('a session without its secrets', () => {
  it('holds none of them, in any writing', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const planted = plantSecrets(generateSession(shape), shape.seed);
        const text = await redact(await redactorFor(planted), planted.text);
        for (const secret of [...planted.tokens, ...planted.values])
          for (const form of formsOf(secret)) expect(text).not.toContain(form);
      }),
      { numRuns: 25 },
    );
  });

  it('has the same entries, ids, parents and types, and lines without a secret byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const planted = plantSecrets(generateSession(shape), shape.seed);
        const before = planted.text.split('\n');
        const after = (await redact(await redactorFor(planted), planted.text)).split('\n');
        expect(after.length).toBe(before.length);
        for (const [at, line] of before.entries()) {
          if (!planted.lines.has(at + 1)) expect(after[at]).toBe(line);
          if (line !== '') expect(structureOf(after[at]!)).toEqual(structureOf(line));
        }
      }),
      { numRuns: 15 },
    );
  });

  it('shows what the original shows, but for placeholders, at every entry', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const planted = plantSecrets(generateSession(shape), shape.seed);
        const redactor = await redactorFor(planted);
        const text = await redact(redactor, planted.text);
        const [before, after] = await Promise.all([open(planted.text), open(text)]);
        const expected = contentsOf(before).map((content) => mapTexts(content, (one) => redactor.redactName(one)));
        expect(contentsOf(after)).toEqual(expected);
      }),
      { numRuns: 7 },
    );
  });

  it('is its own redaction, and new secrets get new numbers', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const planted = plantSecrets(generateSession(shape), shape.seed);
        const text = await redact(await redactorFor(planted), planted.text);
        expect(await redact(await redactorFor({ values: planted.values }), text)).toBe(text);
        const more = `${text}${JSON.stringify({ type: 'custom', customType: 'x', id: 'ffffff01', parentId: null, data: `ghp_${'a1B2c3D4e5F6g7H8i9'.repeat(2)}` })}\n`;
        const again = (await redact(await redactorFor(planted), more)).split('\n').at(-2)!;
        const [placeholder = ''] = /\[REDACTED:github-token:\d+\]/.exec(again) ?? [];
        expect(placeholder).not.toBe('');
        expect(text).not.toContain(placeholder);
      }),
      { numRuns: 10 },
    );
  });

  it('is found fault with by ctx check only where the original was', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const planted = plantSecrets(generateSession({ ...shape, sound: true, version: 3 }), shape.seed);
        const text = await redact(await redactorFor(planted), planted.text);
        const [before, after] = await Promise.all([checked(planted.text), checked(text)]);
        expect(after.filter((finding) => !before.includes(finding))).toEqual([]);
        expect(after.filter((finding) => /credential|url-password|authorization/.test(finding))).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });
});

const LINKS = ['type', 'id', 'parentId', 'timestamp', 'targetId', 'firstKeptEntryId'] as const;

function structureOf(line: string): readonly unknown[] {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const calls = [...line.matchAll(/"toolCallId":"[^"]*"|"type":"toolCall","id":"[^"]*"/g)].map(([call]) => call);
  return [...LINKS.map((name) => entry[name]), Object.keys(entry), calls];
}

function open(text: string): Promise<OpenSession> {
  return openSession(Buffer.from(text));
}

/** Without what is counted or says where things stand. */
function contentsOf(session: OpenSession): readonly unknown[] {
  const contents: unknown[] = [];
  try {
    for (const { content } of eachEnvelope(session)) {
      const { system, tools, messages, options } = content;
      contents.push({ system, tools, messages, options });
    }
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
  }
  return contents;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map)]));
}

async function checked(text: string): Promise<readonly string[]> {
  const { stdout } = await ctx(['check', 's.jsonl', '--json', '--severity', 'note'], { files: { 's.jsonl': text } });
  const { files } = JSON.parse(stdout) as { files: { findings: { rule: string; line: number | null }[] }[] };
  return files.flatMap(({ findings }) => findings.map(({ rule, line }) => `${rule} ${line}`));
}
