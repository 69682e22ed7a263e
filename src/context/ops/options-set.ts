import * as z from 'zod/mini';
import { defineOp } from './define.js';

const OPTIONS = ['reasoning', 'temperature', 'maxTokens'] as const;

export default defineOp({
  name: 'options_set',
  scope: 'cached',
  region: 'options',
  summary: 'Set generation options; null removes an option',
  fields: {
    reasoning: z.optional(z.nullable(z.string())),
    temperature: z.optional(z.nullable(z.number())),
    maxTokens: z.optional(z.nullable(z.number())),
  },
  apply(envelope, op) {
    const options: Record<string, unknown> = { ...envelope.options };
    for (const name of OPTIONS) {
      if (op[name] === null) delete options[name];
      else if (op[name] !== undefined) options[name] = name === 'maxTokens' ? Math.floor(op[name]) : op[name];
    }
    return { ...envelope, options };
  },
  example: { reasoning: 'high', temperature: null },
});
