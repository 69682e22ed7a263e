import * as z from 'zod/mini';

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

/** The schema with its description, for manuals and for clients. */
export function describeSchema<Schema extends z.ZodMiniType>(description: string, schema: Schema): Schema {
  return schema.check(z.describe(description));
}
