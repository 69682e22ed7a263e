import * as z from 'zod/mini';
import { compactionSummary } from '../replay/convert.js';
import { defineOp } from './define.js';

export default defineOp({
  name: 'compaction_apply',
  scope: 'cached',
  region: 'messages',
  compacts: true,
  summary: 'Replace the cached messages before an index with a summary',
  fields: {
    summary: z.string(),
    timestamp: z.number(),
    firstKeptMessageIndex: z.number(),
    tokensBefore: z.optional(z.nullable(z.number())),
  },
  apply(envelope, { summary, timestamp, firstKeptMessageIndex }) {
    const kept = envelope.messages.cached.slice(Math.max(0, Math.floor(firstKeptMessageIndex)));
    return {
      ...envelope,
      messages: { ...envelope.messages, cached: [compactionSummary(summary, timestamp), ...kept] },
    };
  },
  example: { summary: 'The tests were fixed.', timestamp: 0, firstKeptMessageIndex: 2, tokensBefore: 21000 },
});
