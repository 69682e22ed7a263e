import * as z from 'zod/mini';

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
