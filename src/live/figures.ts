import { countUnreadTokens } from '#analysis/cache/earlier-prompt.js';
import { readPromptUsage } from '#analysis/cache/recorded-answer.js';
import { reportCache } from '#analysis/cache/report-cache.js';
import { auditLoss } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import { isEncryptedSummary } from '#analysis/loss/hollow.js';
import { readSummaryAt } from '#analysis/loss/replacement.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { countContextTokens } from '#context/size/context-size.js';
import { walkUp } from '#context/size/recorded-tail.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { formatId } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { LiveBranch } from './branch.js';
import type { CachedTokens } from './status-line.js';

/**
 * The tokens of the context at the leaf, as `ctx status` counts them. Replays only if more than messages followed the
 * last answer.
 */
export function countLiveContext({ session, path }: LiveBranch): number {
  const sizeNow = () => buildEnvelope(session, path.at(-1) ?? null, {}).meta.size;
  return countContextTokens(session, { upward: walkUp(path), method: BY_CHARACTERS }, sizeNow).tokens;
}

/** Adds the answers since the last count. Their sums are those of `ctx cache`. */
export function addCachedTokens({ session, path }: LiveBranch, before: CachedTokens): CachedTokens {
  let { read, sent, misses, prompt } = before;
  for (const head of path.slice(before.next)) {
    const usage = answersRequest(head) ? readPromptUsage(session.usage(head)) : null;
    if (usage === null) continue;
    if (prompt > 0 && countUnreadTokens({ prompt }, usage) > 0) misses += 1;
    read += usage.cacheRead;
    sent += usage.promptTokens;
    prompt = usage.promptTokens;
  }
  return { next: path.length, read, sent, misses, prompt };
}

/** The cause of the last cache break; null if there is none. */
export function describeLastBreak({ session, path }: LiveBranch): string | null {
  const { requests } = reportCache({ session, path, baseline: {} });
  return requests.findLast((request) => request.break !== null)?.break?.class ?? null;
}

/** The id of the newest compaction. */
export function findNewestCompaction({ path }: LiveBranch): string | null {
  return formatId(path.findLast(({ type }) => type === 'compaction')?.id);
}

/** The losses of the newest compaction. */
interface NewestLosses {
  readonly compaction: string | null;
  /** The classes with facts that its summary does not mention. */
  readonly missing: LossDocument['classes'];
  readonly isEncrypted: boolean;
}

/** The facts that the newest compaction removed and its summary does not mention; null if nothing was compacted. */
export function listNewestLosses({ session, path }: LiveBranch): NewestLosses | null {
  const at = path.findLast(({ type }) => type === 'compaction');
  if (!at) return null;
  const missing = auditLoss({ session }, at).classes.filter((one) => one.missing > 0);
  return { compaction: formatId(at.id), missing, isEncrypted: isEncryptedSummary(readSummaryAt(session, at)) };
}

/** The number of instructions that are missing from the summary of a compaction, as `ctx loss` counts them. */
export function countLostInstructions({ session, path }: LiveBranch, compaction: string): number {
  const at = path.find(({ id }) => id === compaction);
  if (!at) return 0;
  const { classes } = auditLoss({ session }, at);
  return classes.find((one) => one.class === 'instructions')?.missing ?? 0;
}
