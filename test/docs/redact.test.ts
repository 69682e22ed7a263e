import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SECRET_CLASSES } from '#analysis/secrets/define.js';
import { secretPatterns } from '#analysis/secrets/find-secrets.js';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import { Redactor } from '#change/redact/redactor.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { fixtures, recordings } from '../support/files.js';
import { expectGeneratedPart } from '../support/generated.js';
import { seeded, SURROUNDINGS } from '../support/seeded-secrets.js';

const TIMES = 5;
/** Texts in one session. Each value is searched in each line, so sessions of many texts would take their square. */
const MOST_TEXTS = 25;

/** The texts after their secrets were replaced; nothing of one has to do with another. */
async function redactTexts(texts: readonly string[]): Promise<readonly string[]> {
  const results: string[] = [];
  for (let from = 0; from < texts.length; from += MOST_TEXTS)
    results.push(...(await redactSession(texts.slice(from, from + MOST_TEXTS))));
  return results;
}

async function redactSession(texts: readonly string[]): Promise<readonly string[]> {
  const redactor = new Redactor({ values: [], patterns: [] });
  const lines = texts.map((text) => JSON.stringify({ type: 'message', message: { role: 'user', content: text } }));
  const source = toByteSource(Buffer.from(lines.join('\n')));
  const result = buildRedactedSource(source, await redactor.redact(source, 's.jsonl'));
  const left = Buffer.from(result.read(0, result.size)).toString().split('\n');
  return left.map((line) => (JSON.parse(line) as { message: { content: string } }).message.content);
}

/** For each surroundings: how many secrets are gone, and in how many texts nothing else is. */
async function recall(): Promise<string> {
  const rows: string[] = [];
  for (const surroundings of Object.keys(SURROUNDINGS)) {
    const cells: string[] = [];
    const samples = secretPatterns.flatMap((pattern, at) =>
      Array.from({ length: TIMES }, (_, seed) => ({ ...seeded(pattern, surroundings, at * TIMES + seed), pattern })),
    );
    const left = await redactTexts(samples.map(({ text }) => text));
    const gone = samples.filter(({ secret }, at) => !left[at]!.includes(secret));
    for (const secretClass of SECRET_CLASSES)
      cells.push(share(samples, gone, ({ pattern }) => pattern.secretClass === secretClass));
    const exact = samples.filter(({ text, secret }, at) => {
      const [before = '', after = ''] = text.split(secret);
      return left[at]!.replace(/\[REDACTED:[a-z0-9-]+:\d+\]/, '') === before + after;
    });
    rows.push(`| ${[surroundings, ...cells, share(samples, exact, () => true)].join(' | ')} |`);
  }
  return [
    `| | ${SECRET_CLASSES.join(' | ')} | exactly |`,
    `| --- |${' ---: |'.repeat(SECRET_CLASSES.length + 1)}`,
    ...rows,
  ].join('\n');
}

function share<Item>(all: readonly Item[], some: readonly Item[], isMeant: (item: Item) => boolean): string {
  return `${((100 * some.filter(isMeant).length) / all.filter(isMeant).length).toFixed(1)} %`;
}

it('the recall in docs/lab/secrets.md is what redaction comes to', async () => {
  expectGeneratedPart('docs/lab/secrets.md', 'removed', await recall());
});

it('nothing is masked in sessions that hold no secret', async () => {
  const redactor = new Redactor({ values: [], patterns: [] });
  const replaced: unknown[] = [];
  for (const name of [...fixtures, ...recordings]) {
    const bytes = readFileSync(name);
    if (bytes.length > 1e6) continue;
    await redactor.redact(toByteSource(bytes), name, {
      onReplaced(one) {
        // Of damaged lines nobody can say.
        if (one.place !== null) replaced.push({ name, one });
      },
    });
  }
  expect(replaced).toEqual([]);
});
