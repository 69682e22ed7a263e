import type * as z from 'zod/mini';
import { explain } from '#base/explain.js';
import { quoted } from '../quoted.js';

/** One thing that a schema found wrong with a value. */
export interface Flaw {
  readonly path: readonly PropertyKey[];
  readonly issue: z.core.$ZodIssue;
}

/** What a schema finds wrong with a value that stands at a path; of a choice, what is wrong with the likeliest one. */
export function flawsOf(schema: z.ZodMiniType, value: unknown, at: readonly PropertyKey[] = []): readonly Flaw[] {
  const { error } = schema.safeParse(value);
  return error ? error.issues.flatMap((issue) => flawsIn(issue, at)) : [];
}

function flawsIn(issue: z.core.$ZodIssue, at: readonly PropertyKey[]): readonly Flaw[] {
  const path = [...at, ...issue.path];
  if (issue.code !== 'invalid_union' || isTag(issue)) return [{ path, issue }];
  // Text or blocks: where there are blocks, it is they that are wrong.
  const likeliest = issue.errors.find((issues) => issues.every((inner) => inner.path.length > 0));
  return likeliest ? likeliest.flatMap((inner) => flawsIn(inner, path)) : [{ path, issue }];
}

/** What should stand in a place of that name, and what does. */
export function wordsFor(issue: z.core.$ZodIssue, name: string, value: unknown): string {
  const expected = isTag(issue) ? `${name} must be string` : explain({ issues: [{ ...issue, path: [name] }] });
  return `${expected}, ${value === undefined ? 'but is missing' : `not ${quoted(value)}`}`;
}

/** Whether it is the type or role that is wrong, so that nobody knows what else should be there. */
export function isTag(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_union' && issue.errors.length === 0;
}
