import { splitShellWords, unquoteShellWord } from '#base/shell.js';
import { toVisible } from '#base/visible.js';
import type { Shell } from './scripts.js';

/** The line before the cursor. */
export interface TypedLine {
  /** The arguments of the program as the shell would pass them; the last one is incomplete. */
  readonly words: readonly string[];
  /** The last word as typed, with its quotes. */
  readonly raw: string;
}

/**
 * The line that a shell passes: bash passes the line itself, PowerShell its words after a `=`, the others its words.
 */
export function parseTypedLine(shell: Shell, typed: readonly string[], home: string): TypedLine {
  const expandHome = (word: string): string => word.replace(/^~(?=\/|$)/, home);
  if (shell === 'powershell') return { words: typed.map((word) => expandHome(word.replace(/^=/, ''))), raw: '' };
  if (shell !== 'bash') return { words: typed.map(expandHome), raw: typed.at(-1) ?? '' };
  const [, ...raw] = splitTypedWords(typed.join(' '));
  return { words: raw.map((word) => expandHome(unquoteShellWord(word))), raw: raw.at(-1) ?? '' };
}

/** The words of a line with their quotes; the last one is empty after a space. */
function splitTypedWords(typed: string): readonly string[] {
  const words = splitShellWords(typed);
  return /(?:^|[^\\])\s$/.test(typed) && !isOpen(words.at(-1) ?? '') ? [...words, ''] : words;
}

/** Whether a word has an open quote, so that it continues after spaces. */
function isOpen(word: string): boolean {
  return QUOTE.test(dropClosedQuotes(word));
}

const QUOTE = /['"]/;

/** A word without its closed quotes. */
function dropClosedQuotes(word: string): string {
  return word.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/g, '');
}

/**
 * A candidate as the shell inserts it. zsh and fish quote candidates themselves; for bash and PowerShell they are quoted
 * here. null: control characters, or a candidate that cannot be quoted inside the open quote.
 */
export function quoteCandidate(shell: Shell, value: string, { raw }: TypedLine): string | null {
  if (toVisible(value) !== value || /[\t\n]/.test(value)) return null;
  // PowerShell takes four other signs for a quote, too.
  if (shell === 'powershell') return PLAIN_POWERSHELL.test(value) ? value : `'${value.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
  if (shell !== 'bash') return value;
  if (isOpen(raw)) {
    // bash replaces only the text after the quote.
    const quote = QUOTE.exec(dropClosedQuotes(raw))?.[0] ?? '';
    const before = unquoteShellWord(raw.slice(0, raw.lastIndexOf(quote)));
    const rest = value.startsWith(before) ? value.slice(before.length) : value;
    return /['"\\$`!]/.test(rest) ? null : rest;
  }
  return PLAIN.test(value.replace(OWN_BRACES, '')) ? value : value.replaceAll(SPECIAL, String.raw`\$&`);
}

/** Braces mean something to a shell only around commas and dots. */
const OWN_BRACES = /@\{[a-z]+(?::-?\d+)?\}$/;
const PLAIN = /^(?:[\p{L}\p{N}_./@%+=:,^-][\p{L}\p{M}\p{N}_./@%+=:,^~-]*)?$/u;
const PLAIN_POWERSHELL = /^[\p{L}\p{N}_./\\-][\p{L}\p{M}\p{N}_./\\:+=~^%-]*$/u;
const SPECIAL = /[^\p{L}\p{M}\p{N}_./@%+=:,^-]/gu;
