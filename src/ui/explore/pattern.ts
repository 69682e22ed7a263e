/** What is searched for: a regular expression, or the text itself where it is none. Capitals count if there are any. */
export function patternOf(typed: string): RegExp {
  const flags = /\p{Lu}/u.test(typed) ? 'u' : 'iu';
  try {
    return new RegExp(typed, flags);
  } catch {
    return new RegExp(typed.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), flags);
  }
}
