import type { core } from 'zod/mini';

/**
 * Describes the first issue of a schema error in data: the place, and the expected value. For a file that the user writes
 * by hand, `findComplaint` has a hint as well.
 */
export function describeIssue({ issues: [issue] }: { readonly issues: readonly core.$ZodIssue[] }): string {
  if (!issue) return 'not well-formed';
  const where = issue.path.length === 0 ? 'the value' : issue.path.join('.');
  switch (issue.code) {
    case 'invalid_type':
      return `${where} must be ${issue.expected === 'record' ? 'object' : issue.expected}`;
    case 'invalid_value':
      return `${where} must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'unrecognized_keys':
      return `${where} has an unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'too_small':
      return `${where} ${describeLimit(issue)}`;
    case 'invalid_union':
      return `${where} ${describeChoice(issue)}`;
    default:
      return `${where} is not well-formed`;
  }
}

/** Describes a lower limit. Texts and lists are too short only if they are empty. */
function describeLimit({ origin, minimum, inclusive }: core.$ZodIssueTooSmall): string {
  if (origin === 'string' || origin === 'array') return 'must not be empty';
  return inclusive ? `must be ${minimum} or more` : `must be more than ${minimum}`;
}

/** Describes the choice between text and a list. */
function describeChoice({ errors }: core.$ZodIssueInvalidUnion): string {
  const kinds = errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? first.expected : [],
  );
  return kinds.length > 0 ? `must be ${kinds.join(' or ')}` : 'is not well-formed';
}
