import { CtxError } from '#base/errors.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import { locateToWrite } from '#cli/locate.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { findWindow } from '#context/size/window.js';
import { type AssemblyDocument, buildAssemblyDocument } from '#lab/assembly-document.js';
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
import { toEngineError } from './engine-error.js';
import { hostFlags, readHostValues } from './host-flags.js';
import { openEngine, type OpenEngine } from './open-engine.js';
import { exportAssembly, exportFlags, renderAssembly, writeBranch, writeFlags } from './run-output.js';
import { loadSubagents } from './subagents.js';
import { type EngineToolCall, readEngineToolCall, renderToolCall } from './tool-call.js';

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
  const named = await openEngine(flags.engine ?? 'three-phase', { io, config, timeLimit, signal });
  const options: DriveOptions = {
    path,
    asksAtEnd: true,
    tokenBudget: budget,
    settings,
    policy,
    baseline,
    signal,
    createPast: named.createPast,
    host,
    children: loadSubagents(io.files, { session, path, host }),
  };
  const { last, deeds, called, end } = await driveToRequest({ io, session, named, call: flags.call }, options);
  const writing = { ...flags, configuredLimit: window.configuredLimit };
  if (flags.write && end) return writeBranch(io, { session, end: { path, ...end } }, writing);
  const engine = named.telling();
  const told = engine && { placed: engine.contributions(), origins: engine.origins() };
  const declared = buildEnvelope(session, at, { baseline });
  const document = buildAssemblyDocument(last, { session, engine: named.name, budget, declared, told, deeds });
  const data = called ? { ...document, call: called } : document;
  const { export: format } = flags;
  if (format !== undefined)
    return exportAssembly(io, { session, at: last.at, assembled: data, declared }, { ...flags, export: format });
  const doc = called ? renderToolCall(called) : renderAssembly(data, flags.full ?? false);
  const isBad = called ? called.isError : data.overflow || data.refusals.length > 0;
  return toOutcome({ data, doc: () => doc }, session, isBad ? 1 : 0);
}

interface ToDrive {
  readonly io: Io;
  readonly session: OpenSession;
  readonly named: OpenEngine;
  readonly call: EngineToolCall | undefined;
}

interface Drove {
  readonly last: Driven;
  readonly deeds: AssemblyDocument['deeds'];
  /** The answer of the engine to the call of a tool; undefined: none was asked for. */
  readonly called: AssemblyDocument['call'];
  readonly end: Parameters<NonNullable<DriveOptions['onEnd']>>[0] | null;
}

async function driveToRequest({ io, session, named, call }: ToDrive, options: DriveOptions): Promise<Drove> {
  const deeds: AssemblyDocument['deeds'] = [];
  await using progress = startProgress(io, countTurns(options.path ?? []).requests + 1, 'requests');
  let last: Driven | null = null;
  let called: Drove['called'];
  let end: Drove['end'] = null;
  try {
    for await (const each of driveEngine(session, named.make, { ...options, onEnd: (left) => (end = left) })) {
      last = each;
      if (each.answer === null && call) called = await callTool(named, session.header.id, call);
      progress.step();
      for (const deed of listDeeds(each)) deeds.push(deed);
    }
  } catch (error) {
    throw toEngineError(error, named.name);
  }
  if (!last) throw new CtxError('input', 'there is no request to make', { where: session.file });
  return { last, deeds, called, end };
}

async function callTool(named: OpenEngine, sessionId: string, call: EngineToolCall): Promise<AssemblyDocument['call']> {
  const { content, isError = false } = await named.callTool({ sessionId, ...call });
  return { ...call, input: { ...call.input }, content: content.map((block) => ({ ...block })), isError };
}

function listDeeds({ request, deeds, compactions, rewrites }: Driven): AssemblyDocument['deeds'] {
  return [
    ...deeds.map(({ kind, reason, tokensBefore, tokensAfter }) => {
      return { request, kind, reason, tokensBefore, tokensAfter };
    }),
    ...compactions
      .filter(({ result }) => result.compacted)
      .map(({ why: reason, result: { result } }) => {
        const { tokensBefore = null, tokensAfter = null } = result ?? {};
        return { request, kind: 'compaction' as const, reason, tokensBefore, tokensAfter };
      }),
    ...rewrites
      .filter(({ changed }) => changed)
      .map(({ rewrittenEntries }) => {
        const reason = `${rewrittenEntries} entries`;
        return { request, kind: 'rewrite' as const, reason, tokensBefore: null, tokensAfter: null };
      }),
  ];
}
