import { declareRulesText, defineVolatileRule } from './volatile-rule.js';

export default defineVolatileRule(
  {
    name: 'dated-prefix',
    severity: 'note',
    summary: 'The system prompt or a tool contains the current date',
    help:
      'A date at the beginning of every request invalidates the cache once a day. A session that continues after ' +
      'midnight, or is resumed on another day, then starts with a full cache miss if the prompt is rebuilt. That is ' +
      'less harmful than a time of day, which causes a miss in every request. Dates are reported if they are within ' +
      'the time span of the session, or follow a word such as `today`.\n\n' +
      'Put the date into the first user message.',
    example: {
      fires: declareRulesText('Current date: 2026-03-02'),
      silent: declareRulesText('The format was published on 1999-12-31.'),
    },
  },
  (kind) => kind === 'date',
);
