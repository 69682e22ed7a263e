import anthropic from './anthropic.js';
import csv from './csv.js';
import type { ExportFormat } from './define.js';
import json from './json.js';
import openaiChat from './openai-chat.js';
import openaiResponses from './openai-responses.js';
import parquet from './parquet.js';
import { markdown, plainText as text } from './transcript.js';

/** Every form in which sessions leave. */
export const exportFormats: readonly ExportFormat[] = [
  text,
  markdown,
  json,
  anthropic,
  openaiResponses,
  openaiChat,
  csv,
  parquet,
];
