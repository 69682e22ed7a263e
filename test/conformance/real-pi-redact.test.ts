import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import { Redactor } from '#change/redact/redactor.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { generateSession } from '../support/generate.js';
import { formsOf, plantSecrets } from '../support/planted-secrets.js';
import { seenOtherwise } from './judged.js';

it('real Pi opens a session without its secrets, and shows it as was predicted', async () => {
  const files: Uint8Array[] = [];
  let planted = 0;
  for (let seed = 0; seed < 60; seed += 1) {
    const version = seed % 6 === 0 ? 1 : seed % 6 === 1 ? 2 : 3;
    const { text, tokens, values } = plantSecrets(generateSession({ seed, entries: 30, version }), seed);
    const redactor = new Redactor({ values: values.map((value) => ({ value, kind: 'v' })), patterns: [] });
    const source = toByteSource(Buffer.from(text));
    const result = buildRedactedSource(source, await redactor.redact(source, 's.jsonl'));
    const bytes = Buffer.from(result.read(0, result.size));
    files.push(bytes);
    for (const secret of [...tokens, ...values]) {
      planted += 1;
      for (const form of formsOf(secret)) expect(bytes.toString()).not.toContain(form);
    }
  }
  expect(planted).toBeGreaterThan(100);
  expect(await seenOtherwise(files)).toEqual([]);
});
