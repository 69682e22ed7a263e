import { CtxError, shortenForError, toCtxError } from '#base/errors.js';
import { listAgentNames } from '#session/agents/index.js';
import { toParameterWords } from '../rpc/call.js';
import type { McpTool } from './tools.js';

interface FailedCall {
  readonly tool: Pick<McpTool, 'params'>;
  /** The arguments of the call. */
  readonly given: unknown;
  readonly isContentAllowed: boolean;
}

/** An error that the model can read, and do something about. Without the texts of sessions, if they are not allowed. */
export function describeToolFailure(error: unknown, { tool, given, isContentAllowed }: FailedCall): string {
  const { message, where, hint } = error instanceof CtxError ? error : toCtxError(error);
  const parts = [
    message,
    where && `  ${where}`,
    hint === null || isForCommandLine(hint, tool) ? null : `hint: ${hint}`,
  ];
  const words = JSON.stringify(given ?? null);
  return parts
    .flatMap((part) => (part === null ? [] : shortenForError(toParameterWords(part, tool))))
    .map((part) => (isContentAllowed ? part : withholdQuotes(part, words, tool)))
    .join('\n');
}

/** A text in quotes, as errors quote what they read. */
const QUOTED = /"(?:[^"\\\n]|\\.)*(?:"|$)/g;

/** Names of sessions and revisions that `ctx` suggests. */
const OWN_NAME = /^(?:(?:latest|all)(?::[a-z-]+)?|(?:HEAD|@\{[a-z]+(?::-?\d+)?\})(?:[~^]\d*)*)$/;

/** An error without what it quotes of a session: labels, ids, types. The words of the caller and of `ctx` stay. */
function withholdQuotes(text: string, given: string, { params }: Pick<McpTool, 'params'>): string {
  const own = new Set([...Object.keys(params.shape), ...listAgentNames()]);
  const isAllowed = (quoted: string): boolean => given.includes(quoted) || own.has(quoted) || OWN_NAME.test(quoted);
  return text.replaceAll(QUOTED, (quoted) => (isAllowed(quoted.slice(1, -1)) ? quoted : '"…"'));
}

/** Whether a hint is about flags, commands or an input that the tool does not have. */
function isForCommandLine(hint: string, tool: Pick<McpTool, 'params'>): boolean {
  if (hint.includes('ctx mcp')) return false;
  return /(?:^|\s)--[a-z]|\bctx [a-z]|standard input/.test(toParameterWords(hint, tool));
}
