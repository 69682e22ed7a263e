import { renderIndentedJson } from '#ui/doc/json.js';
import anthropic from './anthropic.js';
import type { ExportFormat, RequestFormat } from './define.js';
import openaiChat from './openai-chat.js';
import openaiResponses from './openai-responses.js';
import { parquet } from './parquet.js';
import { markdownTranscript, textTranscript as text } from './transcript.js';

const json = {
  name: 'json',
  takes: 'request',
  isPayload: false,
  summary: 'the context envelope with the source of each part: the document of ctx show --json',
  leavesOut: [],
  write: ({ envelope }) => ({ pieces: renderIndentedJson(envelope), problems: [] }),
} satisfies RequestFormat;

/** Every form in which sessions leave. */
export const exportFormats: readonly ExportFormat[] = [
  text,
  markdownTranscript,
  json,
  anthropic,
  openaiResponses,
  openaiChat,
  parquet,
];
