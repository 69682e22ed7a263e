import { countSession, SharedEntries } from '#analysis/stats/count-session.js';
import { methodFor } from '#analysis/stats/method-for.js';
import type { SessionStats } from '#analysis/stats/session-stats.js';
import { CtxError } from '#base/errors.js';
import { priceList } from '#context/models/registry.js';
import { type OpenSession, openSession } from '#context/open.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { TokenizerName } from '#context/tokenizers/index.js';
import { titleOf } from '#context/words/message-text.js';
import type { Files } from '#platform/io.js';

/** Sessions that derive from each other, parents first. Shared entries count for the first session that has them. */
export interface StatsInput {
  readonly files: readonly string[];
  readonly tokenizer: TokenizerName;
  readonly baseline: Baseline;
}

/** The counts of a file, or the reason why there are none. */
export type StatsOf =
  | { readonly file: string; readonly ok: true; readonly stats: SessionStats }
  | { readonly file: string; readonly ok: false; readonly error: string };

export async function statsOfFamily(files: Files, { files: names, ...how }: StatsInput): Promise<readonly StatsOf[]> {
  const shared = new SharedEntries();
  const all: StatsOf[] = [];
  for (const file of names) all.push(await statsOf(files, file, { ...how, shared }));
  return all;
}

interface CountOptions extends Omit<StatsInput, 'files'> {
  readonly shared: SharedEntries;
}

async function statsOf(files: Files, file: string, how: CountOptions): Promise<StatsOf> {
  try {
    const session = await openSession(file, files);
    try {
      const stats = await statsOfSession(session, how);
      how.shared.note(session);
      return { file, ok: true, stats };
    } finally {
      session.close();
    }
  } catch (error) {
    // An error of this kind would not be known as one on its way out of a thread.
    if (error instanceof CtxError && error.kind === 'input') return { file, ok: false, error: error.message };
    throw error;
  }
}

/** Counts one session. Throws a CtxError (input) if the session does not determine the tokenizer. */
export async function statsOfSession(
  session: OpenSession,
  { tokenizer, baseline, shared }: Omit<CountOptions, 'shared'> & { readonly shared?: SharedEntries },
): Promise<SessionStats> {
  const method = await methodFor(session, { tokenizer, baseline });
  const title = titleOf(session);
  return countSession(session, { method, baseline, title, priceList: priceList(), ...(shared && { shared }) });
}
