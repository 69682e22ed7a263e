import * as z from 'zod/mini';
import { toolDefinition } from '../replay/content.js';
import { defineOp } from './define.js';

export default defineOp({
  name: 'tools_replace',
  scope: 'cached',
  region: 'tools',
  replacesRegion: true,
  summary: 'Replace all tool definitions',
  fields: { tools: z.array(toolDefinition) },
  apply: (envelope, { tools }) => ({ ...envelope, tools }),
  example: { tools: [{ name: 'read', description: 'Read a file', parameters: { type: 'object', properties: {} } }] },
});
