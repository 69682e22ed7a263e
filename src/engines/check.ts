import type { EngineCheck } from './check-document.js';
import type { ContextEngineInfo } from './contract.js';
import { drive } from './drive.js';
import type { Done, Driven, DriveOptions, DriveSource, MakeEngine, Spawn } from './driven.js';
import { EngineFailure } from './failure.js';

export interface CheckedBy {
  /** As the user named it. */
  readonly engine: string;
  readonly make: MakeEngine;
  /** Methods that have changed what they were given, as they become known. */
  readonly changedInput: ReadonlySet<string>;
}

/** Subagents are not recorded, so that some are made up: one that ends, and one that cannot be started. */
const SPAWNS: readonly Spawn[] = [
  { request: 1, childSessionKey: 'check-1', ends: 'completed' },
  { request: 2, childSessionKey: 'check-2', contextMode: 'fork', ends: 'failed' },
];

/** Drives an engine over a whole session, and tells what it did and where it broke the contract. */
export async function checkEngine(
  source: DriveSource,
  { engine, make, changedInput }: CheckedBy,
  options: DriveOptions,
): Promise<EngineCheck> {
  const calls: string[] = [];
  const tally = new Tally();
  let info: ContextEngineInfo | null = null;
  let failure: EngineCheck['failure'] = null;
  const noting: MakeEngine = async (setup) => {
    const made = await make(setup);
    ({ info } = made);
    return made;
  };
  try {
    const all = drive(source, noting, { ...options, spawns: SPAWNS, onCall: (call) => void calls.push(call) });
    for (let next = await all.next(); ; next = await all.next()) {
      tally.take(next.value);
      if (next.done) break;
      tally.takeRequest(next.value);
    }
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    failure = { kind: error.kind, method: error.method, message: error.message, request: tally.totals.requests + 1 };
  }
  return {
    schema: 'ctx/engine-check',
    schemaVersion: 1,
    engine,
    file: source.file,
    info: failure?.method === 'create' ? null : about(info),
    ...tally.totals,
    calls: counted(calls),
    order: inOrder(calls),
    changedInput: [...changedInput].toSorted(),
    failure,
  };
}

class Tally {
  readonly totals = { requests: 0, compactions: 0, rewrites: 0, overflows: 0, peakTokens: 0 };

  take({ compactions, rewrites }: Done): void {
    this.totals.compactions += compactions.filter(({ result }) => result.compacted).length;
    this.totals.rewrites += rewrites.filter(({ changed }) => changed).length;
  }

  takeRequest({ assembled, overflow }: Driven): void {
    this.totals.requests += 1;
    this.totals.overflows += overflow ? 1 : 0;
    this.totals.peakTokens = Math.max(this.totals.peakTokens, assembled.tokens);
  }
}

function about(info: ContextEngineInfo | null): EngineCheck['info'] {
  if (info === null) return null;
  const { id, name, version = null, ownsCompaction = false, turnMaintenanceMode = 'foreground' } = info;
  return { id, name, version, ownsCompaction, turnMaintenanceMode };
}

function counted(calls: readonly string[]): EngineCheck['calls'] {
  const times = new Map<string, number>();
  for (const call of calls) {
    const [method = call] = call.split('(');
    times.set(method, (times.get(method) ?? 0) + 1);
  }
  return [...times].map(([method, count]) => ({ method, times: count }));
}

function inOrder(calls: readonly string[]): EngineCheck['order'] {
  const order: { call: string; times: number }[] = [];
  for (const call of calls) {
    const last = order.at(-1);
    if (last?.call === call) last.times += 1;
    else order.push({ call, times: 1 });
  }
  return order;
}
