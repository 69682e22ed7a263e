import { statsOfSession } from '../../src/jobs/stats.js';
import { openSession, type OpenSession } from '../../src/open.js';
import type { SessionReport } from '../../src/report/data.js';
import { sessionReport } from '../../src/report/session-report.js';
import { pathTo } from '../../src/session/tree.js';
import { statsReport } from '../../src/stats/report.js';
import { statsDocumentOf } from '../../src/stats/to-document.js';

export interface Reported {
  readonly session: OpenSession;
  readonly data: SessionReport;
}

/** A session with what its page holds. */
export async function reported(text: string, limitBytes = Infinity): Promise<Reported> {
  const session = await openSession(new TextEncoder().encode(text));
  const { tree, readPatch } = session;
  const stats = await statsOfSession(session, { tokenizer: 'chars', baseline: {} });
  const data = sessionReport({
    session,
    readPatch,
    baseline: {},
    window: { tokens: null, source: 'unknown', model: null },
    path: tree.leaf ? pathTo(tree, tree.leaf) : [],
    stats: statsDocumentOf(statsReport([stats], [], undefined)),
    limitBytes,
    version: '1.0.0',
    onPart: () => {},
  });
  return { session, data };
}
