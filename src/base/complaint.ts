import type * as z from 'zod/mini';
import { didYouMean } from './suggestion.js';

/** A mistake in a file that the user writes by hand, such as a configuration, with a hint. */
export interface Complaint {
  readonly what: string;
  readonly hint: string;
}

/** The first violation of a schema by a value. `at`: the place of the value. */
export function findComplaint(
  schema: z.ZodMiniType,
  value: unknown,
  at: readonly PropertyKey[] = [],
): Complaint | null {
  const parsed = schema.safeParse(value);
  const issues = parsed.error?.issues ?? [];
  // A key that is misspelt may be missing under its right name too: the misspelling is what helps.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (!issue) return null;
  const place = formatPath([...at, ...issue.path]);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const keys = listKeys(findSchema(schema, issue.path));
    const all = keys.length === 0 ? 'leave it out' : `the keys are ${keys.join(', ')}`;
    const where = place === '' ? '' : ` in ${place}`;
    return { what: `unknown key "${key}"${where}`, hint: didYouMean(key, keys, all) };
  }
  return {
    what: `${place === '' ? 'the configuration' : place} ${describeDemand(issue)}`,
    hint: 'correct the configuration',
  };
}

type Schema = z.core.$ZodType;

/** The schema of a value inside another; undefined if several are possible. */
function findSchema(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
  return path.reduce<Schema | undefined>((outer, key) => {
    const shape = outer && findShape(outer);
    return shape && Object.hasOwn(shape, key) ? shape[String(key)] : undefined;
  }, schema);
}

/** The keys that an object may have. */
function listKeys(schema: Schema | undefined): readonly string[] {
  return Object.keys((schema && findShape(schema)) ?? {}).filter((key) => key !== '$schema');
}

/** The fields of an object schema, also of an optional one. */
function findShape({ _zod: { def } }: Schema): Readonly<Record<string, Schema>> | undefined {
  if ('innerType' in def) return findShape(def.innerType as Schema);
  return 'shape' in def ? (def.shape as Readonly<Record<string, Schema>>) : undefined;
}

function describeDemand(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return describeBound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return describeBound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    default:
      return issue.message === 'Invalid input' ? 'makes no sense' : issue.message;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

function describeBound(origin: string, how: string, bound: number | bigint): string {
  if (origin === 'string' && bound === 1) return 'must not be empty';
  if (origin === 'array') return `must hold ${how} ${bound}`;
  return `must be ${how} ${bound}${origin === 'string' ? ' characters long' : ''}`;
}

function formatPath(path: readonly PropertyKey[]): string {
  let place = '';
  for (const key of path) {
    if (typeof key === 'number') place += `[${key}]`;
    else place += place === '' ? String(key) : `.${String(key)}`;
  }
  return place;
}
