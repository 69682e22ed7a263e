import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';

/** The ops of a prompt snapshot: its system prompt and its tools, each if it is recorded. */
export function buildSnapshotOps({ attachment }: JsonObject): readonly JsonObject[] {
  const { systemPrompt, cliPrefix, tools } = asObject(attachment);
  // The client begins the prompt with a sentence about itself.
  return buildPromptOps([cliPrefix, systemPrompt].flat(), tools);
}

/** The ops of the prompt and the tools that a request was sent with. */
export function buildShapeOps({ shape }: JsonObject): readonly JsonObject[] {
  const { system, tools } = asObject(shape);
  return buildPromptOps(typeof system === 'string' ? [system] : listObjects(system).map(({ text }) => text), tools);
}

function buildPromptOps(texts: readonly unknown[], tools: unknown): readonly JsonObject[] {
  const parts = texts.filter((text) => typeof text === 'string').map((text, at) => ({ name: `part-${at + 1}`, text }));
  return [
    ...(parts.length > 0 ? [buildOp('system_parts_replace', { parts })] : []),
    ...(Array.isArray(tools) ? [buildOp('tools_replace', { tools: listObjects(tools).map(toToolDefinition) })] : []),
  ];
}

function toToolDefinition(tool: JsonObject): JsonObject {
  const { name, description, schema, input_schema: inputSchema } = tool;
  return {
    name: asString(name) ?? '',
    description: asString(description) ?? '',
    parameters: isObject(schema) ? schema : asObject(inputSchema),
  };
}

/** An op of a transform that represents a record of the file. */
export function buildOp(name: string, fields: JsonObject): JsonObject {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason: 'recorded by Claude Code' };
}
