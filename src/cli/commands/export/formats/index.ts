import { renderJsonLine } from '#ui/doc/json.js';
import anthropic from './anthropic.js';
import atif from './atif.js';
import { markdownConversation, textConversation } from './conversation.js';
import type { ExportFormat, RequestFormat } from './define.js';
import openaiChat from './openai-chat.js';
import openaiResponses from './openai-responses.js';
import otel from './otel.js';
import { parquet } from './parquet.js';

const json = {
  name: 'json',
  takes: 'request',
  isPayload: false,
  summary: 'the context envelope with the source of each part: the document of ctx show --json',
  leavesOut: [],
  write: ({ envelope }) => ({ pieces: renderJsonLine(envelope), problems: [] }),
} satisfies RequestFormat;

/** Every form in which sessions leave. */
export const exportFormats: readonly ExportFormat[] = [
  textConversation,
  markdownConversation,
  atif,
  otel,
  json,
  anthropic,
  openaiResponses,
  openaiChat,
  parquet,
];
