import { declareSections } from '../example.js';
import { defineForbiddenRule, PART_NAMES } from './names-rule.js';

export default defineForbiddenRule({
  kind: PART_NAMES,
  name: 'forbidden-parts',
  summary: 'The system prompt contains a forbidden part',
  help:
    'Use this rule for parts that must not reach this model or this provider, or that a release no longer uses. It ' +
    'examines the next request of the active leaf. A part without text is not sent, so it is not reported. If a ' +
    'session does not record its parts, the rule reports that it was not checked, unless `contextBaseline` supplies them.',
  example: {
    fires: declareSections({ 'internal-notes': 'Be brief.' }),
    silent: declareSections({ rules: 'Ask first.' }),
    names: ['internal-*'],
  },
});
