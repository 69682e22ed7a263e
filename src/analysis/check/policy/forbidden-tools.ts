import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { offering } from '../example.js';
import { quoted } from '../quoted.js';
import { toolNames } from './declared.js';
import { matchesAny, namesOption } from './patterns.js';

const options = z.strictObject({ tools: namesOption('The names of tools that must not be there') });

export default defineRule({
  name: 'forbidden-tools',
  group: 'policy',
  severity: null,
  summary: 'The model is offered a tool that it must not have',
  help:
    'A session that was recorded with a tool goes on with it. This looks at the definitions that would be sent with the ' +
    'next request of the active leaf, not at calls that were made before. ' +
    'Of a session that does not record them nothing is known, so nothing is found, unless `contextBaseline` supplies them.',
  options,
  example: {
    fires: offering('bash', 'Run a command'),
    silent: offering('read', 'Read a file'),
    options: { tools: ['bash'] },
  },
  looksAt: 'envelope',
  *find(envelope, _session, { tools }): Generator<Hit> {
    for (const name of toolNames(envelope)) {
      if (matchesAny(tools, name)) yield { message: `the tool ${quoted(name)} is not allowed` };
    }
  },
});
