import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { HEADER, QUESTION, system } from '../example.js';
import { quoted } from '../quoted.js';
import { partNames } from './declared.js';
import { matchesAny, namesOption } from './patterns.js';

const options = z.strictObject({ parts: namesOption('The names of system parts that must not be there') });

export default defineRule({
  name: 'forbidden-parts',
  group: 'policy',
  severity: null,
  summary: 'The system prompt has a part that it must not have',
  help:
    'Parts that must not reach this model or this provider, or that a release has left behind. This looks at what would ' +
    'be sent with the next request of the active leaf. A part without text is not sent, so it is not found. ' +
    'Of a session that does not record them nothing is known, so nothing is found, unless `contextBaseline` supplies them.',
  options,
  example: {
    fires: [
      HEADER,
      system('s1', null, { sections: { 'internal-notes': 'Be brief.' } }),
      { ...QUESTION, parentId: 's1' },
    ],
    silent: [HEADER, system('s1', null, { sections: { rules: 'Ask first.' } }), { ...QUESTION, parentId: 's1' }],
    options: { parts: ['internal-*'] },
  },
  looksAt: 'envelope',
  *find(envelope, _session, { parts }): Generator<Hit> {
    for (const name of partNames(envelope)) {
      if (matchesAny(parts, name)) yield { message: `the system part ${quoted(name)} is not allowed` };
    }
  },
});
