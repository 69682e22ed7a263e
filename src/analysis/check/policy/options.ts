import * as z from 'zod/mini';

/** The option of rules for a list of names, in which `*` matches any number of characters. */
export function defineNamesOption(meaning: string): z.ZodMiniType<readonly string[]> {
  return z
    .array(z.string().check(z.minLength(1)))
    .check(z.minLength(1), z.describe(`${meaning}; \`*\` matches any text.`));
}

/** The option of rules for a maximum, such as `tool calls`. */
export function defineMaximumOption(what: string): z.ZodMiniOptional<z.ZodMiniNumber> {
  return z.optional(z.int().check(z.nonnegative(), z.describe(`The maximum number of ${what}.`)));
}
