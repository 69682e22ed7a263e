import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { inferStopReason, parseImageUrl, toTextBlock, toTokens } from '../blocks.js';
import { readOnce } from '../one-document.js';

/** The steps of a trajectory. */
export const listSteps = readOnce((document) => listObjects(document['steps']));

/** Returns the unchanged entries of a session that ctx wrote into a step; null for a step of another program. */
export function listOwnEntries({ extra }: JsonObject): readonly JsonObject[] | null {
  const own = asObject(extra)['ctx'];
  return isObject(own) ? listObjects(own['entries']) : null;
}

/** The blocks of a message, which is a text or a list of parts. */
export function toAtifBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [toTextBlock(content)];
  return listObjects(content).map(toAtifBlock);
}

/** An image of another file is only named. */
function toAtifBlock({ type, text, source }: JsonObject): JsonObject {
  if (type !== 'image') return toTextBlock(asString(text) ?? '');
  const where = asString(asObject(source)['path']) ?? '';
  return parseImageUrl(where) ?? toTextBlock(`[image ${where}]`);
}

interface StepModel {
  readonly provider: string;
  /** null if neither the step nor the agent names one. */
  readonly model: string | null;
}

/** The provider and the model of an answer; the model of the agent, if the step names none. */
export function findModel(step: JsonObject, document: JsonObject): StepModel {
  const name = asString(step['model_name']) ?? asString(asObject(document['agent'])['model_name']);
  const [, provider = 'unknown', model = name] = /^([\w.-]+)\/(.+)$/.exec(name ?? '') ?? [];
  return { provider, model };
}

/** The answer of a step of the agent. */
export function buildAtifAnswer(step: JsonObject, document: JsonObject, time: number): JsonObject {
  const { provider, model } = findModel(step, document);
  const { message, reasoning_content: reasoning, tool_calls: calls } = step;
  const thinking = asString(reasoning) ? [{ type: 'thinking', thinking: reasoning }] : [];
  const content = [...thinking, ...toAtifBlocks(message), ...listObjects(calls).map(toAtifCall)];
  const usage = findAtifUsage(step);
  return {
    role: 'assistant',
    content,
    provider,
    model: model ?? 'unknown',
    ...(usage === null ? {} : { usage }),
    stopReason: inferStopReason(content),
    timestamp: time,
  };
}

function toAtifCall({ tool_call_id: id, function_name: name, arguments: input }: JsonObject): JsonObject {
  return { type: 'toolCall', id: asString(id) ?? '', name: asString(name) ?? '', arguments: asObject(input) };
}

/**
 * Finds the usage of a step; null if it has none, or if it was copied from another trajectory, where it counts. The
 * prompt tokens include those that were read from the cache.
 */
export function findAtifUsage({ source, metrics, is_copied_context: isCopied }: JsonObject): JsonObject | null {
  if (source !== 'agent' || !isObject(metrics) || isCopied === true) return null;
  const {
    prompt_tokens: prompt,
    completion_tokens: completion,
    cached_tokens: cached,
    cost_usd: cost,
    extra,
  } = metrics;
  const cacheRead = toTokens(cached);
  const cacheWrite = toTokens(asObject(extra)['cache_creation_input_tokens']);
  const input = Math.max(0, toTokens(prompt) - cacheRead - cacheWrite);
  const output = toTokens(completion);
  const totalTokens = input + cacheRead + cacheWrite + output;
  const total = asCount(cost);
  if (totalTokens === 0) return null;
  return { input, output, cacheRead, cacheWrite, totalTokens, cost: total === null ? {} : { total } };
}

/**
 * A result in the observation of a step, and the name of the tool that was called; null if it answers no call of the
 * step.
 */
export interface AtifResult {
  readonly callId: string;
  readonly toolName: string | null;
  readonly content: readonly JsonObject[];
}

export function listResults({ observation, tool_calls: calls }: JsonObject): readonly AtifResult[] {
  const names = new Map(
    listObjects(calls).map((call) => [call['tool_call_id'], asString(call['function_name']) ?? '']),
  );
  return listObjects(asObject(observation)['results']).map((result) => {
    const { source_call_id: id, content, subagent_trajectory_ref: refs } = result;
    const blocks = toAtifBlocks(content);
    const isNamed = blocks.length === 0 && Array.isArray(refs);
    return {
      callId: asString(id) ?? '',
      toolName: names.get(id) ?? null,
      content: isNamed ? [toTextBlock('[the trajectory of a subagent]')] : blocks,
    };
  });
}

/** Whether a step says that its message takes the place of the messages before it. */
export function isCompactionStep({ source, extra }: JsonObject): boolean {
  const { type, boundary } = asObject(asObject(extra)['context_management']);
  return source === 'system' && type === 'compaction' && boundary === 'replace';
}
