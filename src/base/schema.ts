import * as z from 'zod/mini';
import type { core } from 'zod/mini';

/** A JSON document: its members, after the name and the version of its schema. */
export function jsonDocument<const Name extends string, Shape extends z.core.$ZodLooseShape>(
  name: Name,
  shape: Shape,
): z.ZodMiniObject<{ schema: z.ZodMiniLiteral<Name>; schemaVersion: z.ZodMiniLiteral<1> } & Shape> {
  return z.object({ schema: z.literal(name), schemaVersion: z.literal(1), ...shape });
}

/** A field of options with its default, and its description for the manual and for editors. */
export function option<Schema extends z.ZodMiniType>(
  schema: Schema,
  otherwise: z.output<Schema>,
  description: string,
): z.ZodMiniDefault<Schema> {
  const field = z._default(schema, otherwise as never);
  z.globalRegistry.add(field, { description });
  return field;
}

/** An optional field with its description, for the manual and for editors. */
export function optionalField<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
): z.ZodMiniOptional<Schema> {
  return z.optional(schema.check(z.describe(description)));
}

/** The first issue of a schema error: the place, and the expected value. */
export function explain({ issues: [issue] }: { readonly issues: readonly core.$ZodIssue[] }): string {
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
      return `${where} ${enough(issue)}`;
    case 'invalid_union':
      return `${where} ${oneOf(issue)}`;
    default:
      return `${where} is not well-formed`;
  }
}

/** Describes a lower limit. Texts and lists are too short only if they are empty. */
function enough({ origin, minimum, inclusive }: core.$ZodIssueTooSmall): string {
  if (origin === 'string' || origin === 'array') return 'must not be empty';
  return inclusive ? `must be ${minimum} or more` : `must be more than ${minimum}`;
}

/** Describes the choice between text and a list. */
function oneOf({ errors }: core.$ZodIssueInvalidUnion): string {
  const kinds = errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? first.expected : [],
  );
  return kinds.length > 0 ? `must be ${kinds.join(' or ')}` : 'is not well-formed';
}
