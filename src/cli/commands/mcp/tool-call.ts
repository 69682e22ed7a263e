import { createHash } from 'node:crypto';
import { CtxError } from '#base/errors.js';
import { describeIssue } from '#base/schema-issue.js';
import { VERSION } from '#base/version.js';
import { toVisibleLine } from '#base/visible.js';
import { limitFiles } from '#platform/files/limited-files.js';
import type { Io } from '#platform/io.js';
import { AGENTS } from '#session/agents/index.js';
import { findSessionsFolder } from '#session/agents/pi-folders.js';
import type { RedactedCall } from '../redact/redact-call.js';
import { buildCall, type CallWorld, findKeyHint, type Params, runMethod } from '../rpc/call.js';
import { KeptSessions } from '../rpc/kept-sessions.js';
import { findMethod } from '../rpc/methods.js';
import { createSilentIo } from '../rpc/silent-io.js';
import { type ToolAnswer, toToolAnswer } from './answer.js';
import { RETURNED_FIELDS } from './returned-fields.js';
import { describeToolFailure } from './tool-failure.js';
import { type McpTool, mcpTools } from './tools.js';

/** The limits of what a server reads and returns. */
export interface ServerLimits {
  readonly isContentAllowed: boolean;
  readonly areSecretsShown: boolean;
  /** Folders that are read beside those of the agents; absent: the working directory. */
  readonly roots?: readonly string[] | undefined;
  /** The largest answer that a call may ask for. */
  readonly maxTokens: number;
  /** The configuration to read: the nearest one, if it is undefined; none, if it is false. */
  readonly config: string | false | undefined;
}

/** A call of a tool, for the thread that answers it. */
export interface ToolTask {
  readonly limits: ServerLimits;
  readonly name: string;
  readonly given: Params;
}

export interface ToolReply {
  readonly text: string;
  readonly isError: boolean;
}

/** The size of an answer that a model reads beside its own work, in tokens. */
const USUAL_TOKENS = 1000;

interface ToolWorld extends Omit<CallWorld, 'maxTokens'> {
  readonly sessions: KeptSessions;
}

/** The world of the calls in this thread, made by the first of them: all have the limits of one server. */
let world: Promise<ToolWorld> | null = null;

/** Answers the call of a tool. Never throws: what failed is a reply. */
export async function answerToolCall(io: Io, { limits, name, given }: ToolTask): Promise<ToolReply> {
  const tool = mcpTools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const checked = tool.params.safeParse(given);
  if (!checked.success) {
    const hint = findKeyHint(tool.params, checked.error) ?? 'see the schema of the tool';
    const error = new CtxError('usage', describeIssue(checked.error), { hint });
    // What is wrong with the arguments says nothing of a session.
    return { text: describeToolFailure(error, { tool, given, isContentAllowed: true }), isError: true };
  }
  try {
    const answer = await answerMethod(io, limits, tool, checked.data);
    return { text: JSON.stringify(answer), isError: false };
  } catch (error) {
    const { isContentAllowed } = limits;
    return { text: describeToolFailure(error, { tool, given, isContentAllowed }), isError: true };
  }
}

/** Runs the method that answers a tool. Throws a CtxError. */
async function answerMethod(io: Io, limits: ServerLimits, tool: McpTool, given: Params): Promise<ToolAnswer> {
  const { maxTokens = USUAL_TOKENS, ...params } = given;
  const { method, params: methodParams } = tool.toCall(params);
  const current = await (world ??= createWorld(io, limits));
  current.sessions.begin();
  const wanted = { ...methodParams, fields: RETURNED_FIELDS[method] };
  const options = {
    method,
    isContentAllowed: limits.isContentAllowed,
    maxTokens: Math.min(maxTokens as number, limits.maxTokens),
  };
  return runMethod(current, findMethod(method), wanted, (outcome) => toToolAnswer(outcome, options));
}

async function createWorld(whole: Io, { areSecretsShown, roots, config }: ServerLimits): Promise<ToolWorld> {
  const files = limitFiles(whole.files, whole.cwd, listRoots(whole, roots));
  // Nothing is written beside the index of words, so results are not kept either.
  const limited = createSilentIo({ ...whole, files, openIndex: () => Promise.resolve(null) });
  // Names, paths and errors may hold secrets too.
  const { io, maskError } = areSecretsShown
    ? { io: limited, maskError: (error: unknown) => error }
    : await redactIo(limited, config);
  const sessions = new KeptSessions(io.files);
  return {
    io,
    sessions,
    openKept: (file) => sessions.open(file),
    config,
    warn: (note) => whole.stderr.write(`ctx: ${toVisibleLine(note)}\n`),
    maskError,
  };
}

/** The folders that are read: those of the agents, and the given ones or the working directory. */
function listRoots(io: Io, roots: readonly string[] = [io.cwd]): readonly string[] {
  const pi = findSessionsFolder(io);
  const others = io.home === '' ? [] : AGENTS.flatMap((agent) => agent.folders(io.env, io.home));
  return [...(pi === null ? [] : [pi]), ...others, ...roots];
}

async function redactIo(io: Io, config: string | false | undefined): Promise<Pick<RedactedCall, 'io' | 'maskError'>> {
  const { redactCall } = await import('../redact/redact-call.js');
  const redacted = await redactCall(io, await buildCall(findMethod('find_entries'), { words: '-' }, { config }));
  const mark = computeMark(redacted.rules);
  const openIndexDatabase: Io['openIndexDatabase'] = (name, tables) =>
    io
      .openIndexDatabase(`${name}-redacted`, { create: `${tables.create} /* ${mark} */` })
      .catch(() => redacted.io.openIndexDatabase(name, tables));
  return { io: { ...redacted.io, openIndexDatabase }, maskError: redacted.maskError };
}

/** Names the rules by which an index was redacted: with others it is built again. */
function computeMark({ values, patterns }: RedactedCall['rules']): string {
  const rules = JSON.stringify([VERSION, values, patterns.map(String)]);
  return createHash('sha256').update(rules).digest('hex');
}
