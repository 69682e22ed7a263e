import * as z from 'zod/mini';

/** The option of rules that name things: `*` in a name stands for any number of characters. */
export function namesOption(meaning: string): z.ZodMiniType<readonly string[]> {
  return z
    .array(z.string().check(z.minLength(1)))
    .check(z.minLength(1), z.describe(`${meaning}; \`*\` stands for anything.`));
}

/** Whether a pattern says all of a text. Takes no longer for a text that is made to be hard. */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found === -1 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}

export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matches(pattern, text));
}
