import * as z from 'zod/mini';
import { defineOp } from './define.js';

export default defineOp({
  name: 'tools_remove',
  scope: 'cached',
  region: 'tools',
  summary: 'Remove tool definitions by name',
  fields: { toolNames: z.array(z.string()) },
  apply(envelope, { toolNames }) {
    const removed = new Set(toolNames);
    return { ...envelope, tools: envelope.tools.filter(({ name }) => !removed.has(name)) };
  },
  example: { toolNames: ['bash'] },
});
