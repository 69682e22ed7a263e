import * as z from 'zod/mini';
import { setPart, withParts } from '../replay/system.js';
import { defineOp } from './define.js';

export default defineOp({
  name: 'system_part_set',
  scope: 'cached',
  region: 'system',
  summary: 'Replace a system part in place by name, or append it',
  fields: { partName: z.string(), text: z.string() },
  apply(envelope, { partName, text }) {
    const { parts } = envelope.system;
    return withParts(envelope, setPart(parts, { name: partName, text }));
  },
  example: { partName: 'policy', text: '\n\n# Policy\n\nNever print secrets.' },
});
