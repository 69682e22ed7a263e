import { omitUndefined } from '#base/omit-undefined.js';
import type { BootstrapParams } from '../contract.js';
import type { CheckedEngine } from './checked-engine.js';
import type { DriveOptions } from './drive-options.js';
import { PastFile } from './past-file.js';
import type { Spawn } from './spawn.js';

interface Running extends Spawn {
  readonly past: PastFile | null;
}

/** The subagents of a session, and the calls that tell the engine of them. */
export class Subagents {
  private running: Running[] = [];
  /** The session files of all that have run. */
  private readonly pasts: PastFile[] = [];

  private constructor(
    private readonly engine: CheckedEngine,
    private readonly options: DriveOptions,
    /** The recorded subagents. */
    private readonly children: readonly Spawn[],
  ) {}

  /** Loads the recorded subagents, for an engine that hears of them. */
  static async load(engine: CheckedEngine, options: DriveOptions): Promise<Subagents> {
    const isTold = engine.has('prepareSubagentSpawn') || engine.has('onSubagentEnded');
    const children = isTold ? await options.children?.() : [];
    return new Subagents(engine, options, children ?? []);
  }

  /** Starts the subagents of a request. */
  async startAt(request: number, parent: Required<BootstrapParams>): Promise<void> {
    for (const spawn of [...(this.options.spawns ?? []), ...this.children]) {
      if (spawn.request === request) await this.start(spawn, parent);
    }
  }

  /** Ends those whose time has come. */
  async end(time: number): Promise<void> {
    const ended = this.running.filter(({ endsAt = time }) => endsAt <= time);
    for (const each of ended) await this.tell(each, each.ends);
  }

  /** Ends those that still run when the session ends. */
  async release(): Promise<void> {
    for (const each of this.running.slice()) await this.tell(each, 'released');
  }

  /** Removes their files, and closes their sessions. */
  close(): void {
    for (const past of this.pasts) past.remove();
    for (const { child } of this.children) child?.close();
  }

  /** Prepares the engine for a subagent, and undoes this if it cannot be started. */
  private async start(spawn: Spawn, parent: Required<BootstrapParams>): Promise<void> {
    const { childSessionKey, contextMode = 'isolated', ends, child } = spawn;
    const past = await this.createPast(spawn);
    const started = { ...spawn, past };
    this.running.push(started);
    const params = omitUndefined({
      parentSessionKey: parent.sessionKey,
      childSessionKey,
      contextMode,
      parentSessionId: parent.sessionId,
      parentSessionFile: parent.sessionFile,
      childSessionId: child?.header.id ?? childSessionKey,
      childSessionFile: past?.file ?? child?.file,
      ttlMs: this.options.host?.ttlMs,
    });
    const prepared = await this.engine.call('prepareSubagentSpawn', params, child ? contextMode : '');
    if (ends !== 'failed') return;
    if (prepared) await this.engine.rollback(prepared);
    this.forget(started);
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
    if (past) this.pasts.push(past);
    for (const head of child?.shared ?? []) past?.add(head);
    return past;
  }

  private forget(one: Running): void {
    this.running = this.running.filter((each) => each !== one);
  }
}
