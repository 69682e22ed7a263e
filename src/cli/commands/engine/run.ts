import { CtxError } from '#base/errors.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import { locateToWrite } from '#cli/locate.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { findWindow } from '#context/size/window.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { buildAssemblyDocument } from '#lab/build-assembly-document.js';
import type { DriveOptions } from '#lab/drive/drive-options.js';
import { driveEngine } from '#lab/drive/drive.js';
import type { Driven } from '#lab/drive/driven-request.js';
import type { Io } from '#platform/io.js';
import { resolvePath } from '#session/tree/revision.js';
import { countTurns } from '#session/tree/turns.js';
import { readConfig } from '../../config/read-config.js';
import { type CommandInput, defineCommand, type Outcome, toOutcome } from '../define.js';
import { positiveFlag, textFlag, toggleFlag } from '../flags.js';
import { policyFlags, readActivePolicy } from '../prune/policy.js';
import { openToPlan } from '../session-to-plan.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { renderAssembly } from './assembly-view.js';
import { toEngineError } from './engine-error.js';
import { exportAssembly, exportFlags } from './export-assembly.js';
import { hostFlags, readHostValues } from './host-flags.js';
import { openEngine, type OpenEngine } from './open-engine.js';
import { loadSubagents } from './subagents.js';
import { type EngineToolCall, readEngineToolCall, renderToolCall } from './tool-call.js';
import { writeBranch, writeFlags } from './write-branch.js';

const FLAGS = {
  engine: textFlag('NAME|FILE', 'a built-in engine, or your own module (default: three-phase)'),
  budget: positiveFlag('TOKENS', 'the most tokens a request may have (default: --limit)'),
  at: shared.at,
  full: { ...toggleFlag('print texts in full'), excludes: ['export', 'write'] },
  ...exportFlags,
  ...writeFlags,
  ...shared.compactionFlags,
  ...hostFlags,
  call: {
    placeholder: 'CALL',
    help: 'print the engine\'s answer to a call of one of its tools: \'read_result {"entry":"ID"}\'',
    parse: readEngineToolCall,
    excludes: ['export', 'write', 'full'],
  },
  'time-limit': shared.timeLimit,
  ...policyFlags,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'engine run',
  summary: 'Run a context engine and show the request it builds',
  description:
    'Replays a recorded session through a context engine, up to an entry, and shows the request that the engine builds ' +
    'there: prompt, tools and messages, with the source and the tokens of each. --export prints it as a provider receives ' +
    'it. --write appends what the engine did to the transcript: its compactions and rewrites.',
  args: [sessionArgument, revisionArgument],
  flags: FLAGS,
  takesRedact: { excludes: ['write'] },
  examples: [
    'ctx engine run session.jsonl --engine three-phase --budget 200k',
    "ctx engine run session.jsonl '@{turn:5}' --budget 32k --full",
    'ctx engine run latest --engine ./engine.ts --budget 200k --json',
    'ctx engine run session.jsonl --budget 200k --export anthropic',
    'ctx engine run session.jsonl --engine ./engine.ts --write --dry-run',
  ],
  async run(input) {
    const { io, args, flags } = input;
    const session = flags.write
      ? await openToPlan(input, await locateToWrite(io, args[0]), flags)
      : await openNamedSession(input, args[0]);
    return io.untilInterrupted((signal) => runToRequest(input, session, signal));
  },
});

async function runToRequest({ io, flags }: Input, session: OpenSession, signal: AbortSignal): Promise<Outcome> {
  const { policy, window, baseline } = await readActivePolicy(io, flags);
  const config = await readConfig(io, flags);
  const { at, path } = resolvePath(session, flags.at);
  const budget = flags.budget ?? findWindow(session, path, window).tokens;
  const settings = await readCompactionSettings(io, session, path, flags);
  const host = readHostValues(flags);
  const timeLimit = shared.toTimeLimit(flags['time-limit']);
  const engine = await openEngine(flags.engine ?? 'three-phase', { io, config, timeLimit, signal });
  const children = loadSubagents(io.files, { session, path, host });
  const { createPast } = engine;
  const options = {
    path,
    asksAtEnd: true,
    tokenBudget: budget,
    settings,
    policy,
    baseline,
    signal,
    createPast,
    host,
    children,
  };
  const driven = await driveToRequest({ io, session, engine, call: flags.call }, options);

  if (flags.write && driven.end) {
    const writing = { ...flags, configuredLimit: window.configuredLimit };
    return writeBranch(io, { session, end: { path, ...driven.end } }, writing);
  }
  const declared = buildEnvelope(session, at, { baseline });
  const data = buildDocument(driven, { session, engine, budget, declared });
  const { export: format } = flags;
  if (format === undefined) return showRequest(data, session, flags.full ?? false);
  return exportAssembly(io, { session, at: driven.last.at, assembled: data, declared }, { ...flags, export: format });
}

