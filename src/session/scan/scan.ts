import type { Problem } from '#base/errors.js';
import type { Heads } from '../table/heads.js';
import type { Span } from './bytes.js';
import type { Header } from './header.js';

/** Where every byte of the file went. The lengths of all spans add up to the size of the file. */
export interface Scan {
  readonly size: number;
  /** false: only lines from somewhere in the file on were read. */
  readonly isWhole: boolean;
  readonly header: Header;
  readonly headerSpan: Span;
  /** What oh-my-pi writes before the header. */
  readonly titles: readonly Span[];
  /** Entries in file order. */
  readonly heads: Heads;
  readonly repeatedHeaders: readonly Span[];
  readonly blanks: readonly Span[];
  /** Damaged lines that hold no entry. */
  readonly lost: readonly Span[];
  readonly problems: readonly Problem[];
}

/** The number of bytes that the scan can account for: always the size of the file. */
export function bytesAccountedFor({ headerSpan, titles, heads, repeatedHeaders, blanks, lost }: Scan): number {
  let bytes = headerSpan.length;
  for (const spans of [titles, heads, repeatedHeaders, blanks, lost]) for (const { length } of spans) bytes += length;
  return bytes;
}
