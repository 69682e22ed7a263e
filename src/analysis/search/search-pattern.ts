import { CtxError } from '#base/errors.js';

/** The pattern of a search. */
export interface SearchPattern {
  /** With the flag `g`. */
  readonly regex: RegExp;
  /** Bytes that the line of an entry must hold, or an escape, if any of its texts matches; null where nobody can say. */
  readonly literal: string | null;
}

/** Reads a pattern as the user wrote it. Throws a CtxError (usage) for one that is no regular expression. */
export function searchPattern(raw: string, { isFixed, ignoresCase }: PatternOptions): SearchPattern {
  const flags = ignoresCase ? 'gi' : 'g';
  const regex = isFixed
    ? new RegExp(raw.replace(SYNTAX, '\\$&'), `${flags}u`)
    : regularExpression(raw, flags, 'use --fixed to search for the literal text');
  const isLiteral = isFixed || raw.search(SYNTAX) === -1;
  return { regex, literal: isLiteral && !ignoresCase && AS_STORED.test(raw) ? raw : null };
}

interface PatternOptions {
  readonly isFixed: boolean;
  readonly ignoresCase: boolean;
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** Text that JSON writes as it is, unless as a `\u` escape: no quote, backslash, slash or control character. */
const AS_STORED = /^[ !#-.0-[\]-~]+$/;

/**
 * A pattern as the user wrote it. Unicode mode is stricter about escapes, so what only the old mode takes is read in that.
 * Throws a CtxError (usage) that says what can be done `otherwise`.
 */
export function regularExpression(raw: string, flags: string, otherwise: string): RegExp {
  try {
    return new RegExp(raw, `${flags}u`);
  } catch {
    try {
      return new RegExp(raw, flags);
    } catch (error) {
      throw new CtxError('usage', `"${raw}" is not a valid regular expression`, {
        where: reasonOf(error as Error, flags),
        hint: `repair the expression, or ${otherwise}`,
      });
    }
  }
}

/** The message of the error without the pattern, which V8 repeats before it. */
function reasonOf({ message }: Error, flags: string): string {
  return message.split(`/${flags}: `).at(-1) ?? message;
}
