import type { Problem } from '#base/errors.js';
import { parseJson } from '#base/json.js';
import type { LineSpan, RawLine } from './lines.js';

/** All kinds of damage of a line in a session file, with a message about each. */
export const LINE_DAMAGE = {
  'torn-tail': 'the last line is truncated',
  'nul-bytes': 'NUL bytes are in place of an entry',
  'glued-lines': 'several entries share one line',
  'split-line': 'one entry spans several lines',
  'invalid-escape': 'a text contains an invalid escape sequence',
  'malformed-line': 'the line is not JSON',
  'byte-order-mark': 'a byte order mark precedes the entry',
  'line-too-long': 'the line is longer than the maximum length of a string, so Pi cannot open the file',
  'not-an-object': 'the line is JSON but not an object',
  'invalid-utf8': 'bytes that are not UTF-8 were read as U+FFFD',
  'repeated-header': 'a second session header is ignored',
  'no-id': 'the entry has no id, so nothing can follow it',
  'no-type': 'the entry has no type, so it has no effect',
} as const;

export type LineDamage = keyof typeof LINE_DAMAGE;

/** Damage that does not lose the entry of its line. */
const KEEPS_THE_ENTRY: ReadonlySet<LineDamage> = new Set(['invalid-utf8', 'repeated-header', 'no-type']);

export function buildLineProblem(
  code: LineDamage,
  { line, offset, length }: LineSpan,
  entryId: string | null = null,
): Problem {
  const severity = KEEPS_THE_ENTRY.has(code) ? 'warning' : 'error';
  return { code, severity, message: LINE_DAMAGE[code], line, entryId, offset, length };
}

/** A line that could not be parsed, kept until its neighbours are known. */
interface Fragment {
  readonly line: RawLine;
  readonly text: string;
}

/** Detecting the kind of damage needs attempts to parse; this limits the characters parsed of a hostile file. */
const CHARACTERS_TO_TRY = 1 << 26;
const MOST_LINES_OF_ONE_ENTRY = 1000;

/**
 * Names the damage of lines that did not parse: one problem for each, but one for all the lines of a single
 * entry. `add` accepts damaged lines in file order; `end` marks a valid line that is not blank, or the end of the
 * file.
 */
export class DamageReader {
  readonly problems: Problem[] = [];
  private run: Fragment[] = [];
  private charactersLeft = CHARACTERS_TO_TRY;

  add(line: RawLine, text: string): void {
    this.run.push({ line, text: text.replace(/\r?\n$/, '') });
    if (this.run.length === MOST_LINES_OF_ONE_ENTRY || text.length > this.charactersLeft) this.end();
  }

  end(): void {
    if (this.run.length === 0) return;
    // Only a line that ends an object can end an entry, so the lines between are not looked at again for each.
    const closing = this.run.flatMap(({ text }, at) => (text.trimEnd().endsWith('}') ? [at] : []));
    let end = 0;
    for (const [at, fragment] of this.run.entries()) {
      if (at < end) continue;
      end = this.endOfEntry(at, closing);
      const isSplit = end > at + 1;
      if (isSplit) this.problems.push(buildSplitProblem(fragment, this.run.slice(at, end)));
      else this.problems.push(buildLineProblem(this.findDamage(fragment), fragment.line));
    }
    this.run = [];
  }

  private findDamage({ line, text }: Fragment): LineDamage {
    if (text.includes('\0')) return 'nul-bytes';
    if (text.startsWith('\ufeff')) return 'byte-order-mark';
    if (this.holdsSeveralEntries(text)) return 'glued-lines';
    if (this.holdsBadEscapes(text)) return 'invalid-escape';
    return line.terminated ? 'malformed-line' : 'torn-tail';
  }

  /** Whole entries on one line (`}{`), or a truncated entry followed by the next one. */
  private holdsSeveralEntries(text: string): boolean {
    for (let at = findEntry(text, 1); at !== -1 && this.charactersLeft > 0; at = findEntry(text, at + 1)) {
      if (this.isParseable(text.slice(at))) return true;
      if (text[at - 1] === '}' && this.isParseable(text.slice(0, at))) return true;
    }
    return false;
  }

  /** Whether the line parses without its invalid escapes. */
  private holdsBadEscapes(text: string): boolean {
    const without = this.charactersLeft > 0 ? removeBadEscapes(text) : text;
    return without !== text && this.isParseable(without);
  }

  /**
   * Returns the line after the JSON value that begins at a line. A broken value, whether between its tokens or inside a
   * string, ends with one of the `closing` lines.
   */
  private endOfEntry(at: number, closing: readonly number[]): number {
    if (!this.run[at]?.text.trimStart().startsWith('{')) return at + 1;
    for (const last of closing) {
      if (this.charactersLeft <= 0) break;
      if (last <= at) continue;
      const texts = this.run.slice(at, last + 1).map(({ text }) => text);
      if (this.isParseable(texts.join('\n')) || this.isParseable(texts.join('\\n'))) return last + 1;
    }
    return at + 1;
  }

  private isParseable(text: string): boolean {
    this.charactersLeft -= text.length;
    return this.charactersLeft >= 0 && parseJson(text) !== undefined;
  }
}

function findEntry(text: string, from: number): number {
  return text.indexOf('{"type":', from);
}

function buildSplitProblem(first: Fragment, parts: readonly Fragment[]): Problem {
  const { offset, length } = (parts.at(-1) ?? first).line;
  // Blank lines may separate the parts.
  return buildLineProblem('split-line', { ...first.line, length: offset + length - first.line.offset });
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-f]{4})?/gi;

/** Removes backslashes that do not begin an escape, such as that of `\*`. */
function removeBadEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (escape) => (escape === '\\' ? '' : escape));
}
