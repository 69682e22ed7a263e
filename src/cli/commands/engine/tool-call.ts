import { CtxError } from '#base/errors.js';
import { asString, isObject, parseJson } from '#base/json.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import type { CallToolParams, CallToolResult, ContextEngine } from '#lab/contract.js';
import { findAnswerFault } from '#lab/drive/engine-answers.js';
import { type Doc, heading, verbatim } from '#ui/doc/doc.js';

/** A call of a tool as the model would make it. */
export type EngineToolCall = Pick<CallToolParams, 'toolName' | 'input'>;

/** Reads a tool and its arguments: `read_result {"entry":"3f12b25a"}`. Throws a CtxError (usage) for another text. */
export function readEngineToolCall(raw: string): EngineToolCall {
  const [, toolName = '', json = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(raw) ?? [];
  const input = json === '' ? {} : parseJson(json);
  if (toolName !== '' && isObject(input)) return { toolName, input };
  throw new CtxError('usage', `"${raw}" is not a tool call`, {
    hint: 'write the tool and its arguments: \'read_result {"entry":"ID"}\'',
  });
}

/** The answer of an engine to a call of one of its tools. Throws a CtxError if it has none. */
export async function answerEngineToolCall(
  engine: ContextEngine | null,
  params: CallToolParams,
): Promise<CallToolResult> {
  if (!engine?.callTool)
    throw new CtxError('usage', 'the engine answers no tool calls', { hint: 'give it a method callTool' });
  const answer: unknown = await engine.callTool(params);
  const why = findAnswerFault('callTool', answer);
  if (why === null) return answer as CallToolResult;
  throw new CtxError('input', `the engine failed at callTool: ${why}`, { hint: 'correct the engine' });
}

/** The call and its answer, in full. */
export function renderToolCall({ toolName, input, content }: NonNullable<AssemblyDocument['call']>): Doc {
  return [heading(3, `${toolName} ${JSON.stringify(input)}`), ...content.map((block) => verbatim(blockText(block)))];
}

function blockText(block: Readonly<Record<string, unknown>>): string {
  return asString(block.text) ?? `[${String(block.type)}]`;
}
