/** What stands in the place of secrets: `[REDACTED:github-token:1]`. The same value has the same one, another value another. */
export class Placeholders {
  private readonly byValue = new Map<string, string>();
  /** The last number of each kind. */
  private readonly last = new Map<string, number>();

  /** A number says nothing of the value; a hash would give a short one away. */
  of(value: string, kind: string): string {
    const known = this.byValue.get(value);
    if (known !== undefined) return known;
    const name = slugOf(kind);
    const number = (this.last.get(name) ?? 0) + 1;
    this.last.set(name, number);
    const placeholder = `[REDACTED:${name}:${number}]`;
    this.byValue.set(value, placeholder);
    return placeholder;
  }

  /** Numbers that a text has from an earlier redaction are not given again. */
  reserve(text: string): void {
    if (!text.includes(MARK)) return;
    for (const [, name = '', number] of text.matchAll(PLACEHOLDER))
      this.last.set(name, Math.max(this.last.get(name) ?? 0, Number(number)));
  }
}

/** In every text that holds a placeholder. */
export const MARK = 'REDACTED:';

const PLACEHOLDER = /\[REDACTED:([a-z0-9-]{1,100}):(\d{1,9})\]/g;

/** Whether a text is a placeholder and nothing else. */
export function isPlaceholder(text: string): boolean {
  return text.replace(PLACEHOLDER, '') === '' && text !== '';
}

/** Where the placeholders of a text stand, in order. */
export function* placeholdersIn(text: string): Generator<{ readonly start: number; readonly end: number }> {
  if (!text.includes(MARK)) return;
  for (const { index, 0: whole } of text.matchAll(PLACEHOLDER)) yield { start: index, end: index + whole.length };
}

function slugOf(kind: string): string {
  const slug = kind
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? 'secret' : slug;
}

const LONGEST_SLUG = 60;
