import { incrementCount } from '#base/maps.js';
import type { TemporaryFile } from '#platform/files/temporary-file.js';
import { formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import type { ContextEngine } from '../contract.js';
import type { Breach } from '../drive/breaches/clauses.js';
import type { DriveOptions, DriveSource, MakeEngine } from '../drive/drive-options.js';
import { driveEngine } from '../drive/drive.js';
import { createTwice, type EngineTwice } from '../drive/plugin-engine.js';
import type { Spawn } from '../drive/spawn.js';
import { findTurnEnds } from '../drive/turn-ends.js';
import { AssembleTimes, measureAssemble } from './assemble-times.js';
import { CheckTally } from './check-tally.js';
import type { CheckedSubagent, CheckFailure, EngineCheck, EngineInfo } from './document.js';
import { FutureTexts } from './future-texts.js';
import { RepeatedRequests } from './repeated-requests.js';
import { watchMethods } from './watch-methods.js';

export interface EngineCheckOptions {
  /** The name that the user gave. */
  readonly engine: string;
  readonly make: MakeEngine;
  /** Methods that have changed what they were given, as they become known. */
  readonly changedInput: ReadonlySet<string>;
}

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
  const check = new EngineCheckRun(source, make, options);
  let failure = await check.driveWhole();
  const middle = failure === null ? check.findMiddle() : null;
  if (middle !== null) failure = await check.resumeAt(middle);
  if (failure === null && check.slowness === null) failure = await check.driveSecondSession();
  else await check.leaveOutSecondSession();

  return {
    schema: 'ctx/engine-check',
    schemaVersion: 1,
    engine,
    file: source.file,
    info: failure?.method === 'create' ? null : describeEngine(check.engine),
    ...check.tally.totals,
    calls: countCalls(check.calls),
    order: countRuns(check.calls),
    changedInput: [...changedInput].toSorted(),
    notes: [...check.notes.values()],
    subagents: check.subagents.map(toSubagentRow),
    failure,
    breaches: check.tally.breaches,
    resumedAt: middle === null ? null : formatId(check.path[middle]?.id),
  };
}

/** Invented subagents, which end in each way of the contract; one of them cannot be started. */
const SPAWNS: readonly Spawn[] = [
  { request: 1, childSessionKey: 'check-1', ends: 'completed' },
  { request: 1, childSessionKey: 'check-2', ends: 'deleted' },
  { request: 1, childSessionKey: 'check-3', ends: 'swept' },
  { request: 1, childSessionKey: 'check-4', ends: 'released' },
  { request: 2, childSessionKey: 'check-5', contextMode: 'fork', ends: 'failed' },
];

/** The drives of one check, each with a new engine, and what they bring to light. */
class EngineCheckRun {
  readonly tally = new CheckTally();
  readonly path: readonly Head[];
  /** The newest engine. */
  engine: ContextEngine | null = null;
  /** The calls in order, but those of the second session. */
  readonly calls: string[] = [];
  /** Mistyped methods and keys, by their places. */
  readonly notes = new Map<string, string>();
  subagents: readonly Spawn[] = [];

  private readonly times = new AssembleTimes();
  private readonly twice: EngineTwice;
  private readonly requests: RepeatedRequests;
  /** Ids and files of the sessions, which differ from drive to drive. */
  private readonly names: Set<string>;
  private readonly secondSession: DriveSource;
  private readonly options: DriveOptions;

  constructor(
    private readonly source: DriveSource,
    private readonly make: MakeEngine,
    options: DriveOptions,
  ) {
    this.path = options.path ?? activePath(source.tree);
    this.twice = createTwice(make);
    this.secondSession = { ...source, header: { ...source.header, id: changeId(source.header.id) } };
    this.names = new Set([this.secondSession.header.id, source.header.id, source.file]);
    this.requests = new RepeatedRequests(this.names);
    this.options = {
      ...options,
      createPast: options.createPast && (async () => this.addFileName(await options.createPast?.())),
      spawns: SPAWNS,
      repeatsLast: true,
      onCall: (call) => void this.calls.push(call),
      children: async () => {
        const children = (await options.children?.()) ?? [];
        this.subagents = [...SPAWNS, ...children];
        return children;
      },
    };
  }

  /** Drives an engine over the whole session. */
  driveWhole(): Promise<CheckFailure | null> {
    const future = new FutureTexts(this.source, this.path);
    const driving = driveEngine(this.source, this.watch(this.twice.first), this.options);
    return this.tally.drive(driving, {
      from: 1,
      counts: 'everything',
      onDriven: (driven) => {
        this.requests.note(driven);
        this.note(future.find(driven));
      },
    });
  }

  /** The place from which the engine can be driven again; null for one that cannot take over a past. */
  findMiddle(): number | null {
    const isResumable = typeof this.engine?.bootstrap === 'function';
    return isResumable ? findMiddleTurnEnd(this.path) : null;
  }

  /** Drives an engine from a place of the path, with what comes before as its past. */
  resumeAt(place: number): Promise<CheckFailure | null> {
    const driving = driveEngine(this.source, this.watch(this.make), { ...this.options, startsAt: place });
    const from = this.path.slice(0, place).filter(answersRequest).length + 1;
    return this.tally.drive(driving, { from, counts: 'breaches' });
  }

  /** The breach of an engine for which the agent waits too long; null for one that is quick. */
  get slowness(): Breach | null {
    return this.times.findBreach();
  }

  /** Drives an engine over another session of the same conversation, and asks for each request twice. */
  driveSecondSession(): Promise<CheckFailure | null> {
    const driving = driveEngine(this.secondSession, this.watch(this.twice.second), {
      ...this.options,
      onCall: () => {},
      onRepeated: (one, other) => this.note(this.requests.compareAnswers(one, other)),
    });
    return this.tally.drive(driving, {
      from: 1,
      counts: 'nothing',
      onDriven: (driven) => this.note(this.requests.compare(driven)),
    });
  }

  /** Ends the process that the second session would use, and reports an engine that is too slow for it. */
  async leaveOutSecondSession(): Promise<void> {
    await this.twice.end();
    this.note(this.slowness);
  }

  /** Creates engines whose calls are watched and measured. */
  private watch(make: MakeEngine): MakeEngine {
    return async (setup) => {
      this.engine = await make(setup);
      return measureAssemble(watchMethods(this.engine, this.notes), this.times);
    };
  }

  private note(breach: Breach | null): void {
    if (breach) this.tally.note(breach);
  }

  private addFileName(file: TemporaryFile | undefined): TemporaryFile {
    if (!file) throw new Error('there is no file');
    this.names.add(file.file);
    return file;
  }
}

/** The place after the turn that ends nearest to the middle of a path; null if only the last turn ends. */
function findMiddleTurnEnd(path: readonly Head[]): number | null {
  const inner = [...findTurnEnds(path)].slice(0, -1).map((end) => end + 1);
  const distance = (place: number): number => Math.abs(place - path.length / 2);
  return inner.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

/** Another id of the same length: texts that contain it are cut at the same places. */
function changeId(id: string): string {
  return `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
}

function describeEngine(engine: ContextEngine | null): EngineInfo | null {
  if (engine === null) return null;
  const { id, name, version = null, ownsCompaction = false, turnMaintenanceMode = 'foreground' } = engine.info;
  return { id, name, version, ownsCompaction, turnMaintenanceMode };
}

function toSubagentRow(spawn: Spawn): CheckedSubagent {
  const { childSessionKey, contextMode = 'isolated', ends, child } = spawn;
  return { childSessionKey, file: child?.file ?? null, contextMode, ends };
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
