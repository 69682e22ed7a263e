import type { Example } from '../define.js';
import { declareBeforeRequests, defineChangeCountRule } from './change-count-rule.js';

export default defineChangeCountRule({
  name: 'prompt-changed-often',
  summary: 'The system prompt changes too often between requests',
  help:
    'The system prompt precedes all messages, so each change is a cache miss for the whole conversation, which is ' +
    'billed at full price. State that changes from turn to turn does not belong there.\n\n' +
    'Put changing content into the newest user message, and keep the prompt constant.',
  part: 'the system prompt',
  partOf: ({ system: { compiled } }) => compiled,
  isSame: (before, after) => before === after,
  fix: 'put changing content into the newest user message',
  example: { fires: declareRules('Be brief.', 'Be kind.'), silent: declareRules('Be brief.', 'Be brief.') },
});

function declareRules(...texts: readonly string[]): Example {
  return declareBeforeRequests(texts.map((rules) => ({ sections: { rules } })));
}
