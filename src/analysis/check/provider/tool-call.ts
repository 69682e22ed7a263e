import { asString } from '#base/json.js';
import { quoteValue } from '../define.js';
import { readBlock } from './message.js';

/** A tool call with an id. */
export interface ToolCall {
  readonly id: string;
  readonly name: string | null;
  /** The index of its block in the content. */
  readonly at: number;
}

export function readCallAt(content: readonly unknown[], at: number): ToolCall | null {
  const block = readBlock(content[at]);
  if (block?.type !== 'toolCall') return null;
  const id = asString(block.id);
  return id === null ? null : { id, name: asString(block.name), at };
}

/** The name of a tool call in a sentence. */
export function describeToolCall({ id, name }: Pick<ToolCall, 'id' | 'name'>): string {
  return name === null ? `the call ${quoteValue(id)}` : `the call ${quoteValue(id)} of ${quoteValue(name)}`;
}
