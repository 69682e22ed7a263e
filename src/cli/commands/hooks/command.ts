import { CtxError } from '#base/errors.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { HOOK_REASONS } from '#lab/hooks/events.js';
import type { HookRequest } from '#lab/hooks/hook-request.js';
import { type HookModules, startModules } from '#lab/hooks/modules.js';
import { toRequestLine } from '#lab/hooks/request-line.js';
import { isFatal } from '#lab/hooks/run-boundary.js';
import { HookRun } from '#lab/hooks/run.js';
import { HookTally } from '#lab/hooks/tally.js';
import { buildTrace } from '#lab/hooks/trace.js';
import type { Printable } from '#ui/doc/renderer.js';
import { locateToWrite } from '../../locate.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { addFlagRule, choiceFlag, textsFlag, toggleFlag } from '../flags.js';
import { openToPlan } from '../session-to-plan.js';
import { openNamedSession, revisionArgument, sessionFileArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { type HookQuery, readHookQuery } from './query.js';
import { stopOnInterrupt } from './stop-on-interrupt.js';
import { renderHookSummary } from './summary-view.js';
import { buildHookSummary } from './summary.js';
import { renderHookRequest } from './view.js';
import { writeHooks } from './write-hooks.js';

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
  const tally = new HookTally();
  return {
    kind: 'stream',
    batches: stopOnInterrupt(input.io, (signal) => startAndRun({ input, session, signal, tally })),
    isUnpaged: input.flags.write ?? false,
    end: () => ({
      problems: session.problems,
      file: session.file,
      exitCode: tally.totals().troubles > 0 ? 1 : 0,
    }),
  };
}

interface HooksWork {
  readonly input: Input;
  readonly session: OpenSession;
  readonly signal: AbortSignal;
  /** Takes each request that was run. */
  readonly tally: HookTally;
}

/** Loads the modules, runs them, and ends them. */
async function* startAndRun(work: HooksWork): AsyncGenerator<readonly Printable[]> {
  const { io, flags } = work.input;
  const changedInput = new Set<string>();
  const say = shared.createModuleLog(io);
  const quietly = {
    files: flags.hook ?? [],
    startPlugin: io.startPlugin,
    timeLimit: shared.toTimeLimit(flags['time-limit']),
    signal: work.signal,
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
    yield* runModules(work, { modules, again, changedInput });
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
  { input, session, signal, tally }: HooksWork,
  { modules, again, changedInput }: LoadedHooks,
): AsyncGenerator<readonly Printable[]> {
  const { io, flags, configuredLimit } = input;
  const query = await readHookQuery(io, session, flags, configuredLimit);
  const { options, planned } = query;
  const replayed = flags.lenient ? toLenient(session) : session;
  const run = new HookRun(replayed, query.path, modules, { ...options, again });
  let request: HookRequest | null = null;
  for await (const each of query.run(run)) {
    tally.take(each);
    request = each;
    yield [toPrintable(each, session, query)];
    if (modules.isOver() || signal.aborted) break;
  }
  const summary = buildHookSummary({
    totals: tally.totals(),
    session,
    modules: modules.modules,
    planned,
    changedInput,
    request,
    reasons: options.reasons,
  });
  yield [{ data: summary, doc: () => renderHookSummary(summary) }];
  if (flags.write && request !== null && !request.boundaries.some(isFatal))
    yield [await writeHooks(io, session, request, { ...flags, configuredLimit })];
}

function toPrintable(request: HookRequest, session: OpenSession, { options, planned, isTraced }: HookQuery): Printable {
  const line = toRequestLine(request);
  if (isTraced) line.trace = [...buildTrace(request, { session, reasons: options.reasons })];
  return { data: line, doc: () => renderHookRequest(line, planned > 1) };
}
