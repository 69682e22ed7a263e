/**
 * Characters that a terminal obeys, that reorder what is read, or that show nothing and so can hide a text: C0 and C1
 * controls, DEL, bidi controls, line separators, byte order marks, tags, fillers, variation selectors, and halves of
 * surrogate pairs. Joiners of letters or emoji are not included. Newline and tab are left to the caller.
 */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- control characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** A selector chooses the form of the character before it: some signs have two forms, ideographs have many. */
const SELECTOR = /^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const SELECTED = /[^\s\ufe00-\ufe0f\u{e0100}-\u{e01ef}][\ufe00-\ufe0f]$|\p{Ideographic}[\u{e0100}-\u{e01ef}]$/u;
/** The maximum number of UTF-16 units in two characters. */
const TWO_CHARACTERS = 4;

const PLAIN = /^[ -~•…→⏎─│├└]*$/;

/**
 * Whether a text has only ASCII and the usual signs of `ctx`, as most lines do. Tests of more characters take far
 * longer.
 */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Makes everything invisible visible in a text of several lines. */
export function toVisible(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(UNSAFE, (character, at: number) =>
    isSelected(text, character, at) ? character : toPicture(character),
  );
}

/** Puts a text on one line: line breaks become a sign, with one space on each side. */
export function toVisibleLine(text: string): string {
  if (isPlain(text)) return text;
  const [first = '', ...others] = text.split(/[\n\r]+/);
  const line = others.length === 0 ? first : [first.trimEnd(), ...others.map((other) => other.trim())].join(' ⏎ ');
  return toVisible(line.replaceAll('\t', ' '));
}

/** Escapes these characters in JSON text without changing its meaning. */
export function toVisibleJson(json: string): string {
  return isPlain(json)
    ? json
    : json.replace(UNSAFE, (character, at: number) =>
        character < ' ' || isSelected(json, character, at) ? character : escapeCharacter(character),
      );
}

/** Whether a character is a selector that follows a character with several forms. */
function isSelected(text: string, character: string, at: number): boolean {
  const end = at + character.length;
  return SELECTOR.test(character) && SELECTED.test(text.slice(Math.max(0, end - TWO_CHARACTERS), end));
}

/** Control pictures for C0 and DEL, code points for the rest. */
function toPicture(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function escapeCharacter(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at += 1)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escaped;
}
