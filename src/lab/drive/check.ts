import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { incrementCount } from '#base/maps.js';
import { jsonDocument } from '#base/schema.js';
import type { TemporaryFile } from '#platform/files/temporary-file.js';
import { formatId } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import type { ContextEngine } from '../contract.js';
import { AssembleTimes, measureAssemble } from './assemble-times.js';
import { type Breach, CLAUSES } from './clauses.js';
import type { DriveOptions, DriveSource, MakeEngine } from './drive-options.js';
import { driveEngine, driveToEnd } from './drive.js';
import type { Driven, DriveProgress } from './driven-request.js';
import { findBrokenClause } from './failure.js';
import { FutureTexts } from './future-texts.js';
import { createTwice } from './plugin-engine.js';
import { RepeatedRequests } from './repeated-requests.js';
import type { Spawn } from './spawn.js';
import { findMiddleTurnEnd } from './turn-ends.js';
import { watchMethods } from './watch-methods.js';

export interface EngineCheckOptions {
  /** As the user named it. */
  readonly engine: string;
  readonly make: MakeEngine;
  /** Methods that have changed what they were given, as they become known. */
  readonly changedInput: ReadonlySet<string>;
}

/** Invented subagents, which end in each way of the contract; one of them cannot be started. */
const SPAWNS: readonly Spawn[] = [
  { request: 1, childSessionKey: 'check-1', ends: 'completed' },
  { request: 1, childSessionKey: 'check-2', ends: 'deleted' },
  { request: 1, childSessionKey: 'check-3', ends: 'swept' },
  { request: 1, childSessionKey: 'check-4', ends: 'released' },
  { request: 2, childSessionKey: 'check-5', contextMode: 'fork', ends: 'failed' },
];

/**
 * Drives an engine over a whole session, and reports its actions and where it broke the contract. One that has `bootstrap`
 * is driven again from the middle, with a past. At last, another session of the same conversation follows in the same
 * process, and each request is asked for twice.
 */
export async function checkEngine(
  source: DriveSource,
  { engine, make, changedInput }: EngineCheckOptions,
  options: DriveOptions,
): Promise<EngineCheck> {
  const calls: string[] = [];
  const tally = new CheckTally();
  let made: ContextEngine | null = null;
  const notes = new Map<string, string>();
  const times = new AssembleTimes();
  const noting = (create: MakeEngine): MakeEngine => {
    return async (setup) => measureAssemble(watchMethods((made = await create(setup)), notes), times);
  };
  const twice = createTwice(make);
  let subagents: readonly Spawn[] = [];
  const children = async (): Promise<readonly Spawn[]> => {
    const found = (await options.children?.()) ?? [];
    subagents = [...SPAWNS, ...found];
    return found;
  };
  const onCall = (call: string): void => void calls.push(call);
  const path = options.path ?? activePath(source.tree);
  const again = { ...source, header: { ...source.header, id: changeId(source.header.id) } };
  const names = new Set([again.header.id, source.header.id, source.file]);
  const createPast = options.createPast && (async () => addFileName(await options.createPast?.(), names));
  const asked = { ...options, createPast, spawns: SPAWNS, children, repeatsLast: true, onCall };
  const requests = new RepeatedRequests(names);
  const future = new FutureTexts(source, path);
  let failure = await tally.drive(driveEngine(source, noting(twice.first), asked), {
    from: 1,
    onDriven(driven) {
      requests.note(driven);
      tally.breach(future.find(driven));
    },
  });
  const middle = failure === null && isResumable(made) ? findMiddleTurnEnd(path) : null;
  if (middle !== null) {
    const from = path.slice(0, middle).filter(answersRequest).length + 1;
    failure = await tally.drive(driveEngine(source, noting(make), { ...asked, startsAt: middle }), {
      from,
      isAgain: true,
    });
  }
  const slow = times.findBreach();
  if (failure === null && slow === null) {
    const onRepeated: DriveOptions['onRepeated'] = (one, other) => tally.breach(requests.compareAnswers(one, other));
    const repeating = { ...asked, onRepeated, onCall: () => {} };
    const onDriven = (driven: Driven): void => tally.breach(requests.compare(driven));
    const how = { from: 1, isAgain: true, isKnown: true, onDriven };
    failure = await tally.drive(driveEngine(again, noting(twice.second), repeating), how);
  } else await twice.end();
  tally.breach(slow);
  return {
    schema: 'ctx/engine-check',
    schemaVersion: 1,
    engine,
    file: source.file,
    info: failure?.method === 'create' ? null : describeEngine(made),
    ...tally.totals,
    calls: countCalls(calls),
    order: countRuns(calls),
    changedInput: [...changedInput].toSorted(),
    notes: [...notes.values()],
    subagents: subagents.map(toSubagentRow),
    failure,
    breaches: tally.breaches(),
    resumedAt: middle === null ? null : formatId(path[middle]?.id),
  };
}

function toSubagentRow(spawn: Spawn): EngineCheck['subagents'][number] {
  const { childSessionKey, contextMode = 'isolated', ends, child } = spawn;
  return { childSessionKey, file: child?.file ?? null, contextMode, ends };
}

type Breaches = EngineCheck['breaches'];

interface TallyOptions {
  /** The first request. */
  readonly from: number;
  /** Only what is wrong counts, as what was done is counted already. */
  readonly isAgain?: boolean;
  /** The breaches of these steps are counted already, too. */
  readonly isKnown?: boolean;
  readonly onDriven?: (driven: Driven) => void;
}

/** Another id of the same length: texts that contain it are cut at the same places. */
function changeId(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
}

