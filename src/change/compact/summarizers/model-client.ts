import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelUsage, RetryError, streamText } from 'ai';

/** A model of one of two protocols, and its address and key. */
export interface ModelAccess {
  readonly api: 'anthropic' | 'openai';
  readonly baseUrl: string;
  /** null: the server asks for none. */
  readonly key: { readonly kind: 'key' | 'token'; readonly value: string } | null;
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
}

export interface ModelRequest {
  readonly system: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** Is told how many characters have come. */
  onText(characters: number): void;
}

/** The answer of a model, complete or not. */
export interface ModelAnswer {
  readonly text: string;
  /** The stop reason: `stop` for a complete answer. */
  readonly finish: string;
  readonly calledTool: boolean;
  readonly usage: LanguageModelUsage;
}

/** A request that failed for good, in the words of the server. */
export interface RequestFailure {
  readonly failure: string;
  /** The HTTP status; null where there was no answer. */
  readonly status: number | null;
}

/** Requests are sent again after 429 and 5xx, with the pauses that the server asks for, or growing ones. */
const MOST_RETRIES = 3;

/** Sends one prompt to a model and reads the streamed answer. */
export async function askModel(access: ModelAccess, asked: ModelRequest): Promise<ModelAnswer | RequestFailure> {
  // The library would print its remarks.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const { system, prompt, signal: abortSignal } = asked;
  const model = createModel(access);
  let text = '';
  let calledTool = false;
  try {
    const { fullStream } = streamText({ model, system, prompt, abortSignal, maxRetries: MOST_RETRIES, onError() {} });
    for await (const part of fullStream) {
      if (part.type === 'text-delta') {
        text += part.text;
        asked.onText(text.length);
      }
      if (part.type === 'tool-call' || part.type === 'tool-input-start') calledTool = true;
      if (part.type === 'error') return toFailure(part.error);
      if (part.type === 'abort') return { failure: 'the request was interrupted', status: null };
      if (part.type === 'finish')
        return { text: text.trim(), finish: part.finishReason, calledTool, usage: part.totalUsage };
    }
  } catch (error) {
    return toFailure(error);
  }
  return { failure: 'the answer was truncated', status: null };
}

function createModel({
  api,
  baseUrl: baseURL,
  key,
  model,
  fetch,
}: ModelAccess): Parameters<typeof streamText>[0]['model'] {
  if (api === 'openai') {
    const apiKey = key === null ? {} : { apiKey: key.value };
    return createOpenAICompatible({ name: 'model', baseURL, includeUsage: true, fetch, ...apiKey })(model);
  }
  const auth = key?.kind === 'token' ? { authToken: key.value } : { apiKey: key?.value ?? 'none' };
  return createAnthropic({ baseURL, fetch, ...auth })(model);
}

function toFailure(error: unknown): RequestFailure {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (APICallError.isInstance(last)) return { failure: last.message, status: last.statusCode ?? null };
  return { failure: last instanceof Error ? last.message : findErrorMessage(last), status: null };
}

/** An error that came in the stream is what the server wrote there. */
function findErrorMessage(value: unknown): string {
  const { message } = (typeof value === 'object' && value !== null ? value : {}) as { message?: unknown };
  if (typeof message === 'string') return message;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'an error without a message');
}
