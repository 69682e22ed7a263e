import * as z from 'zod/mini';
import { llmMessage } from '../replay/content.js';
import { defineOp } from './define.js';

export default defineOp({
  name: 'messages_cached_replace',
  scope: 'cached',
  region: 'messages',
  replacesRegion: true,
  summary: 'Replace the whole cached message list',
  fields: { messages: z.array(llmMessage) },
  apply: (envelope, { messages }) => ({ ...envelope, messages: { ...envelope.messages, cached: messages } }),
  example: { messages: [{ role: 'user', content: 'Start over.', timestamp: 0 }] },
});
