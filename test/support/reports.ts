import type { SessionReport } from '#analysis/report/document.js';
import { buildSessionReport } from '#analysis/report/session-report.js';
import type { OpenSession } from '#context/open.js';
import { pathTo } from '#session/tree/tree.js';
import { opened } from './entries.js';

export interface Reported {
  readonly session: OpenSession;
  readonly data: SessionReport;
}

/** A session with what its page holds. */
export async function reported(text: string, limitBytes = Infinity): Promise<Reported> {
  const session = await opened(text);
  const { tree } = session;
  const data = buildSessionReport({
    session,
    baseline: {},
    window: { tokens: null, source: 'unknown', model: null },
    path: tree.leaf ? pathTo(tree, tree.leaf) : [],
    limitBytes,
    hasImages: true,
    version: '1.0.0',
    onPart: () => {},
  });
  const { ids, lines, times, sizes, order, forks } = data.entries;
  const ofHeads = { ids: [...ids], lines: [...lines], times: [...times], sizes: [...sizes] };
  const entries = { ...data.entries, ...ofHeads, order: [...order], forks: [...forks] };
  const requests = { ...data.requests, ledgers: [...data.requests.ledgers] };
  return { session, data: { ...data, entries, requests, messages: [...data.messages] } };
}
