import { declareSections } from '../example.js';
import { defineRequiredRule, PART_NAMES } from './names-rule.js';

export default defineRequiredRule({
  kind: PART_NAMES,
  name: 'required-parts',
  summary: 'A required part of the system prompt is missing',
  help:
    'Shared instructions, such as the rules of a team, can get lost: an extension replaces the prompt, a transform ' +
    'removes a part, a compaction has no checkpoint. This rule examines the next request of the active leaf. A part ' +
    'without text counts as missing. Sessions before Pi 0.87 record neither prompt nor tools; that is reported too, ' +
    'unless `contextBaseline` supplies them.',
  example: {
    fires: declareSections({ style: 'Be brief.' }),
    silent: declareSections({ rules: 'Ask first.' }),
    names: ['rules'],
  },
});
