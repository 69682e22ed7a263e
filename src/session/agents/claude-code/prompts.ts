import { asObject, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { firstPast } from '#base/lists.js';
import type { LineTable } from '../../scan/line-table.js';
import { SLOT, TEXT } from './fields.js';

/** The line of no record. */
const NONE = -1;

/** The prompts and tools that requests were sent with: of each request, the line that records them. */
export class RequestShapes {
  /** In file order. */
  private readonly requests: { readonly line: number; readonly shape: number }[] = [];

  /** `lines`: the lines that may record one. */
  constructor(table: LineTable, lines: readonly number[]) {
    const shapes = new Map<number, number>();
    for (const line of lines) {
      const type = table.textAt(line, SLOT.type);
      const hash = table.textAt(line, SLOT.shape);
      if (type === TEXT.shape) shapes.set(hash, line);
      else if (type === TEXT.request) this.requests.push({ line, shape: shapes.get(hash) ?? NONE });
    }
  }

  /** Whether any request has them recorded. */
  get areRecorded(): boolean {
    return this.requests.some(({ shape }) => shape !== NONE);
  }

  /** The line with those of the request that an answer at a line is for; NONE if it has none. */
  before(line: number): number {
    const past = firstPast(this.requests.length, (at) => (this.requests[at]?.line ?? 0) > line);
    return this.requests[past - 1]?.shape ?? NONE;
  }
}

/** The type of an attachment with the system prompt and the tools. */
export const SNAPSHOT = 'prompt_snapshot';

/** The ops of a prompt snapshot: its system prompt and its tools, each if it is recorded. */
export function snapshotOps({ attachment }: JsonObject): readonly JsonObject[] {
  const { systemPrompt, cliPrefix, tools } = asObject(attachment);
  // The client begins the prompt with a sentence about itself.
  return promptOps([cliPrefix, systemPrompt].flat(), tools);
}

/** The ops of the prompt and the tools that a request was sent with. */
export function shapeOps({ shape }: JsonObject): readonly JsonObject[] {
  const { system, tools } = asObject(shape);
  return promptOps(typeof system === 'string' ? [system] : objectsIn(system).map(({ text }) => text), tools);
}

function promptOps(texts: readonly unknown[], tools: unknown): readonly JsonObject[] {
  const parts = texts.filter((text) => typeof text === 'string').map((text, at) => ({ name: `part-${at + 1}`, text }));
  return [
    ...(parts.length > 0 ? [op('system_parts_replace', { parts })] : []),
    ...(Array.isArray(tools) ? [op('tools_replace', { tools: objectsIn(tools).map(toolOf) })] : []),
  ];
}

function toolOf(tool: JsonObject): JsonObject {
  const { name, description, schema, input_schema: inputSchema } = tool;
  return {
    name: asString(name) ?? '',
    description: asString(description) ?? '',
    parameters: isObject(schema) ? schema : asObject(inputSchema),
  };
}

/** An op of a transform that represents a record of the file. */
export function op(name: string, fields: JsonObject): JsonObject {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason: 'recorded by Claude Code' };
}
