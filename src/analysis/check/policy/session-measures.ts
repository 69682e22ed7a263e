import { toLenient } from '#context/lenient.js';
import { buildPriceList } from '#context/models/registry.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { replayContext } from '#context/replay/build-envelope.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { countUsage } from '../../stats/count-usage.js';
import { sumSessionCosts } from '../../stats/session-costs.js';
import { SharedEntries } from '../../stats/shared-entries.js';
import { sumKnownCost, toUsageDocument } from '../../stats/usage-sums.js';
import { listPathCalls } from './path-calls.js';

/** The measures of growth, with their words in a sentence. */
export const MEASURES = {
  requests: 'requests',
  calls: 'tool calls',
  failed: 'failed tool calls',
  tokens: 'tokens used',
  output: 'output tokens',
  cost: 'cost in dollars',
  context: 'tokens of the context',
} as const;

export type Measure = keyof typeof MEASURES;

/** The measures of a session; null for one that it does not record. */
export type SessionMeasures = Readonly<Record<Measure | 'input', number | null>>;

/** Measures a session on all branches, its calls on the active path. */
export function measureSession(session: Session): SessionMeasures {
  const usage = toUsageDocument(countUsage(session, new SharedEntries(), buildPriceList()).usage);
  const { heads } = session.tree;
  let requests = 0;
  for (let index = 0; index < heads.length; index += 1) {
    const head = heads.roleAt(index) === 'assistant' ? heads.at(index) : undefined;
    if (head && answersRequest(head)) requests += 1;
  }
  const isRecorded = requests === 0 || usage.calls > 0;
  const costs = sumSessionCosts(session);
  const calls = listPathCalls(session);
  const { size } = replayContext(toLenient(attachPatchReader(session)), session.tree.leaf).envelope().meta;
  return {
    requests,
    calls: calls.length,
    failed: calls.filter(({ hasFailed }) => hasFailed).length,
    tokens: isRecorded ? usage.total : null,
    input: isRecorded ? usage.input : null,
    output: isRecorded ? usage.output : null,
    cost: isRecorded && costs.unpricedCalls === 0 ? sumKnownCost(costs) : null,
    context: size.tokens,
  };
}
