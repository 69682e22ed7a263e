import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { HEADER, QUESTION, system } from '../example.js';
import { partNames, unrecorded } from './declared.js';
import { matches, namesOption } from './patterns.js';

const options = z.strictObject({ parts: namesOption('The names of system parts that must be there') });

export default defineRule({
  name: 'required-parts',
  group: 'policy',
  severity: null,
  summary: 'The system prompt lacks a part that it must have',
  help:
    'Instructions that everybody relies on, such as the rules of a team, can get lost: an extension replaces the prompt, ' +
    'a transform removes a part, a compaction has no checkpoint. This looks at what would be sent with the next request of ' +
    'the active leaf. A part without text counts as missing. ' +
    'Sessions before Pi 0.87 record neither prompt nor tools: that is found too, unless `contextBaseline` supplies them.',
  options,
  example: {
    fires: [HEADER, system('s1', null, { sections: { style: 'Be brief.' } }), { ...QUESTION, parentId: 's1' }],
    silent: [HEADER, system('s1', null, { sections: { rules: 'Ask first.' } }), { ...QUESTION, parentId: 's1' }],
    options: { parts: ['rules'] },
  },
  looksAt: 'envelope',
  *find(envelope, _session, { parts }): Generator<Hit> {
    if (envelope.meta.sources.system === 'unknown') {
      yield unrecorded('system prompt');
      return;
    }
    const present = partNames(envelope);
    for (const pattern of parts) {
      if (!present.some((name) => matches(pattern, name)))
        yield { message: `no part of the system prompt is called "${pattern}"` };
    }
  },
});
