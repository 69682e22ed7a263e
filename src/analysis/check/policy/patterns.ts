/** Whether a pattern matches a whole text. Runs in linear time, also for hostile texts. */
export function matchesPattern(pattern: string, text: string): boolean {
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

export function matchesAnyPattern(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, text));
}
