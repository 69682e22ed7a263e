import { defineStrategy, type Proposal } from '../define.js';
import { ageOf, type History } from '../history.js';

export const summaries = defineStrategy({
  name: 'summaries',
  summary: 'Drop summaries whose facts the packet states',
  help:
    'The packet states the facts of compaction and branch summaries: goal, constraints, decisions, tasks and ' +
    'blockers. It replaces these summaries, so the model does not read the facts twice, ' +
    'and summaries do not accumulate.\n\n' +
    'A branch summary in the newest turn is kept. The entries remain in the session: `ctx log` lists them.',
  propose: proposeDrops,
});

function* proposeDrops(history: History): Generator<Proposal> {
  for (const item of history.items) {
    const what = SUMMARIES[item.kind];
    if (what === undefined || ageOf(history, item) === 0) continue;
    yield { changes: [{ at: item.at, message: null }], reason: `${what}; the packet states its facts` };
  }
}

const SUMMARIES: Readonly<Record<string, string>> = {
  'compaction-summary': 'summary of a compaction',
  'branch-summary': 'summary of a branch',
};
