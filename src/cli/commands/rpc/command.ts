import { CtxError, shortenForError, toCtxError } from '#base/errors.js';
import { describeIssue } from '#base/schema-issue.js';
import { toVisibleLine } from '#base/visible.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand } from '../define.js';
import { positiveFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import { callMethod, type CallWorld, findKeyHint, toParameterWords } from './call.js';
import { anyRequest, type RpcAnswer, type RpcId, rpcId } from './document.js';
import { KeptSessions } from './kept-sessions.js';
import { rpcMethods, suggestMethod } from './methods.js';
import { LONGEST_REQUEST, readRequestLines } from './request-lines.js';
import { createSilentIo } from './silent-io.js';

const MAX_TOKENS = 5_000_000;

const FLAGS = {
  'max-tokens': positiveFlag(
    'N',
    'the largest answer, in estimated tokens, unless a request sets its own (default: 5M)',
  ),
  ...shared.configFlags,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'rpc',
  summary: 'Answer requests for JSON on standard input',
  description:
    'Reads JSON-RPC 2.0 requests from standard input, one per line, and prints one line of JSON for each, until the ' +
    `input ends. The methods are ${rpcMethods.map(({ name }) => name).join(', ')}; their results are what the commands ` +
    'print with --json. Sessions stay open between requests, and are read on when they grow. Changes nothing.',
  args: [],
  flags: FLAGS,
  hasOneForm: true,
  takesRedact: true,
  examples: [
    `echo '{"id":1,"method":"status"}' | ctx rpc`,
    `echo '{"id":2,"method":"search","params":{"pattern":"isoDate"}}' | ctx rpc`,
  ],
  run(input) {
    const batches = answerRequests(input);
    return Promise.resolve({ kind: 'stream', batches, format: 'json', isUnpaged: true, end: () => ({ problems: [] }) });
  },
});

async function* answerRequests(input: Input): AsyncGenerator<readonly Printable[]> {
  const io = createSilentIo(input.io);
  const sessions = new KeptSessions(io.files);
  const { config, 'no-config': isWithout, 'max-tokens': maxTokens = MAX_TOKENS } = input.flags;
  const world: CallWorld = {
    io,
    openKept: (file) => sessions.open(file),
    maxTokens,
    config: isWithout ? false : config,
    warn: (note) => input.io.stderr.write(`ctx: ${toVisibleLine(note)}\n`),
    maskError: input.maskError,
  };
  try {
    for await (const line of readRequestLines(input.io.input())) {
      sessions.begin();
      const data = await answerLine(world, line);
      if (data) yield [{ data, doc: () => [] }];
    }
  } finally {
    sessions.close();
  }
}

/** Answers a request; null for a notification, which has no answer. */
async function answerLine(world: CallWorld, line: string | null): Promise<RpcAnswer | null> {
  if (line === null)
    return buildFailure(null, CODES.request, new CtxError('input', `the line is longer than ${LONGEST_REQUEST} bytes`));
  const parsed = parseLine(line);
  if (parsed instanceof CtxError) return buildFailure(null, CODES.json, parsed);
  const request = anyRequest.safeParse(parsed);
  if (!request.success)
    return buildFailure(findId(parsed), CODES.request, buildNotARequestError(describeIssue(request.error)));
  const { jsonrpc, id, method, params = {} } = request.data;
  if (id !== undefined) return answerCall(world, { id, method, params });
  return jsonrpc === undefined ? buildFailure(null, CODES.request, buildNotARequestError('id is missing')) : null;
}

interface Request {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

async function answerCall(world: CallWorld, { id, method: name, params }: Request): Promise<RpcAnswer> {
  const method = rpcMethods.find((one) => one.name === name);
  if (!method) {
    const unknown = new CtxError('usage', `no method "${shortenForError(name)}"`, { hint: suggestMethod(name) });
    return buildFailure(id, CODES.method, unknown);
  }
  const checked = method.params.safeParse(params);
  if (!checked.success) {
    const hint = findKeyHint(method.params, checked.error);
    const what = `params: ${describeIssue(checked.error)}`;
    return buildFailure(id, CODES.params, new CtxError('usage', what, { hint }));
  }
  try {
    const result = await callMethod(world, method, checked.data);
    return { jsonrpc: '2.0', id, result: result as Record<string, unknown> };
  } catch (error) {
    const failure = error instanceof CtxError ? error : toCtxError(error);
    const { message, where, hint } = failure;
    return buildFailure(id, CODES[failure.kind], { message, where, hint: hint && toParameterWords(hint, method) });
  }
}

/** The codes of JSON-RPC for what is no call, and for the kinds of CtxError: see `rpcError` in document.ts. */
const CODES = {
  json: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  usage: -32602,
  input: -32003,
  refused: -32004,
  bug: -32603,
} as const;

function buildFailure(
  id: RpcId,
  code: number,
  { message, where, hint }: Pick<CtxError, 'message' | 'where' | 'hint'>,
): RpcAnswer {
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code,
      message: shortenForError(message),
      where: where && shortenForError(where),
      hint: hint && shortenForError(hint),
    },
  };
}

/** The value of a line; the error for one that is no JSON. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    return new CtxError('input', `not JSON: ${(error as Error).message}`, { hint: 'write one request per line' });
  }
}

function buildNotARequestError(why: string): CtxError {
  return new CtxError('usage', `not a request: ${why}`, { hint: 'write {"id":1,"method":"status","params":{}}' });
}

/** The id of what is no request otherwise. */
function findId(value: unknown): RpcId {
  const id = (value as { readonly id?: unknown } | null)?.id;
  return rpcId.safeParse(id).data ?? null;
}
