import * as z from 'zod/mini';
import { toolDefinition } from '../replay/content.js';
import { defineOp } from './define.js';

export const toolsReplace = defineOp({
  name: 'tools_replace',
  scope: 'cached',
  region: 'tools',
  replacesRegion: true,
  summary: 'Replace all tool definitions',
  fields: { tools: z.array(toolDefinition) },
  apply: (envelope, { tools }) => ({ ...envelope, tools }),
  example: { tools: [{ name: 'read', description: 'Read a file', parameters: { type: 'object', properties: {} } }] },
});

export const toolsRemove = defineOp({
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
