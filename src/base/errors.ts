import { truncate } from './text.js';

/** The severity of a problem: `error` loses context, `warning` may lose some, `note` is informative. */
export type Severity = 'error' | 'warning' | 'note';

/**
 * A problem in the data. Problems are values: they are collected and shown, never thrown.
 * `line` counts from 1; `offset` and `length` are bytes of the file.
 */
export interface Problem {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly line: number | null;
  readonly entryId: string | null;
  readonly offset?: number;
  readonly length?: number;
}

/** A warning without a place in a file. */
export function buildWarning(code: string, message: string): Problem {
  return { code, severity: 'warning', message, line: null, entryId: null };
}

/** Sorts problems by their lines. Those without a line come first. */
export function sortByLine<Item extends { readonly line: number | null }>(problems: readonly Item[]): Item[] {
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** The reason why a run cannot continue; each kind has its own exit code. */
export type ErrorKind = 'usage' | 'input' | 'refused' | 'bug';

/** Exit codes of the machine contract; 0 is success and 1 means findings. 70 is an internal error. */
export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = { usage: 2, input: 3, refused: 4, bug: 70 };

/** The parts of an error beside what happened, none of which is required. */
interface ErrorDetails {
  readonly where?: string | null | undefined;
  readonly hint?: string | null | undefined;
  readonly excerpt?: readonly string[];
}

/** A run that cannot continue: what happened, where, and a hint. */
export class CtxError extends Error {
  readonly kind: ErrorKind;
  readonly where: string | null;
  readonly hint: string | null;
  /** A line of the input and one with a mark under the place, for a terminal. */
  readonly excerpt: readonly string[];

  constructor(kind: ErrorKind, what: string, { where = null, hint = null, excerpt = [] }: ErrorDetails = {}) {
    super(what);
    this.name = 'CtxError';
    this.kind = kind;
    this.where = where;
    this.hint = hint;
    this.excerpt = excerpt;
  }

  /** The extension in Pi and the program that it loads are two bundles, each with a class of this name. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'CtxError' && 'kind' in value;
  }
}

const LONGEST_PART = 400;

/** Truncates a part of an error, since it may quote a text of any length. */
export function shortenForError(text: string): string {
  return truncate(text, LONGEST_PART);
}

/** The result of some work; `otherwise` if it throws anything. */
export function attempt<Result, Other>(work: () => Result, otherwise: Other): Result | Other {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** An error that the read data cause: a CtxError (input), or data nested too deeply for JavaScript; null for others. */
export function toInputError(error: unknown): CtxError | null {
  if (error instanceof CtxError) return error.kind === 'input' ? error : null;
  if (!(error instanceof RangeError) || !/call stack/.test(error.message)) return null;
  return new CtxError('input', 'the data is nested too deeply', { hint: 'no provider would accept it' });
}

/** Converts any other error to a CtxError: a bug, or data that is too deep or too long for JavaScript. */
export function toCtxError(error: unknown): CtxError {
  const input = toInputError(error);
  if (input) return input;
  if (error instanceof RangeError && /string length/.test(error.message)) {
    return new CtxError('input', 'the output is longer than the maximum length of a string', {
      hint: 'ask for a part of it',
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CtxError('bug', `unexpected error: ${message}`, { hint: 'this is a bug in ctx; CTX_DEBUG=1 shows where' });
}
