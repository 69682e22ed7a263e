import * as z from 'zod/mini';
import { llmMessage } from '../replay/content.js';
import { defineOp } from './define.js';

export const messagesCachedReplace = defineOp({
  name: 'messages_cached_replace',
  scope: 'cached',
  region: 'messages',
  replacesRegion: true,
  summary: 'Replace the whole cached message list',
  fields: { messages: z.array(llmMessage) },
  apply: (envelope, { messages }) => ({ ...envelope, messages: { ...envelope.messages, cached: messages } }),
  example: { messages: [{ role: 'user', content: 'Start over.', timestamp: 0 }] },
});

export const messagesUncachedAppend = defineOp({
  name: 'messages_uncached_append',
  scope: 'uncached',
  region: 'messages',
  summary: 'Append messages to one request only; never stored',
  fields: { messages: z.array(llmMessage) },
  apply: (envelope, { messages }) => ({
    ...envelope,
    messages: { ...envelope.messages, uncached: [...envelope.messages.uncached, ...messages] },
  }),
  example: { messages: [{ role: 'user', content: 'For this request only.', timestamp: 0 }] },
});
