import type { Span } from '#session/scan/bytes.js';
import type { Session } from '#session/session.js';

export interface Damage {
  readonly span: Span;
  /** The rule of `ctx check` that finds it. */
  readonly code: string;
}

/**
 * The lines that a session of an old version loses when Pi rewrites it: damaged ones, and in version 1 also those that
 * are JSON but not an object, which cannot be given an id.
 */
export function damageIn({ scan, header }: Session): readonly Damage[] {
  const codes = new Map(scan.problems.map(({ code, offset }) => [offset, code]));
  const lost = scan.lost.map((span) => ({ span, code: codes.get(span.offset) ?? 'split-line' }));
  if (!(header.version < 2)) return lost;
  const isLost = new Set(lost.map(({ span }) => span.offset));
  const values = scan.problems.flatMap(({ code, line, offset, length }) =>
    code === 'not-an-object' && offset !== undefined && length !== undefined && !isLost.has(offset)
      ? [{ span: { line: line ?? 0, offset, length }, code }]
      : [],
  );
  return [...lost, ...values];
}
