import { matchesPattern } from '#analysis/check/policy/patterns.js';
import { readRegularExpression } from '#analysis/search/search-pattern.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { isObject } from '#base/json.js';
import type { RedactionRules } from '#change/redact/redaction.js';
import { readTextFile } from '#cli/read-json.js';
import type { Io } from '#platform/io.js';

interface RuleFlags {
  readonly values?: readonly string[] | undefined;
  readonly env?: readonly string[] | undefined;
  readonly pattern?: readonly string[] | undefined;
}

/** Reads values and patterns. Throws a CtxError that never quotes a value. */
export async function readRedactionRules(
  { files, env }: Pick<Io, 'files' | 'env'>,
  flags: RuleFlags,
): Promise<RedactionRules> {
  const values: RedactionRules['values'][number][] = [];
  for (const file of flags.values ?? []) {
    const text = await readTextFile(files, file);
    for (const value of readValues(text, file)) values.push(value);
  }
  for (const name of flags.env ?? []) values.push(...findEnvironmentValues(env, name));
  const patterns = (flags.pattern ?? []).map((raw) => {
    if (raw !== '') return readRegularExpression(raw, 'dg', 'name the text itself with --values');
    throw new CtxError('usage', 'an empty pattern matches nothing', { where: '--pattern', hint: 'leave it out' });
  });
  return { values, patterns };
}

/** The shortest value. Shorter ones would match everywhere, and their surroundings would reveal them. */
const LEAST_CHARACTERS = 4;
const MOST_CHARACTERS = 16_384;

/** A value to look for. `name`: its key in a JSON object, its index in a JSON list, or its line. */
interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** The values in a file: one on each line, or those of a JSON list or object. */
function* readValues(text: string, file: string): Generator<RedactionRules['values'][number]> {
  const isJson = /^\s*[[{]/.test(text);
  const values = isJson
    ? readNamedValues(text, file)
    : text.split('\n').map((line, at): NamedValue => ({ name: `line ${at + 1}`, value: line.trim() }));
  let count = 0;
  for (const { name, value } of values) {
    if (!isJson && value === '') continue;
    count += 1;
    if (value.trim().length < LEAST_CHARACTERS || value.length > MOST_CHARACTERS)
      throw buildUnfitValueError(file, name);
    yield { value, kind: isJson && !/^\d+$/.test(name) ? name : 'value' };
  }
  if (count === 0)
    throw new CtxError('usage', 'there are no values in this file', { where: file, hint: 'write one on a line' });
}

function readNamedValues(text: string, file: string): readonly NamedValue[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new CtxError('input', 'not JSON', { where: file, hint: 'correct the file, or write one value on a line' });
  }
  const members: object = isObject(list) || Array.isArray(list) ? list : [];
  return Object.entries(members).map(([name, value]: readonly [string, unknown]) => {
    if (typeof value === 'string') return { name, value };
    throw new CtxError('input', `${name} is not a text`, { where: file, hint: 'write ["…"] or {"name": "…"}' });
  });
}

function buildUnfitValueError(where: string, name: string): CtxError {
  return new CtxError('usage', `the value ${name} is too short or too long to be looked for`, {
    where,
    hint: `values have ${LEAST_CHARACTERS} characters or more, and ${MOST_CHARACTERS} at most`,
  });
}

/** The values of the variables that a name or a pattern such as `*_TOKEN` means. */
function findEnvironmentValues(env: Io['env'], name: string): RedactionRules['values'] {
  const isPattern = name.includes('*');
  const found = Object.entries(env).filter(([other, value]) => matchesPattern(name, other) && (value ?? '') !== '');
  const fit = found.filter(
    ([, value = '']) => value.trim().length >= LEAST_CHARACTERS && value.length <= MOST_CHARACTERS,
  );
  if (!isPattern && fit.length === 0) {
    if (found.length > 0) throw buildUnfitValueError('--env', name);
    throw new CtxError('usage', `the environment has no ${name}`, { where: '--env', hint: 'set it, or leave it out' });
  }
  return fit.map(([other, value = '']) => ({ value, kind: other }));
}

/** A warning for each name or pattern of variables that gives no value to look for. */
export function findUnmatchedNames(env: Io['env'], names: readonly string[] = []): readonly Problem[] {
  const unmatched = names.filter((name) => findEnvironmentValues(env, name).length === 0);
  return unmatched.map((name) => buildWarning('unmatched-env', `--env ${name} matches no value to look for`));
}
