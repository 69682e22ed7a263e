/**
 * Characters that a terminal obeys or that reorder what is read: C0 and C1 controls, DEL, bidi controls,
 * line separators, byte order marks, tags and other marks that show nothing, and halves of surrogate pairs. Newline and tab are left to the caller.
 */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** Most lines are of this kind, and need no closer look. */
const PLAIN = /^[ -~]*$/;

/** Text of several lines with everything invisible made visible. */
export function visible(text: string): string {
  return text.replace(UNSAFE, pictureOf);
}

/** Text on one line: line breaks become a sign, with one space on each side. */
export function visibleLine(text: string): string {
  if (PLAIN.test(text)) return text;
  const [first = '', ...others] = text.split(/[\n\r]+/);
  const line = others.length === 0 ? first : [first.trimEnd(), ...others.map((other) => other.trim())].join(' ⏎ ');
  return visible(line.replaceAll('\t', ' '));
}

/** JSON text that means the same and holds no such character. */
export function visibleJson(json: string): string {
  return PLAIN.test(json)
    ? json
    : json.replace(UNSAFE, (character) => (character < ' ' ? character : escapeOf(character)));
}

/** Control pictures for C0 and DEL, code points for the rest. */
function pictureOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function escapeOf(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at += 1)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escaped;
}
