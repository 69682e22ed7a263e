import type { Problem } from '../errors.js';
import type { Head } from '../session/head.js';
import type { Session } from '../session/session.js';
import { parentOf } from '../session/tree.js';
import type { JsonObject } from '../session/values.js';
import { contributionOf } from './contribution.js';
import { compactionSummary, toLlm } from './convert.js';
import type { ReadPatch } from './patch-step.js';
import { Replay } from './replay.js';
import { firstNeeded, MESSAGE_TYPES, transformAbove } from './selection.js';
import { tokensOfMessage } from './tokens.js';

/** One entry of a log, with what it means for the context. */
export interface LogEntry {
  readonly head: Head;
  /** Parsed. Whoever keeps log entries keeps the session in memory. */
  readonly entry: JsonObject;
  /** Estimated, of the message that the entry adds; null for one that adds none. */
  readonly tokens: number | null;
  /** Estimated, of all messages in the context after this entry; null for an entry that is not on the path, or above `from`. */
  readonly contextTokens: number | null;
}

/** What a log is made of: some entries, and the path on which the context is followed from its entry at `from` on. */
export interface LogPlan {
  readonly path: readonly Head[];
  /** The length of the path where nobody asks for the context. */
  readonly from: number;
  /** The entries that are wanted, as indexes of the file, in the order in which they are wanted. */
  readonly wanted: Iterable<number>;
}

/**
 * The entries of a log one after another. In the order of the path each is parsed once, and none of those above
 * `from` that no context from there on needs. Ops that break a rule are skipped; what is noted goes to `problems`.
 */
export function* logEntries(
  source: Session & { readonly readPatch: ReadPatch },
  { path, from, wanted }: LogPlan,
  problems: Problem[],
): Generator<LogEntry> {
  const session = rememberingLast(source);
  const sizes = new ContextSizes(session, path, from, source.readPatch);
  for (const index of wanted) {
    const head = session.tree.heads.at(index);
    if (!head) continue;
    // The replay comes first: it leaves this entry as the last one that was parsed.
    const contextTokens = sizes.after(index);
    const entry = session.entry(head);
    yield { head, entry, tokens: tokensOfEntry(session, head, entry), contextTokens };
  }
  for (const problem of sizes.problems()) problems.push(problem);
}

/** Estimated tokens of the message that an entry adds to the context when it comes, as the model gets it. */
function tokensOfEntry(session: Session, head: Head, entry: JsonObject): number | null {
  const message = head.type === 'compaction' ? summaryOf(session, head, entry) : contributionOf(entry);
  const sent = message && toLlm(message);
  return sent && tokensOfMessage(sent);
}

/** null for a compaction that only repeats what the transform above it did. */
function summaryOf(session: Session, head: Head, entry: JsonObject): JsonObject | null {
  const parent = parentOf(session.tree, head);
  if (parent && transformAbove(session, [parent, head], 1)) return null;
  return compactionSummary(entry['summary'], entry['timestamp']);
}

/** A session that parses an entry once, if it is asked for it several times in a row. */
function rememberingLast(session: Session): Session {
  let last: { readonly index: number; readonly entry: JsonObject } | null = null;
  return {
    ...session,
    entry(head) {
      if (last?.index !== head.index) last = { index: head.index, entry: session.entry(head) };
      return last.entry;
    },
  };
}

/** The size of the context after each entry of a path, replayed as far as somebody asks. */
class ContextSizes {
  private readonly replay: Replay | null;
  /** Where an entry of the file stands on the path, counted from 1; 0: nowhere, or above `from`. */
  private readonly places: Uint32Array;
  private readonly sizes: Float64Array;
  private readonly start: number;
  private next = 0;

  constructor(
    session: Session,
    private readonly path: readonly Head[],
    private readonly from: number,
    readPatch: ReadPatch,
  ) {
    const isAsked = from < path.length;
    this.start = isAsked ? firstNeeded(session, path, { since: from, readPatch }) : path.length;
    this.places = new Uint32Array(isAsked ? session.tree.heads.length : 0);
    this.sizes = new Float64Array(Math.max(0, path.length - from));
    for (let at = from; at < path.length; at += 1) this.places[path[at]?.index ?? 0] = at + 1;
    // Below the last transform nobody looks at a message again, and so the messages need not be held.
    const sizesFrom = path.findLastIndex(({ type }) => type === 'context_transform') + 1;
    this.replay = isAsked ? new Replay(session, path, { readPatch, baseline: {}, lenient: true, sizesFrom }) : null;
  }

  after(index: number): number | null {
    const place = this.places[index] ?? 0;
    if (place === 0) return null;
    for (; this.next < place; this.next += 1) this.step(this.next);
    return this.sizes[place - 1 - this.from] ?? null;
  }

  problems(): readonly Problem[] {
    return this.replay?.diagnostics ?? [];
  }

  private step(at: number): void {
    const head = this.path[at];
    if (!head || !this.replay || (at < this.start && MESSAGE_TYPES.has(head.type))) return;
    this.replay.step(head, at);
    if (at >= this.from) this.sizes[at - this.from] = this.replay.messageTokens();
  }
}
