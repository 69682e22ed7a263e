import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { HEADER, QUESTION, system } from '../example.js';
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
    fires: [
      HEADER,
      system('s1', null, { toolsAdded: [{ name: 'bash', description: 'Run a command' }] }),
      { ...QUESTION, parentId: 's1' },
    ],
    silent: [
      HEADER,
      system('s1', null, { toolsAdded: [{ name: 'read', description: 'Read a file' }] }),
      { ...QUESTION, parentId: 's1' },
    ],
    options: { tools: ['bash'] },
  },
  looksAt: 'envelope',
  *find(envelope, _session, { tools }): Generator<Hit> {
    for (const name of toolNames(envelope)) {
      if (matchesAny(tools, name)) yield { message: `the tool ${quoted(name)} is not allowed` };
    }
  },
});
