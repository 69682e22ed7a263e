import escapeStringRegexp from 'escape-string-regexp';
import { CtxError } from '#base/errors.js';

export interface SearchPattern {
  /** The pattern with the flag `g`. */
  readonly regex: RegExp;
  /** Bytes that the line of a matching entry must contain, or an escape; null if unknown. */
  readonly literal: string | null;
}

/** Reads a pattern of the user. Throws a CtxError (usage) for an invalid regular expression. */
export function readSearchPattern(raw: string, { isFixed, ignoresCase }: PatternOptions): SearchPattern {
  const flags = ignoresCase ? 'gi' : 'g';
  const regex = isFixed
    ? new RegExp(escapeStringRegexp(raw), `${flags}u`)
    : readRegularExpression(raw, flags, 'use --fixed to search for the literal text');
  const isLiteral = isFixed || !SYNTAX.test(raw);
  return { regex, literal: isLiteral && !ignoresCase && AS_STORED.test(raw) ? raw : null };
}

interface PatternOptions {
  readonly isFixed: boolean;
  readonly ignoresCase: boolean;
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/;

/** Text that JSON writes unchanged, or as a `\u` escape: no quote, backslash, slash or control character. */
const AS_STORED = /^[ !#-.0-[\]-~]+$/;

/**
 * Parses a regular expression. Unicode mode is stricter about escapes, so other expressions use the old mode.
 * Throws a CtxError (usage) with the alternative `otherwise`.
 */
export function readRegularExpression(raw: string, flags: string, otherwise: string): RegExp {
  try {
    return new RegExp(raw, `${flags}u`);
  } catch {
    try {
      return new RegExp(raw, flags);
    } catch (error) {
      throw new CtxError('usage', `"${raw}" is not a valid regular expression`, {
        where: readReason(error as Error, flags),
        hint: `repair the expression, or ${otherwise}`,
      });
    }
  }
}

/** The error message without the pattern, which V8 repeats before it. */
function readReason({ message }: Error, flags: string): string {
  return message.split(`/${flags}: `).at(-1) ?? message;
}
