import type { BootstrapParams } from '../contract.js';
import type { CheckedEngine } from './checked-engine.js';
import type { DriveOptions } from './drive-options.js';
import { PastFile } from './past-file.js';
import type { Spawn } from './spawn.js';

interface Running extends Spawn {
  readonly past: PastFile | null;
}

/** The subagents that run, and the calls that tell the engine of them. */
export class Subagents {
  private running: Running[] = [];

  constructor(
    private readonly engine: CheckedEngine,
    private readonly options: DriveOptions,
  ) {}

  /** Prepares the engine for a subagent, and undoes this if it cannot be started. */
  async start(spawn: Spawn, parent: Required<BootstrapParams>): Promise<void> {
    const { childSessionKey, contextMode = 'isolated', ends, child } = spawn;
    const { ttlMs } = this.options.host ?? {};
    const past = await this.createPast(spawn);
    const file = past?.file ?? child?.file;
    const started = { ...spawn, past };
    this.running.push(started);
    const params = {
      parentSessionKey: parent.sessionKey,
      childSessionKey,
      contextMode,
      parentSessionId: parent.sessionId,
      parentSessionFile: parent.sessionFile,
      childSessionId: child?.header.id ?? childSessionKey,
      ...(file === undefined ? {} : { childSessionFile: file }),
      ...(ttlMs === undefined ? {} : { ttlMs }),
    };
    const prepared = await this.engine.call('prepareSubagentSpawn', params, child ? contextMode : '');
    if (ends !== 'failed') return;
    if (prepared) await this.engine.rollback(prepared);
    this.forget(started);
  }

  async end(time: number): Promise<void> {
    for (const each of this.running.filter(({ endsAt = time }) => endsAt <= time)) await this.tell(each, each.ends);
  }

  /** Ends all others. */
  async release(): Promise<void> {
    for (const each of this.running.slice()) await this.tell(each, 'released');
  }

  private async tell(one: Running, ends: Spawn['ends']): Promise<void> {
    const { childSessionKey, child, past } = one;
    for (const head of child?.own ?? []) past?.add(head);
    if (ends !== 'failed') await this.engine.call('onSubagentEnded', { childSessionKey, reason: ends }, ends);
    this.forget(one);
  }

  /** The file of a subagent as it starts: what it shares with its parent. */
  private async createPast({ child }: Spawn): Promise<PastFile | null> {
    const past = child ? await PastFile.create(child, this.options.createPast) : null;
    for (const head of child?.shared ?? []) past?.add(head);
    return past;
  }

  private forget(one: Running): void {
    this.running = this.running.filter((each) => each !== one);
  }
}
