import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { findEntrySecrets } from '#analysis/secrets/secrets-in-entry.js';
import type { JsonObject } from '#base/json.js';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import { Redactor } from '#change/redact/redactor.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { isWhole, tried } from '../../support/runs.js';
import { CONTEXTS, isReadable } from '../../support/secret-contexts.js';
import type { SecretExample } from '../../support/secret-examples.js';
import { KINDS } from '../../support/secret-kinds.js';
import { diceOf } from '../../support/seeded-secrets.js';

/** Nothing is looked for in base64, and ids hold a session together. */
const NOT_SEARCHED = new Set(['base64', 'call-id']);
const contexts = Object.keys(CONTEXTS).filter((context) => !NOT_SEARCHED.has(context));

/** So large that only the lines are read that the finder marks. */
const PADDING = `${JSON.stringify({ type: 'custom', customType: 'x', data: 'wind and rain '.repeat(30_000) })}\n`;

type Examples = readonly (readonly [kind: string, example: SecretExample])[];

/** Each kind some times, with other random characters each time. */
function examplesOf(times: number): Examples {
  return [...KINDS].flatMap(([kind, make], at) =>
    Array.from({ length: times }, (_, time) => [kind, make(diceOf(at * 10 + time))] as const),
  );
}

const ONE_OF_EACH = examplesOf(1);

/**
 * Where not all is tried, each kind is in every third context. Where letters are escaped, each value is searched in each
 * line.
 */
function examplesFor(context: string): Examples {
  return tried(ONE_OF_EACH, context === 'u-escaped' ? 10 : 3, contexts.indexOf(context));
}

/** In one session: each value is searched in each line that may hold it. */
const MOST_EXAMPLES = 40;

/** The kinds that can still be read in redacted sessions, each as often as that is so. */
async function leaksIn(context: string, examples: Examples): Promise<readonly string[]> {
  const leaks: string[] = [];
  for (let from = 0; from < examples.length; from += MOST_EXAMPLES)
    leaks.push(...(await leaksInSession(context, examples.slice(from, from + MOST_EXAMPLES))));
  return leaks;
}

async function leaksInSession(context: string, examples: Examples, padding = ''): Promise<readonly string[]> {
  const session = await redactedLines(context, examples, padding);
  return examples.flatMap(([kind, { secret }], at) => (isReadable(session[at]!, secret) ? [kind] : []));
}

async function redactedLines(context: string, examples: Examples, padding = ''): Promise<readonly string[]> {
  const lines = examples.map(([, example], at) => JSON.stringify({ ...CONTEXTS[context]!(example), id: `e${at}` }));
  const redactor = new Redactor({ values: [], patterns: [] });
  const source = toByteSource(Buffer.from(`${padding}${lines.join('\n')}\n`));
  const result = buildRedactedSource(source, await redactor.redact(source, 's.jsonl'));
  const session = Buffer.from(result.read(0, result.size)).toString();
  return session.slice(padding.length).trimEnd().split('\n');
}

describe('the corpus of kinds of secrets', () => {
  it('has at least 300 kinds in 40 contexts', () => {
    expect(KINDS.size).toBeGreaterThanOrEqual(300);
    expect(contexts.length + NOT_SEARCHED.size).toBe(40);
  });

  it('holds what can be read before it is redacted', () => {
    const unreadable = contexts.flatMap((context) =>
      ONE_OF_EACH.flatMap(([kind, example]) =>
        isReadable(JSON.stringify(CONTEXTS[context]!(example)), example.secret) ? [] : [`${context}: ${kind}`],
      ),
    );
    expect(unreadable).toEqual([]);
  });

  it('is found in plain text to 99 %', async () => {
    const all = examplesOf(isWhole ? 5 : 2);
    const leaks = await leaksIn('result', all);
    expect(leaks.length, leaks.join()).toBeLessThanOrEqual(all.length * 0.01);
  });

  it.each(contexts)('is found to 95 percent in a small session: %s', async (context) => {
    const examples = examplesFor(context);
    const leaks = await leaksIn(context, examples);
    expect(leaks.length, leaks.join()).toBeLessThanOrEqual(examples.length * 0.05);
  });

  it.each(tried(contexts, 10))('has nothing that ctx check finds once it is redacted: %s', async (context) => {
    const left: string[] = [];
    for (let from = 0; from < ONE_OF_EACH.length; from += MOST_EXAMPLES)
      left.push(...(await redactedLines(context, ONE_OF_EACH.slice(from, from + MOST_EXAMPLES))));
    expect(left.length).toBe(ONE_OF_EACH.length);
    expect(left.flatMap((line) => findEntrySecrets(JSON.parse(line) as JsonObject).map(({ kind }) => kind))).toEqual(
      [],
    );
  });

  it.each(tried(contexts, 10))('is found to 95 percent in a big session: %s', async (context) => {
    const examples = examplesFor(context);
    const leaks = await leaksInSession(context, examples, PADDING);
    expect(leaks.length, leaks.join()).toBeLessThanOrEqual(examples.length * 0.05);
  });
});
