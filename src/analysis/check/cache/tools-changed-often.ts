import type { Example } from '../define.js';
import { declareBeforeRequests, defineChangeCountRule } from './change-count-rule.js';
import { areEqualTools } from './prefix-change.js';

export default defineChangeCountRule({
  name: 'tools-changed-often',
  summary: 'The tools change too often between requests',
  help:
    'Tools are at the beginning of a request, so each change is a full cache miss: the provider bills the whole ' +
    'request at full price. Tools that are added on demand, or removed by mode, then cost more than they save.\n\n' +
    'Declare the tools of a session once, at its beginning, and restrict calls elsewhere.',
  part: 'the tools',
  partOf: ({ tools }) => tools,
  isSame: areEqualTools,
  fix: 'declare all tools at the beginning of the session',
  example: { fires: declareTools('grep', 'find'), silent: declareTools('grep', 'grep') },
});

function declareTools(...names: readonly string[]): Example {
  return declareBeforeRequests(names.map((name) => ({ toolsAdded: [{ name, description: 'Search' }] })));
}