/** Adds the name of a temporary file, which differs from run to run. */
function addFileName(file: TemporaryFile | undefined, names: Set<string>): TemporaryFile {
  if (!file) throw new Error('there is no file');
  names.add(file.file);
  return file;
}

class CheckTally {
  readonly totals = { requests: 0, compactions: 0, rewrites: 0, overflows: 0, peakTokens: 0 };
  private readonly broken = new Map<string, Breaches[number]>();
  private request = 1;

  async drive(
    driving: AsyncGenerator<Driven, DriveProgress>,
    { from, isAgain = false, isKnown = false, onDriven }: TallyOptions,
  ): Promise<EngineCheck['failure']> {
    this.request = from;
    const failure = await driveToEnd(driving, (step) => {
      if ('request' in step) this.request = step.request;
      if (!isKnown) for (const breach of step.breaches) this.note(breach);
      if ('request' in step) onDriven?.(step);
      if (!isAgain) this.add(step);
      if ('request' in step) this.request += 1;
    });
    if (failure === null) return null;
    const { kind, method, message } = failure;
    const clause = findBrokenClause(failure);
    return { kind, method, message, request: this.request, clause, sentence: clause && CLAUSES[clause] };
  }

  /** Takes note of a breach at the current request; null: there is none. */
  breach(found: Breach | null): void {
    if (found) this.note(found);
  }

  breaches(): Breaches {
    return [...this.broken.values()];
  }

  private note({ clause, method, message }: Breach): void {
    const known = this.broken.get(clause);
    const times = (known?.times ?? 0) + 1;
    const first = known ?? { clause, sentence: CLAUSES[clause], method, message, request: this.request };
    this.broken.set(clause, { ...first, times });
  }

  private add(done: Driven | DriveProgress): void {
    const { totals } = this;
    totals.compactions += done.compactions.filter(({ result }) => result.compacted).length;
    totals.rewrites += done.rewrites.filter(({ changed }) => changed).length;
    if (!('assembled' in done)) return;
    totals.requests += 1;
    totals.overflows += done.overflow ? 1 : 0;
    totals.peakTokens = Math.max(totals.peakTokens, done.assembled.tokens);
  }
}

function isResumable(engine: ContextEngine | null): boolean {
  return typeof engine?.bootstrap === 'function';
}

function describeEngine(engine: ContextEngine | null): EngineCheck['info'] {
  if (engine === null) return null;
  const { id, name, version = null, ownsCompaction = false, turnMaintenanceMode = 'foreground' } = engine.info;
  return { id, name, version, ownsCompaction, turnMaintenanceMode };
}

function countCalls(calls: readonly string[]): EngineCheck['calls'] {
  const times = new Map<string, number>();
  for (const call of calls) {
    const [method = call] = call.split('(');
    incrementCount(times, method);
  }
  return [...times].map(([method, count]) => ({ method, times: count }));
}

function countRuns(calls: readonly string[]): EngineCheck['order'] {
  const order: { call: string; times: number }[] = [];
  for (const call of calls) {
    const last = order.at(-1);
    if (last?.call === call) last.times += 1;
    else order.push({ call, times: 1 });
  }
  return order;
}

/** Whether an engine keeps the contract over a recorded session. */
export const engineCheck = jsonDocument('ctx/engine-check', {
  engine: z.string(),
  file: z.string(),
  /** Its description of itself; null: it could not be created. */
  info: z.nullable(
    z.object({
      id: z.string(),
      name: z.string(),
      version: z.nullable(z.string()),
      ownsCompaction: z.boolean(),
      turnMaintenanceMode: z.enum(['foreground', 'background']),
    }),
  ),
  requests: z.int(),
  /** The number of calls of each method. */
  calls: z.array(z.object({ method: z.string(), times: z.int() })),
  /** All calls in order; those of one kind that follow one another are one. */
  order: z.array(z.object({ call: z.string(), times: z.int() })),
  compactions: z.int(),
  rewrites: z.int(),
  /** Requests that were over the budget. */
  overflows: z.int(),
  /** Estimated, of the largest request. */
  peakTokens: z.int(),
  /** Methods that changed what they were given, which are copies. */
  changedInput: z.array(z.string()),
  /** Mistyped methods and keys, and messages of an unknown role: they have no effect. */
  notes: z.array(z.string()),
  /** The subagents that it was told of, if it has the methods. */
  subagents: z.array(
    z.object({
      childSessionKey: z.string(),
      /** Its recorded session; null: it is invented. */
      file: z.nullable(z.string()),
      contextMode: z.enum(['isolated', 'fork']),
      /** `failed`: it could not be started, and the preparation was rolled back. */
      ends: z.enum(['completed', 'deleted', 'swept', 'released', 'failed']),
    }),
  ),
  /** The violation of the contract that ended the run; null if there was none. */
  failure: z.nullable(
    z.object({
      kind: z.string(),
      method: z.string(),
      message: z.string(),
      /** The request that was at work, from 1. */
      request: z.int(),
      /** The sentence of the contract; null where the user interrupted it. */
      clause: z.nullable(z.string()),
      sentence: z.nullable(z.string()),
    }),
  ),
  /** The sentences of the contract that it broke and went on, each with the first time. */
  breaches: z.array(
    z.object({
      clause: z.string(),
      sentence: z.string(),
      method: z.string(),
      /** The breach, in a sentence. */
      message: z.string(),
      request: z.int(),
      times: z.int(),
    }),
  ),
  /** The entry from which on an engine with `bootstrap` was checked once more, with all before as its past; null: it was not. */
  resumedAt: z.nullable(z.string()),
});

export type EngineCheck = DeepReadonly<z.infer<typeof engineCheck>>;
