import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { inferStopReason, parseImageUrl, toTextBlock, toTokens } from '../blocks.js';
import { readOnce } from '../one-document.js';

/** The text that a model receives instead of a pruned result. */
const CLEARED = '[Old tool result content cleared]';
/** The text that a model receives for the part that asks for a compaction. */
const COMPACTION = 'What did we do so far?';

/** A message of the export: its fields and its parts. */
export interface OpencodeMessage {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

export const listOpencodeMessages = readOnce((document): readonly OpencodeMessage[] =>
  listObjects(document['messages']).map(({ info, parts }) => ({ info: asObject(info), parts: listObjects(parts) })),
);

/** The parts of each request that a message answers: a step begins with its own part. */
export function listRequestParts({ parts }: OpencodeMessage): readonly (readonly JsonObject[])[] {
  const steps: JsonObject[][] = [[]];
  for (const part of parts) {
    if (part['type'] === 'step-start') steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.some(({ type }) => OF_MODEL.has(type)));
}

const OF_MODEL: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool', 'file']);

/** Milliseconds since 1970 of a message, NaN if unknown. */
export function messageTimeOf({ info: { time } }: OpencodeMessage): number {
  return asCount(asObject(time)['created']) ?? Number.NaN;
}

/** The content of a message, or of one step of an answer. */
export function toOpencodeBlocks(parts: readonly JsonObject[]): readonly JsonObject[] {
  return parts.flatMap((part) => {
    const { type, text, ignored, filename, mime, url, callID, tool } = part;
    switch (type) {
      case 'text':
        return typeof text === 'string' && ignored !== true ? [toTextBlock(text)] : [];
      case 'reasoning':
        return typeof text === 'string' ? [{ type: 'thinking', thinking: text }] : [];
      case 'tool':
        return [
          {
            type: 'toolCall',
            id: asString(callID) ?? '',
            name: asString(tool) ?? '',
            arguments: asObject(stateOf(part)['input']),
          },
        ];
      case 'file':
        return [
          parseImageUrl(asString(url) ?? '') ?? toTextBlock(`[file ${asString(filename) ?? asString(mime) ?? 'file'}]`),
        ];
      case 'compaction':
        return [toTextBlock(COMPACTION)];
      default:
        return [];
    }
  });
}

function stateOf({ state }: JsonObject): JsonObject {
  return asObject(state);
}

/** The time at which the result of a call was pruned; null if it was not. */
export function pruneTimeOf(part: JsonObject): number | null {
  return asCount(asObject(stateOf(part)['time'])['compacted']);
}

/** Whether a part is a call with a result. */
export function hasPartResult(part: JsonObject): boolean {
  const { status } = stateOf(part);
  return part['type'] === 'tool' && (status === 'completed' || status === 'error');
}

/** The result of a call, in full unless it `isCleared`. */
export function buildOpencodeResult(part: JsonObject, time: number, isCleared = false): JsonObject {
  const { status, output, error, attachments } = stateOf(part);
  const isError = status === 'error';
  const text = asString(isError ? error : output) ?? '';
  const content = isCleared
    ? buildClearedContent()
    : [toTextBlock(text), ...toOpencodeBlocks(listObjects(attachments))];
  const toolCallId = asString(part['callID']) ?? '';
  const toolName = asString(part['tool']) ?? '';
  return { role: 'toolResult', toolCallId, toolName, content, isError, timestamp: time };
}

export function buildClearedContent(): readonly JsonObject[] {
  return [toTextBlock(CLEARED)];
}

/**
 * The answer of one step. `isLast`: it is the last step of its message, which has the tokens of a message without
 * steps.
 */
export function buildOpencodeAnswer(
  message: OpencodeMessage,
  step: readonly JsonObject[],
  isLast: boolean,
): JsonObject {
  const { providerID, modelID, agent, mode, summary } = message.info;
  // Early versions name the agent of the conversation for a summary, too.
  const asked = summary === true ? 'compaction' : (asString(agent) ?? asString(mode));
  const content = toOpencodeBlocks(step);
  const usage = findOpencodeUsage(message, step, isLast);
  return {
    role: 'assistant',
    content,
    provider: asString(providerID) ?? 'unknown',
    model: asString(modelID) ?? 'unknown',
    ...(asked === null ? {} : { agent: asked }),
    ...(usage === null ? {} : { usage }),
    ...buildEnd(message, content),
    timestamp: messageTimeOf(message),
  };
}

/** An answer that failed is not sent again, unless the user aborted it after a part of it. */
function buildEnd({ info: { error } }: OpencodeMessage, content: readonly JsonObject[]): JsonObject {
  const isAborted = isObject(error) && error['name'] === 'MessageAbortedError';
  const isKept = isAborted && content.some(({ type }) => type !== 'thinking');
  if (!isObject(error) || isKept) return { stopReason: inferStopReason(content) };
  return { stopReason: isAborted ? 'aborted' : 'error', errorMessage: asString(error['name']) ?? 'error' };
}

/** The usage of one step; null if it is not recorded. */
export function findOpencodeUsage(
  { info }: OpencodeMessage,
  step: readonly JsonObject[],
  isLast: boolean,
): JsonObject | null {
  const finish = step.find(({ type, tokens }) => type === 'step-finish' && isObject(tokens));
  const { tokens, cost } = finish ?? (isLast ? info : {});
  if (!isObject(tokens)) return null;
  const cache = asObject(tokens['cache']);
  const input = toTokens(tokens['input']);
  const reasoning = toTokens(tokens['reasoning']);
  const cacheRead = toTokens(cache['read']);
  const cacheWrite = toTokens(cache['write']);
  const output = toTokens(tokens['output']) + reasoning;
  const totalTokens = input + output + cacheRead + cacheWrite;
  const total = asCount(cost);
  if (totalTokens === 0) return null;
  return { input, output, cacheRead, cacheWrite, reasoning, totalTokens, cost: total === null ? {} : { total } };
}

/** The messages of a list as a model receives them at a time. */
export function toOpencodeMessages(stored: readonly OpencodeMessage[], now: number): readonly JsonObject[] {
  return stored.flatMap((message) => {
    const time = messageTimeOf(message);
    if (message.info['role'] === 'user')
      return [{ role: 'user', content: toOpencodeBlocks(message.parts), timestamp: time }];
    const steps = listRequestParts(message);
    return steps.flatMap((step, index) => [
      buildOpencodeAnswer(message, step, index === steps.length - 1),
      ...step
        .filter(hasPartResult)
        .map((part) => buildOpencodeResult(part, time, (pruneTimeOf(part) ?? Infinity) <= now)),
    ]);
  });
}
