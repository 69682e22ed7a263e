import { CtxError } from '#base/errors.js';
import type { Head } from '../heads/head.js';
import type { Session } from '../session.js';
import { findStringEnd, QUOTE } from './json-strings.js';

/** JSON.stringify fails at about 7,000 levels, and no provider accepts a hundredth of them. */
const MOST_LEVELS = 5000;

/**
 * Throws a CtxError (input) for the first entry of a path that is nested too deeply to be serialised. Work that
 * copies messages repeatedly checks this first, to avoid minutes of work before the same error.
 */
export function refuseTooDeep({ source, file }: Session, path: readonly Head[]): void {
  const deep = path.find(
    ({ offset, length }) => length > 2 * MOST_LEVELS && isTooDeep(source.read(offset, offset + length)),
  );
  if (!deep) return;
  throw new CtxError('input', 'the data is nested too deeply', {
    where: `${file}:${deep.line}`,
    hint: 'reduce the nesting; no provider would accept the data',
  });
}

/** Brackets and braces as the scan compares them: with one bit masked, `[` equals `{`, and `]` equals `}`. */
const OPENING = 0x5b;
const CLOSING = 0x5d;
const EITHER = 0xdf;

function isTooDeep(json: Uint8Array): boolean {
  let levels = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = findStringEnd(json, at + 1);
    else if ((byte & EITHER) === OPENING) levels += 1;
    else if ((byte & EITHER) === CLOSING) levels -= 1;
    if (levels > MOST_LEVELS) return true;
  }
  return false;
}
