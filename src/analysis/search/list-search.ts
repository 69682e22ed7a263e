import escapeStringRegexp from 'escape-string-regexp';
import { toVisibleLine } from '#base/visible.js';
import { nameEntry } from '#context/words/entry-text.js';
import { messageOf } from '#session/entry.js';
import { formatId } from '#session/heads/head.js';
import type { ListingRows } from '../listing/listing-rows.js';
import type { SessionIndex } from '../listing/session-index.js';
import { runWithDeadline } from './deadline.js';
import { listEntryTexts } from './entry-texts.js';
import { mayBacktrack } from './pattern-search.js';

/** Milliseconds that a pattern may take for one look at a screen, or for a few entries. */
const MOST_MILLISECONDS = 300;
/** Rows that share one time limit, because starting one takes longer than most rows. */
const ROWS_AT_ONCE = 16;
const AROUND = 40;

/** A search of the listed entries: for a pattern, or for errors. */
export interface ListSearch {
  readonly goal: RegExp | 'error';
  readonly from: number;
  readonly step: 1 | -1;
}

export interface SearchProgress {
  /** The share of the rows searched so far. */
  readonly share: number;
  /** The first matching row in the direction of the search; null if there is none so far. */
  readonly first: number | null;
}

/** Finds all rows that match, beginning after one and wrapping around at the end. Returns them in order. */
export function* findListMatches(
  { rows, known }: { readonly rows: ListingRows; readonly known: SessionIndex },
  { goal, from, step }: ListSearch,
): Generator<SearchProgress, readonly number[]> {
  const { length } = rows;
  const found: number[] = [];
  const test = (row: number): boolean => {
    const index = rows.indexAt(row);
    return goal === 'error' ? isError(known, index) : matchesEntry(known, index, goal);
  };
  const size = goal !== 'error' && mayBacktrack(goal) ? ROWS_AT_ONCE : 1;
  for (let count = 1; count <= length; count += size) {
    const next = Array.from({ length: Math.min(size, length - count + 1) }, (_, at) => {
      return (from + step * (count + at) + length * 2) % length;
    });
    const matching = goal === 'error' ? next.filter(test) : runTypedPattern(goal, () => next.filter(test));
    found.push(...matching);
    yield { share: count / length, first: found[0] ?? null };
  }
  return found.toSorted((a, b) => a - b);
}

function matchesEntry({ session, labels }: SessionIndex, index: number, pattern: RegExp): boolean {
  const head = session.tree.heads.at(index);
  if (!head) return false;
  const names = [formatId(head.id) ?? '', nameEntry(head, session), labels.get(index) ?? ''];
  if (names.some((name) => pattern.test(name))) return true;
  for (const { text } of listEntryTexts(session.entry(head))) {
    if (pattern.test(text)) return true;
  }
  return false;
}

/** Whether an entry is a failed tool call or a failed answer. */
function isError({ session }: SessionIndex, index: number): boolean {
  const head = session.tree.heads.at(index);
  if (head?.role !== 'assistant' && head?.role !== 'toolResult') return false;
  const message = messageOf(session.entry(head));
  if (message?.role === 'toolResult') return message.isError === true;
  return message?.role === 'assistant' && message.stopReason === 'error';
}

/** The text around the first match in an entry; null if only its id, name or label match. */
export function findSnippet({ session }: SessionIndex, index: number, pattern: RegExp): string | null {
  const head = session.tree.heads.at(index);
  if (!head) return null;
  return runTypedPattern(pattern, () => {
    for (const { text } of listEntryTexts(session.entry(head))) {
      const match = pattern.exec(text);
      if (match) return cutAround(text, match.index, match[0].length);
    }
    return null;
  });
}

function cutAround(text: string, at: number, length: number): string {
  const start = Math.max(0, at - AROUND);
  const end = at + Math.min(length, AROUND) + AROUND;
  return toVisibleLine(`${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`);
}

/** Runs a pattern of the user, which may take exponential time. Throws a CtxError if it exceeds its time. */
export function runTypedPattern<Result>(pattern: RegExp, work: () => Result): Result {
  return mayBacktrack(pattern) ? runWithDeadline(`/${pattern.source}/`, 0, work, MOST_MILLISECONDS) : work();
}

/**
 * Compiles the typed pattern. An invalid regular expression is searched as plain text. Case counts if it has capitals.
 */
export function readTypedPattern(typed: string): RegExp {
  const flags = /\p{Lu}/u.test(typed) ? 'u' : 'iu';
  try {
    return new RegExp(typed, flags);
  } catch {
    return new RegExp(escapeStringRegexp(typed), flags);
  }
}
