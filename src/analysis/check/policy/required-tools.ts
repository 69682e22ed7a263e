import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { offering } from '../example.js';
import { toolNames, unrecorded } from './declared.js';
import { matches, namesOption } from './patterns.js';

const options = z.strictObject({ tools: namesOption('The names of tools that must be there') });

export default defineRule({
  name: 'required-tools',
  group: 'policy',
  severity: null,
  summary: 'A tool is missing that the model must be offered',
  help:
    'An agent without the tool that its instructions speak of invents something else. This looks at the definitions that ' +
    'would be sent with the next request of the active leaf. ' +
    'Sessions before Pi 0.87 record neither prompt nor tools: that is found too, unless `contextBaseline` supplies them.',
  options,
  example: {
    fires: offering('bash', 'Run a command'),
    silent: offering('read', 'Read a file'),
    options: { tools: ['read'] },
  },
  looksAt: 'envelope',
  *find(envelope, _session, { tools }): Generator<Hit> {
    if (envelope.meta.sources.tools === 'unknown') {
      yield unrecorded('tools');
      return;
    }
    const present = toolNames(envelope);
    for (const pattern of tools) {
      if (!present.some((name) => matches(pattern, name)))
        yield { message: `no tool that is offered is called "${pattern}"` };
    }
  },
});
