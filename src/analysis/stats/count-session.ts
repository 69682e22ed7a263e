import type { PriceList } from '#context/models/prices.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import type { TokenMethod } from '#context/replay/tokens.js';
import { stepsInFile } from '#context/walk.js';
import { countDamage, type Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { EntryTally } from './entry-tally.js';
import { ledgerTotal } from './ledger.js';
import { PathTally } from './path-tally.js';
import type { SessionStats } from './session-stats.js';
import { SharedEntries } from './shared-entries.js';

export interface CountOptions {
  readonly method: TokenMethod;
  readonly baseline?: Baseline;
  /** Entries of sessions that were counted before. */
  readonly shared?: SharedEntries;
  readonly title: string;
  /** The prices of calls that record no cost; without it they are unknown. */
  readonly priceList?: PriceList;
}

/** Counts a session: every entry is parsed once, and none is kept but for those of the context. */
export function countSession(
  session: Session & { readonly readPatch: ReadPatch },
  { method, baseline = {}, shared = new SharedEntries(), title, priceList = () => null }: CountOptions,
): SessionStats {
  const path = activePath(session.tree);
  const along = new PathTally({ session, path, readPatch: session.readPatch, baseline, method });
  const own = new EntryTally(session.file, method, priceList);
  const elsewhere = new EntryTally(session.file, method, priceList);
  for (const { head, step, isRepeated } of stepsInFile(along.walked)) {
    const tally = shared.has(session, head.index) ? elsewhere : own;
    if (!isRepeated) tally.take(head, step?.entry ?? session.entry(head));
    if (step) along.take(step);
  }
  const { messages, usage, isCostRecorded, bySource, byModel, byDay, ledger, kinds, largest, toolTally } = own;
  return {
    file: session.file,
    id: session.header.id,
    cwd: session.header.cwd,
    title,
    ...spanOf(session),
    method: method.name,
    context: along.context(),
    size: along.size(),
    isPreambleKnown: along.isPreambleKnown(),
    problems: countDamage(session),
    diagnostics: along.diagnostics,
    entries: own.entries,
    messages: { ...messages },
    usage,
    isCostRecorded,
    bySource,
    byModel,
    byDay,
    ledger,
    kinds,
    tools: toolTally.uses(),
    largest,
    repeats: toolTally.repeats(),
    samples: along.samples
      .filter(({ index }) => !shared.has(session, index))
      .map(({ recorded, estimated }) => ({ recorded, estimated })),
    shared: { entries: elsewhere.entries, tokens: ledgerTotal(elsewhere.ledger), usage: elsewhere.usage },
  };
}

function spanOf({ tree: { heads } }: Session): Pick<SessionStats, 'first' | 'last'> {
  let first: number | null = null;
  let last: number | null = null;
  for (let index = 0; index < heads.length; index += 1) {
    const time = heads.timeAt(index);
    if (Number.isNaN(time)) continue;
    first = Math.min(first ?? time, time);
    last = Math.max(last ?? time, time);
  }
  return { first, last };
}
