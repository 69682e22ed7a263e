import { defineStrategy, type Proposal } from '../define.js';
import { ageOf, type History } from '../history.js';

export default defineStrategy({
  name: 'summaries',
  summary: 'Leave out raw summaries of compactions and branches: the ledger has their facts',
  help:
    'What a compaction or a branch summary says, the ledger has taken: goal, constraints, decisions, tasks and ' +
    'blockers. The packet made from it stands in the context instead, so the model does not read the same twice, and ' +
    'summaries do not pile up.\n\n' +
    'A branch summary in the newest turn stays. The entries stay in the session: `ctx log` lists them.',
  propose,
});

function* propose(history: History): Generator<Proposal> {
  for (const item of history.items) {
    const what = SUMMARIES[item.kind];
    if (what === undefined || ageOf(history, item) === 0) continue;
    yield { changes: [{ at: item.at, message: null }], reason: `${what}, whose facts are in the ledger` };
  }
}

const SUMMARIES: Readonly<Record<string, string>> = {
  'compaction-summary': 'summary of a compaction',
  'branch-summary': 'summary of a branch',
};
