import { CtxError } from '#base/errors.js';
import { buildDraftBody, fillFirstKept } from '#change/compact/compaction-entries.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { buildEntryChain, type EntryBody } from '#change/plan/new-entries.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import type { HookRequestLine } from '#lab/hooks/document.js';
import { toEphemeralBody, toTransformBody } from '#lab/hooks/entry-bodies.js';
import { HOOK_REASONS, type HookReason } from '#lab/hooks/events.js';
import { isFatal } from '#lab/hooks/hook-boundary.js';
import { findMessageBefore } from '#lab/hooks/hook-messages.js';
import type { HookRequest } from '#lab/hooks/hook-request.js';
import { type HookModules, startModules } from '#lab/hooks/modules.js';
import { extendToLeaf, findRequestAt, listPathRequests } from '#lab/hooks/path-requests.js';
import { toRequestLine } from '#lab/hooks/request-line.js';
import { HookRun } from '#lab/hooks/run.js';
import { HookTally } from '#lab/hooks/tally.js';
import { buildTrace, type TraceWorld } from '#lab/hooks/trace.js';
import type { Io } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import { resolvePath } from '#session/tree/revision.js';
import type { Printable } from '#ui/doc/renderer.js';
import { readCompactionSettings } from '../../config/compaction-settings.js';
import { locateToWrite } from '../../locate.js';
import { readBaseline } from '../../read-json.js';
import { executePlan } from '../apply/execute-plan.js';
import { type CommandInput, defineCommand, type Outcome, type OutcomeEnd } from '../define.js';
import { addFlagRule, choiceFlag, textsFlag, toggleFlag } from '../flags.js';
import { openToPlan } from '../session-to-plan.js';
import { addModelList, openNamedSession, revisionArgument, sessionFileArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { buildHookSummary } from './summary.js';
import { renderHookRequest, renderHookSummary } from './view.js';

const HOOK_FLAGS = {
  hook: textsFlag('FILE', 'a TypeScript or JavaScript module of hooks; repeatable, to chain hooks'),
  reason: choiceFlag('REASON', HOOK_REASONS, "run the hooks only for this event (default: for all, in Pi's order)"),
  at: shared.at,
  'each-request': toggleFlag('run every request of the path, each after what the hooks persisted before'),
  trace: toggleFlag('print every step of a request, in the order of Pi, with its effect'),
  write: {
    ...toggleFlag('append the persisted transforms and the uncached messages at the leaf'),
    excludes: ['each-request', 'at'],
  },
  'time-limit': shared.timeLimit,
  baseline: shared.baseline,
  limit: shared.limit,
  lenient: shared.lenient,
  ...addFlagRule({ needs: ['write'] }, shared.writingFlags),
};

type Input = CommandInput<typeof HOOK_FLAGS>;

export default defineCommand({
  name: 'hooks',
  summary: 'Run context hooks on a recorded session',
  description:
    'Runs hook modules offline: replays each request, calls the hooks in the order of Pi, and reports their effect on the ' +
    'envelope, the prompt cache and the file. Hook code runs in its own process, and only when --hook names it. Nothing ' +
    'is written without --write.',
  args: [sessionFileArgument, revisionArgument],
  flags: HOOK_FLAGS,
  takesRedact: { excludes: ['write'] },
  examples: [
    'ctx hooks session.jsonl --hook ./hook.ts',
    'ctx hooks session.jsonl --hook ./hook.ts --each-request --json',
    "ctx hooks session.jsonl '@{request:2}' --hook ./hook.ts --trace",
    'ctx hooks session.jsonl --hook ./policy.ts --reason turn_end --write --dry-run',
  ],
  async run(input) {
    const { io, args, flags } = input;
    refuseNonsense(input);
    const session = flags.write
      ? await openToPlan(input, await locateToWrite(io, args[0]), flags)
      : await openNamedSession(input, args[0]);
    return runHooks(input, session);
  },
});

function refuseNonsense({ flags }: Input): void {
  if (flags.hook === undefined)
    throw new CtxError('usage', 'there is no hook to run', {
      hint: 'name it with --hook FILE: a session never causes code to run',
    });
  if (flags.write && flags.reason === 'message')
    throw new CtxError('usage', 'a message hook changes messages before they are written, and those of a session are', {
      hint: 'leave --write out; ctx prune and ctx apply change what is there',
    });
}

function runHooks(input: Input, session: OpenSession): Outcome {
  const ending: { -readonly [Key in keyof OutcomeEnd]: OutcomeEnd[Key] } = {
    problems: session.problems,
    file: session.file,
  };
  const batches = stopOnInterrupt(input.io, (signal) => runAndReport({ input, session, signal }, ending));
  return { kind: 'stream', batches, isUnpaged: input.flags.write ?? false, end: () => ending };
}

interface HooksInput {
  readonly input: Input;
  readonly session: OpenSession;
  readonly signal: AbortSignal;
}

async function* runAndReport({ input, session, signal }: HooksInput, ending: { exitCode?: 0 | 1 }) {
  const { io, flags } = input;
  const changedInput = new Set<string>();
  const say = shared.createModuleLog(io);
  const quietly = {
    files: flags.hook ?? [],
    startPlugin: io.startPlugin,
    timeLimit: shared.toTimeLimit(flags['time-limit']),
    signal,
  };
  const modules = await startModules({
    ...quietly,
    onLog: say,
    onStack: (file, stack) => io.env.CTX_DEBUG === '1' && say(file, stack),
    onChangedInput: (file) => void changedInput.add(file),
  });
  let loading = null as Promise<HookModules | null> | null;
  // A failure to reload skips the check for idempotence.
  const again = () => (loading ??= startModules({ ...quietly, onLog: () => {} }).catch(() => null));
  try {
    yield* runModules({ input, session, signal }, { modules, again, changedInput }, ending);
  } finally {
    await modules.close();
    await (await loading)?.close();
  }
}

interface LoadedHooks {
  readonly modules: HookModules;
  /** Loads the modules once more; null if that fails. */
  again(): Promise<HookModules | null>;
  readonly changedInput: ReadonlySet<string>;
}

/** Runs loaded hooks: a report for each request, the summary, and the report of what was written. */
async function* runModules(
  { input, session, signal }: HooksInput,
  { modules, again, changedInput }: LoadedHooks,
  ending: { exitCode?: 0 | 1 },
): AsyncGenerator<readonly Printable[]> {
  const { flags } = input;
  const asked = await readQuery(input, session);
  const { planned, options } = asked;
  const run = new HookRun(flags.lenient ? toLenient(session) : session, asked.path, modules, { ...options, again });
  const tally = new HookTally();
  let request: HookRequest | null = null;
  for await (const each of asked.requests(run)) {
    tally.take(each);
    request = each;
    yield [toPrintable(each, asked)];
    if (modules.isOver() || signal.aborted) break;
  }
  const totals = tally.totals();
  const { reasons } = options;
  const summary = buildHookSummary({
    totals,
    session,
    modules: modules.modules,
    planned,
    changedInput,
    request,
    reasons,
  });
  yield [{ data: summary, doc: () => renderHookSummary(summary) }];
  if (totals.troubles > 0) ending.exitCode = 1;
  const isFailed = request === null || request.boundaries.some(isFatal);
  if (flags.write && request && !isFailed) yield [await writeHooks(input, session, request)];
}

interface HookQuery {
  readonly path: readonly Head[];
  readonly options: Omit<ConstructorParameters<typeof HookRun>[3], 'again'>;
  /** The number of requests to run. */
  readonly planned: number;
  /** null: no trace is wanted. */
  readonly trace: TraceWorld | null;
  requests(run: HookRun): AsyncIterable<HookRequest>;
}

async function readQuery({ io, flags, configuredLimit }: Input, session: OpenSession): Promise<HookQuery> {
  const { reason, limit } = flags;
  const { at, path: above } = resolvePath(session, flags.at);
  const reasons: ReadonlySet<HookReason> = new Set(reason === undefined ? HOOK_REASONS : [reason]);
  const baseline = await readBaseline(io.files, flags.baseline);
  const window = addModelList({ limit, configuredLimit, baseline });
  const path = flags['each-request'] ? above : extendToLeaf(session, at);
  const settings = await readCompactionSettings(io, session, above, {});
  const trace = flags.trace ? { session, reasons } : null;
  const options = { reasons, baseline, window, settings, checksCompaction: trace !== null };
  if (flags['each-request']) {
    const requests = listPathRequests(path);
    return { path, options, trace, planned: requests.length, requests: (run) => run.runEach(requests) };
  }
  const place = above.length - 1;
  const one = (run: HookRun): Promise<HookRequest> => {
    if (reason === 'turn_end') return run.runOnly(reason, place);
    return reason === 'message'
      ? run.runOnly(reason, findMessageBefore(path, place))
      : run.runOne(findRequestAt(path, place));
  };
  const requests = async function* only(run: HookRun): AsyncGenerator<HookRequest> {
    yield await one(run);
  };
  return { path, options, trace, planned: 1, requests };
}

function toPrintable(request: HookRequest, { trace, planned }: HookQuery): Printable {
  const line = toRequestLine(request);
  const data: HookRequestLine = trace ? { ...line, trace: [...buildTrace(request, trace)] } : line;
  return { data, doc: () => renderHookRequest(data, planned > 1) };
}

/** Does work that comes piece by piece with a signal that is aborted when the user interrupts. */
async function* stopOnInterrupt<Item>(
  io: Io,
  work: (signal: AbortSignal) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const end = new AbortController();
  const done = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  let watching: Promise<void> = done;
  const signal = await new Promise<AbortSignal>((resolve) => {
    watching = io.untilInterrupted((aborted) => {
      resolve(aborted);
      return done;
    });
  });
  try {
    yield* work(signal);
  } finally {
    end.abort();
    await watching;
  }
}

/** Writes the entries that Pi would have written at a request: the persisted changes, then the log of the others. */
async function writeHooks(
  { io, flags, configuredLimit }: Input,
  session: OpenSession,
  request: HookRequest,
): Promise<Printable> {
  const draft = buildDraft(
    session,
    fillFirstKept(buildEntryChain(session, formatId(session.tree.leaf?.id), listBodies(session, request), io)),
  );
  const planned = { session, draft, plan: buildPlan(draft, 'hooks') };
  const outcome = await executePlan(io, planned, { ...flags, configuredLimit, plan: undefined });
  if (outcome.kind !== 'single') throw new Error('a plan that is carried out is reported');
  return outcome.item;
}

function listBodies(session: OpenSession, { boundaries, drafts }: HookRequest): readonly EntryBody[] {
  const persisted = boundaries.flatMap(({ reason, transforms, after }): readonly EntryBody[] => {
    if (reason !== 'ephemeral') return transforms.map(toTransformBody);
    return after.messages.uncached.length === 0 ? [] : [toEphemeralBody(after.messages.uncached)];
  });
  return [...persisted, ...drafts.map((draft) => buildDraftBody(session, draft))];
}
