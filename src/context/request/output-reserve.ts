import { asString, type JsonObject } from '#base/json.js';

/** A request that a provider refused because the tokens reserved for the answer did not fit into the window. */
export interface OutputReserve {
  /** The tokens of the prompt, which fit. */
  readonly input: number;
  /** The tokens that the request reserved for the answer. */
  readonly output: number;
  readonly window: number;
}

type Numbers = Partial<Record<'input' | 'output' | 'window', string>>;

/** The words in which providers of OpenAI's kind, Anthropic, OpenRouter and vLLM give these numbers. */
const REFUSALS: readonly RegExp[] = [
  /maximum context length is (?<window>[\d,]+) tokens\D+[\d,]+ tokens \((?<input>[\d,]+) (?:in the messages|of text input|from the input messages)\D+(?<output>[\d,]+) (?:in the completion|in the output|for the completion)/i,
  /input length and `?max_tokens`? exceed context limit: (?<input>[\d,]+) \+ (?<output>[\d,]+) > (?<window>[\d,]+)/i,
  /max_(?:completion_)?tokens'? is too large: (?<output>[\d,]+)\D+maximum context length is (?<window>[\d,]+) tokens\D+(?<input>[\d,]+) input tokens/i,
];

/**
 * The numbers of an answer that failed for that reason; null for any other, also for a prompt that itself is too long.
 */
export function readOutputReserve({ stopReason, errorMessage }: JsonObject): OutputReserve | null {
  const error = stopReason === 'error' ? (asString(errorMessage) ?? '').slice(0, MOST_CHARACTERS) : '';
  for (const refusal of REFUSALS) {
    const found: Numbers | undefined = refusal.exec(error)?.groups;
    if (!found) continue;
    const input = readNumber(found.input);
    const output = readNumber(found.output);
    const window = readNumber(found.window);
    return input <= window && input + output > window ? { input, output, window } : null;
  }
  return null;
}

/** Longer than any of these messages. */
const MOST_CHARACTERS = 2000;

function readNumber(text = ''): number {
  return Number(text.replaceAll(',', ''));
}
