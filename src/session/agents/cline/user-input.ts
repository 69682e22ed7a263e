/** The tags with which Cline 4 keeps the words of the user and their mode; it sends the words without them. */
const TAGS = ['user_input', 'user_command'];

/** The words of the user as Cline 4 sends them. Source: normalizeUserInput in @cline/shared 0.0.86. */
export function stripUserTags(text: string): string {
  return TAGS.reduce((rest, tag) => stripTag(rest, tag), text.trim());
}

/**
 * Removes each pair of tags; without a pair, the opening tags. Without patterns, whose time could grow with the square.
 */
function stripTag(text: string, tag: string): string {
  const paired = stripPairs(text, tag);
  return (paired ?? stripOpenings(text, tag)).trim();
}

/** null if there is no pair. */
function stripPairs(text: string, tag: string): string | null {
  const close = `</${tag}>`;
  let rest = '';
  let from = 0;
  for (let open = findOpening(text, tag, 0); open !== null; open = findOpening(text, tag, from)) {
    const end = text.indexOf(close, open.end);
    if (end === -1) break;
    rest += text.slice(from, open.start) + text.slice(open.end, end);
    from = end + close.length;
  }
  return from === 0 ? null : rest + text.slice(from);
}

function stripOpenings(text: string, tag: string): string {
  let rest = '';
  let from = 0;
  for (let open = findOpening(text, tag, 0); open !== null; open = findOpening(text, tag, from)) {
    rest += text.slice(from, open.start);
    from = open.end;
  }
  return rest + text.slice(from);
}

function findOpening(text: string, tag: string, from: number): { readonly start: number; readonly end: number } | null {
  for (let start = text.indexOf(`<${tag}`, from); start !== -1; start = text.indexOf(`<${tag}`, start + 1)) {
    if (/\w/.test(text[start + tag.length + 1] ?? '')) continue;
    const end = text.indexOf('>', start);
    return end === -1 ? null : { start, end: end + 1 };
  }
  return null;
}
