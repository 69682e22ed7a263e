import { Buffer } from 'node:buffer';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { redacted } from '#change/redact/redacted-files.js';
import { Redactor } from '#change/redact/redactor.js';
import { bytesIn } from '#session/scan/bytes.js';
import { projectFolder } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { formsOf, plantSecrets } from '../support/planted-secrets.js';
import { judge } from './judged.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-redact-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What real Pi shows of files, as texts; null for one that it refuses. */
async function shownByPi(files: readonly string[], flags: readonly string[]): Promise<readonly Verdict[]> {
  const { stdout } = await execa('node', ['judge.mjs', '--head', ...flags], {
    cwd: path.join(projectFolder, 'test/pi'),
    input: files.join('\n'),
    maxBuffer: 1e9,
  });
  return stdout.split('\n').map((line) => JSON.parse(line) as Verdict);
}

interface Verdict {
  readonly file: string;
  readonly ok: boolean;
  readonly entries?: readonly { readonly id: string | null; readonly sha256: string }[];
}

it('real Pi opens a session without its secrets, and shows it as was predicted', async () => {
  const files: string[] = [];
  let planted = 0;
  for (let seed = 0; seed < 60; seed += 1) {
    const version = seed % 6 === 0 ? 1 : seed % 6 === 1 ? 2 : 3;
    const { text, tokens, values } = plantSecrets(generateSession({ seed, entries: 30, version }), seed);
    const redactor = await Redactor.create({ values: values.map((value) => ({ value, kind: 'v' })), patterns: [] });
    const source = bytesIn(Buffer.from(text));
    const result = redacted(source, await redactor.redact(source, 's.jsonl'));
    const bytes = Buffer.from(result.read(0, result.size));
    const file = path.join(folder, `${seed}.jsonl`);
    writeFileSync(file, bytes);
    files.push(file);
    for (const secret of [...tokens, ...values]) {
      planted += 1;
      for (const form of formsOf(secret)) expect(bytes.toString()).not.toContain(form);
    }
  }
  expect(planted).toBeGreaterThan(100);
  for (const { file, ok, entries } of await shownByPi(files, ['--hash'])) {
    const pis = entries?.find(({ id }) => id === null)?.sha256;
    expect({ file, ok, shown: pis }).toEqual({ file, ok: true, shown: judge(readFileSync(file))?.get(null) });
  }
});
