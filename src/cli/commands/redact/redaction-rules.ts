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

/** The minimum length of a value. Shorter ones would match everywhere, and their surroundings would reveal them. */
const LEAST = 4;
const MOST = 16_384;

function* readValues(text: string, file: string): Generator<RedactionRules['values'][number]> {
  const isList = /^\s*[[{]/.test(text);
  const valuesByName = isList
    ? readNamedValues(text, file)
    : text.split('\n').map((value, at) => [`line ${at + 1}`, value.trim()] as const);
  let count = 0;
  for (const [name, value] of valuesByName) {
    if (!isList && value === '') continue;
    count += 1;
    if (value.trim().length < LEAST || value.length > MOST) throw buildUnfitValueError(file, name);
    yield { value, kind: isList && !/^\d+$/.test(name) ? name : 'value' };
  }
  if (count === 0)
    throw new CtxError('usage', 'there are no values in this file', { where: file, hint: 'write one on a line' });
}

function readNamedValues(text: string, file: string): readonly (readonly [name: string, value: string])[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new CtxError('input', 'not JSON', { where: file, hint: 'correct the file, or write one value on a line' });
  }
  const items: readonly (readonly [string, unknown])[] =
    isObject(list) || Array.isArray(list) ? Object.entries(list) : [];
  return items.map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    throw new CtxError('input', `${name} is not a text`, { where: file, hint: 'write ["…"] or {"name": "…"}' });
  });
}

function buildUnfitValueError(where: string, name: string): CtxError {
  return new CtxError('usage', `the value ${name} is too short or too long to be looked for`, {
    where,
    hint: `values have ${LEAST} characters or more, and ${MOST} at most`,
  });
}

/** The values of the variables that a name or a pattern such as `*_TOKEN` means. */
function findEnvironmentValues(env: Io['env'], name: string): RedactionRules['values'] {
  const isPattern = name.includes('*');
  const found = Object.entries(env).filter(([other, value]) => matchesPattern(name, other) && (value ?? '') !== '');
  const fit = found.filter(([, value = '']) => value.trim().length >= LEAST && value.length <= MOST);
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
