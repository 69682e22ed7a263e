import { declareRulesText, defineVolatileRule } from './volatile-rule.js';

export default defineVolatileRule(
  {
    name: 'volatile-prefix',
    severity: 'warning',
    summary: 'The system prompt or a tool contains a time, a random id or similar',
    help:
      'The beginning of a request is cached as long as it is identical, byte for byte. A clock time, a UUID, a ' +
      'random or process id or a temporary path is new in every session, and often in every request, so everything ' +
      'after it is a cache miss. Times are reported if they are within the time span of the session, or follow a ' +
      'word such as `now` or `current`. Dates are reported by `dated-prefix`.\n\n' +
      'Put the value into the newest user message, where it invalidates nothing.',
    example: { fires: declareRulesText('Current time: 09:31:05'), silent: declareRulesText('The stand-up is at 9.') },
  },
  (kind) => kind !== 'date',
);