/** An engine, and the session through which it is driven. */
interface EngineDrive {
  readonly io: Io;
  readonly session: OpenSession;
  readonly engine: OpenEngine;
  readonly call: EngineToolCall | undefined;
}

/** The deeds of an engine up to a request, and that request. */
interface DriveResult {
  /** The request. */
  readonly last: Driven;
  /** The changes of the context by the engine. */
  readonly deeds: AssemblyDocument['deeds'];
  /** The answer of the engine to the call of a tool; undefined: none was asked for. */
  readonly called: AssemblyDocument['call'];
  /** The transcript after the last request, and what would be sent for it; null before the end. */
  readonly end: Parameters<NonNullable<DriveOptions['onEnd']>>[0] | null;
}

async function driveToRequest({ io, session, engine, call }: EngineDrive, options: DriveOptions): Promise<DriveResult> {
  const deeds: AssemblyDocument['deeds'] = [];
  await using progress = startProgress(io, countTurns(options.path ?? []).requests + 1, 'requests');
  let last: Driven | null = null;
  let called: DriveResult['called'];
  let end: DriveResult['end'] = null;
  try {
    for await (const each of driveEngine(session, engine.make, { ...options, onEnd: (left) => (end = left) })) {
      last = each;
      if (each.answer === null && call) called = await callTool(engine, session.header.id, call);
      progress.step();
      deeds.push(...listDeeds(each));
    }
  } catch (error) {
    throw toEngineError(error, engine.name);
  }
  if (!last) throw new CtxError('input', 'there is no request to make', { where: session.file });
  return { last, deeds, called, end };
}

async function callTool(
  engine: OpenEngine,
  sessionId: string,
  call: EngineToolCall,
): Promise<AssemblyDocument['call']> {
  const { content, isError = false } = await engine.callTool({ sessionId, ...call });
  return { ...call, input: { ...call.input }, content: content.map((block) => ({ ...block })), isError };
}

/** The changes of the context by the engine before a request. */
function listDeeds({ request, deeds, compactions, rewrites }: Driven): AssemblyDocument['deeds'] {
  const all: AssemblyDocument['deeds'] = [];
  for (const { kind, reason, tokensBefore, tokensAfter } of deeds) {
    all.push({ request, kind, reason, tokensBefore, tokensAfter });
  }
  for (const { why, result } of compactions) {
    const { tokensBefore = null, tokensAfter = null } = result.result ?? {};
    if (result.compacted) all.push({ request, kind: 'compaction', reason: why, tokensBefore, tokensAfter });
  }
  for (const { changed, rewrittenEntries } of rewrites) {
    const reason = `${rewrittenEntries} entries`;
    if (changed) all.push({ request, kind: 'rewrite', reason, tokensBefore: null, tokensAfter: null });
  }
  return all;
}

interface AboutRequest {
  readonly session: OpenSession;
  readonly engine: OpenEngine;
  readonly budget: number | null;
  /** The recorded context there. */
  readonly declared: ContextEnvelope;
}

function buildDocument(
  { last, deeds, called }: DriveResult,
  { session, engine, budget, declared }: AboutRequest,
): AssemblyDocument {
  const threePhase = engine.threePhase();
  const report = threePhase && { placed: threePhase.contributions(), origins: threePhase.origins() };
  const document = buildAssemblyDocument(last, { session, engine: engine.name, budget, declared, report, deeds });
  return called ? { ...document, call: called } : document;
}

/** Prints the request, or the answer to the call of a tool. */
function showRequest(data: AssemblyDocument, session: OpenSession, isFull: boolean): Outcome {
  const { call } = data;
  const doc = call ? renderToolCall(call) : renderAssembly(data, isFull);
  const isBad = call ? call.isError : data.overflow || data.refusals.length > 0;
  return toOutcome({ data, doc: () => doc }, session, isBad ? 1 : 0);
}
