import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { formatTime } from '#base/time.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { formatId, type Head } from '#session/heads/head.js';
import { isCompaction } from '#session/tree/compaction.js';
import { mayAddText } from '../search/entry-texts.js';
import { HiderSearch } from '../search/hider-search.js';
import { listEntryItems } from '../search/searched-items.js';
import { buildSnippet, type Snippet } from '../search/snippet.js';
import { buildVisibleForms } from '../search/visible-forms.js';
import { toPatterns, type WordQuery } from '../search/word-query.js';
import { readSummaryAt } from './replacement.js';

/** A place in the file. */
const place = {
  /** null for an entry without an id. */
  entryId: z.nullable(z.string()),
  /** The line of the file. */
  line: z.int(),
  /** ISO 8601; null if it is not recorded. */
  time: z.nullable(z.string()),
};

/** The words that a summary has. */
const summaryMention = z.object({
  ...place,
  /** The words, phrases and beginnings that the text has, and those that were asked for. */
  found: z.int(),
  asked: z.int(),
  /** A piece of the summary around them; null if it has none. */
  snippet: z.nullable(z.string()),
});

const statement = z.object({
  ...place,
  /** The role of the message, else the type of the entry. */
  name: z.string(),
  /** A piece of the text. */
  snippet: z.string(),
  /** Whether the context still contains the line. */
  isVisible: z.boolean(),
  /** The entry that took it out of the context; null if it is visible, was never sent, or that is unknown. */
  hiddenBy: z.nullable(z.object({ ...place, type: z.nullable(z.string()) })),
  /** The words that the summary of that compaction has; null if it was no compaction. */
  summary: z.nullable(summaryMention),
});

/** The output of `ctx why`. */
export const whyDocument = jsonDocument('ctx/why', {
  session: z.object({ id: z.string(), file: z.string() }),
  /** The entries of the path with the words, in order: those that matter most, and with `--full` all. */
  statements: z.array(statement),
  /** The number of entries that are not listed; left out if all are. */
  leftOut: z.exactOptional(z.int()),
  /** The words that the newest summary has; null without a compaction. */
  summaryNow: z.nullable(summaryMention),
});

export type WhyDocument = z.infer<typeof whyDocument>;
export type TracedStatement = z.infer<typeof statement>;
export type SummaryMention = z.infer<typeof summaryMention>;

/** Finds the entries of a path with all words of a query, and whether the context at its end still has each. */
export function traceWords(strict: OpenSession, path: readonly Head[], query: WordQuery): WhyDocument {
  // A patch that cannot be applied hides nothing.
  const session = toLenient(strict);
  const { header, file } = session;
  const patterns = toPatterns(query);
  const { isVisible } = buildVisibleForms(buildEnvelope(session, path.at(-1) ?? null));
  const hiders = new HiderSearch(session, path);
  const readMention = (boundary: Head): SummaryMention => findMentionBefore(session, boundary, patterns);
  const statements: TracedStatement[] = [];
  for (const { head, name, places } of listEntryItems(session, path.filter(mayAddText))) {
    if (!head) continue;
    const found = findLine(places, patterns);
    if (!found) continue;
    const isShown = isVisible(head, found.line);
    const hider = isShown ? null : hiders.findHider(head, found.line);
    statements.push({
      ...toPlace(head),
      name,
      snippet: found.snippet.text,
      isVisible: isShown,
      hiddenBy: hider && { ...toPlace(hider), type: hider.type },
      summary: hider && isCompaction(session, hider) ? readMention(hider) : null,
    });
  }
  const newest = path.findLast((head) => isCompaction(session, head));
  return {
    schema: 'ctx/why',
    schemaVersion: 1,
    session: { id: header.id, file },
    statements,
    summaryNow: newest ? readMention(newest) : null,
  };
}

interface FoundLine {
  /** The line with most of the words. */
  readonly line: string;
  readonly snippet: Snippet;
}

/** The text for the model that has all words; null if none has. */
function findLine(
  places: Iterable<{ readonly text: string; readonly isForModel: boolean }>,
  patterns: readonly RegExp[],
): FoundLine | null {
  for (const { text, isForModel } of places) {
    if (!isForModel || !patterns.every((pattern) => hasMatch(text, pattern))) continue;
    const snippet = buildSnippet(text, patterns);
    if (snippet) return { line: chooseLine(text, patterns), snippet };
  }
  return null;
}

function chooseLine(text: string, patterns: readonly RegExp[]): string {
  const count = (line: string): number => patterns.filter((pattern) => hasMatch(line, pattern)).length;
  let best = '';
  let most = 0;
  for (const line of text.split('\n')) {
    const own = count(line);
    if (own > most) {
      best = line;
      most = own;
    }
  }
  return best;
}

function hasMatch(text: string, pattern: RegExp): boolean {
  return text.normalize('NFD').search(pattern) >= 0;
}

function findMentionBefore(session: OpenSession, boundary: Head, patterns: readonly RegExp[]): SummaryMention {
  const summary = readSummaryAt(session, boundary);
  const found = patterns.filter((pattern) => hasMatch(summary, pattern));
  return {
    ...toPlace(boundary),
    found: found.length,
    asked: patterns.length,
    snippet: buildSnippet(summary, patterns)?.text ?? null,
  };
}

function toPlace({ id, line, time }: Head): Pick<TracedStatement, 'entryId' | 'line' | 'time'> {
  return { entryId: formatId(id), line, time: Number.isNaN(time) ? null : formatTime(time) };
}
