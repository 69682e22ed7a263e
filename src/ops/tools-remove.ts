import * as z from 'zod/mini';
import { defineOp } from './define.js';

export default defineOp({
  name: 'tools_remove',
  scope: 'cached',
  region: 'tools',
  summary: 'Remove tool definitions by their names',
  fields: { toolNames: z.array(z.string()) },
  apply: (envelope, { toolNames }) => ({
    ...envelope,
    tools: envelope.tools.filter(({ name }) => !toolNames.includes(name)),
  }),
  example: { toolNames: ['bash'] },
});
