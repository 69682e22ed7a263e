import type { Problem } from '#base/errors.js';
import { once } from '#base/memoize.js';
import type { Entry, StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { parentOf } from '#session/tree/tree.js';
import { toLenient } from './lenient.js';
import type { OpenSession } from './open.js';
import { readEntryMessage, readSummaryMessage, toLlmMessage } from './replay/convert.js';
import { findModelName } from './replay/settings.js';
import type { ContextTokens } from './size/counted-size.js';
import { PathSizes } from './size/path-sizes.js';
import { findRecordedTail, walkUp } from './size/recorded-tail.js';
import { isContextChange } from './size/size-effect.js';
import { findMethodRate, findTokenRate, toPlausibleFactor } from './size/token-rate.js';
import { BY_CHARACTERS, countMessageTokens } from './size/tokens.js';

/** An entry of a log, with its effect on the context. */
export interface LogEntry {
  readonly head: Head;
  /** The parsed entry. Keeping it keeps the session in memory. */
  readonly entry: Entry;
  /**
   * The tokens of the message that the entry adds, in the unit of `contextTokens`, which grows by them. If it did not
   * grow, or is not known, the scaled estimate. null for an entry without a message.
   */
  readonly tokens: number | null;
  /** The estimate of `tokens`, at four characters each. */
  readonly tokensEstimated: number | null;
  /**
   * The size of the context after this entry, as in `ctx show`; null for an entry outside the path, or before `from`.
   */
  readonly contextTokens: number | null;
  /** `recorded`: a provider counted all of `contextTokens`. */
  readonly contextTokensSource: 'recorded' | 'estimated' | null;
}

/** The selection of a log: some entries, and the path on which the context is followed from its entry at `from` on. */
export interface LogPlan {
  readonly path: readonly Head[];
  /** The length of the path if the context is not needed. */
  readonly from: number;
  /** The selected entries, as indexes of the file, in output order. */
  readonly wanted: Iterable<number>;
}

/**
 * The entries of a log in order. In path order each is parsed once, and of those before `from` only the ones
 * that a later context needs. Ops that break a rule are skipped; diagnostics are added to `problems`.
 */
export function* logEntries(
  source: OpenSession,
  { path, from, wanted }: LogPlan,
  problems: Problem[],
): Generator<LogEntry> {
  const session = toLenient(rememberLast(source));
  const sizes = new ContextSizes(session, { path, from });
  for (const index of wanted) {
    const head = session.tree.heads.at(index);
    if (!head) continue;
    // The size is computed first, so that this entry is the last one that was parsed.
    const size = sizes.after(index);
    const entry = session.entry(head);
    const contextTokensSource = size && (size.isRecorded ? 'recorded' : 'estimated');
    const tokensEstimated = countEntryTokens(session, head, entry);
    const tokens = tokensEstimated && sizes.grownBy(head, tokensEstimated);
    yield { head, entry, tokens, tokensEstimated, contextTokens: size && size.tokens, contextTokensSource };
  }
  for (const problem of sizes.problems()) problems.push(problem);
}

/** Estimated tokens of the message that an entry adds to the context, as the model receives it. */
function countEntryTokens(session: Session, head: Head, entry: Entry): number | null {
  const message = head.type === 'compaction' ? readOwnSummary(session, head, entry) : readEntryMessage(entry);
  const sent = message && toLlmMessage(message);
  return sent && countMessageTokens(sent);
}

/** null for a compaction that only repeats the transform before it. */
function readOwnSummary(session: Session, head: Head, entry: Entry): StoredMessage | null {
  const parent = parentOf(session.tree, head);
  if (parent && findRepeatedTransform(session, [parent, head], 1)) return null;
  return readSummaryMessage(entry);
}

/** A session that parses an entry once for consecutive reads of it. */
function rememberLast(session: OpenSession): OpenSession {
  let last: { readonly index: number; readonly entry: Entry } | null = null;
  return {
    ...session,
    entry(head) {
      if (last?.index !== head.index) last = { index: head.index, entry: session.entry(head) };
      return last.entry;
    },
  };
}

/** The size of the context after each entry of a path from `from` on, computed as far as the caller asks. */
class ContextSizes {
  private readonly pathSizes: PathSizes | null;
  /** The position of an entry of the file on the path, counted from 1; 0: none, or before `from`. */
  private readonly places: Uint32Array;
  private readonly sizes: ContextTokens[] = [];
  /** The position of the first size: that before the first entry that is asked for. */
  private readonly first: number;
  /** Returns the scale for messages whose share of the context is not known. */
  private readonly factor: () => number;

  constructor(session: OpenSession, { path, from }: Pick<LogPlan, 'path' | 'from'>) {
    const isAsked = from < path.length;
    this.first = Math.max(0, from - 1);
    this.places = new Uint32Array(isAsked ? session.tree.heads.length : 0);
    for (let at = from; at < path.length; at += 1) this.places[path[at]?.index ?? 0] = at + 1;
    this.pathSizes = isAsked ? new PathSizes(session, { path, baseline: {} }, this.first) : null;
    this.factor = once(() => (isAsked ? measureTokenFactor(session, path) : 1));
  }

  after(index: number): ContextTokens | null {
    return this.at((this.places[index] ?? 0) - 1);
  }

  /**
   * Returns the tokens of a message that an entry adds, so that the context grows by them. They are the scaled estimate
   * off the path, and where the growth is far from the estimate because something else changed too.
   */
  grownBy(head: Head, estimated: number): number {
    const scaled = (): number => Math.round(this.factor() * estimated);
    const place = (this.places[head.index] ?? 0) - 1;
    if (place <= 0 || isContextChange(head)) return scaled();
    const before = this.at(place - 1);
    const after = this.at(place);
    if (!before || !after || after.tokens <= before.tokens) return scaled();
    const grown = after.tokens - before.tokens;
    // The provider counts an answer, with its thinking.
    const isCounted = head.role === 'assistant' && before.isRecorded && after.isRecorded;
    return isCounted || toPlausibleFactor(grown / estimated) !== null ? grown : scaled();
  }

  problems(): readonly Problem[] {
    return this.pathSizes?.problems() ?? [];
  }

  private at(place: number): ContextTokens | null {
    const at = place - this.first;
    if (!this.pathSizes || at < 0) return null;
    for (let next = this.sizes.length; next <= at; next += 1)
      this.sizes.push(this.pathSizes.tokensAfter(this.first + next));
    return this.sizes[at] ?? null;
  }
}

/** Provider tokens for each estimated one of messages at the end of a path. Reads the last requests. */
function measureTokenFactor(session: Session, path: readonly Head[]): number {
  const tail = findRecordedTail(session, walkUp(path), BY_CHARACTERS);
  if (tail) return tail.growth().factor() ?? findMethodRate(tail.request.model, BY_CHARACTERS);
  return findTokenRate(findModelName(session, path)).rate;
}
