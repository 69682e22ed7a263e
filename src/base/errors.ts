/** How bad a problem is: `error` loses context, `warning` may, `note` is worth knowing. */
export type Severity = 'error' | 'warning' | 'note';

/**
 * Something wrong with the data. Problems are values: they are collected and shown, never thrown.
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

/** A warning about no place of a file. */
export function warning(code: string, message: string): Problem {
  return { code, severity: 'warning', message, line: null, entryId: null };
}

/** Why a run cannot go on; each kind has its own exit code. */
export type ErrorKind = 'usage' | 'input' | 'refused' | 'bug';

/** Exit codes of the machine contract; 0 is success and 1 means findings, neither is an error. 70 is a bug of ours. */
export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = { usage: 2, input: 3, refused: 4, bug: 70 };

/** A run that cannot go on: what happened, where, and what to do about it. */
export class CtxError extends Error {
  readonly kind: ErrorKind;
  readonly where: string | null;
  readonly hint: string | null;

  constructor(kind: ErrorKind, what: string, at: { where?: string; hint?: string } = {}) {
    super(what);
    this.name = 'CtxError';
    this.kind = kind;
    this.where = at.where ?? null;
    this.hint = at.hint ?? null;
  }
}

const LONGEST_PART = 400;

/** A part of an error, cut: what it quotes from a session may be of any length. */
export function short(text: string): string {
  return text.length <= LONGEST_PART ? text : `${text.slice(0, LONGEST_PART)}…`;
}
