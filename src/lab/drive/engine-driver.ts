import { messageText } from '#analysis/facts/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { skipOpsWrittenBy } from '#context/replay/patch-op.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { readRecordedTokens } from '#context/size/recorded-usage.js';
import type { TemporaryFile } from '#platform/files/temporary-file.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { AgentMessage } from '../contract.js';
import { CheckedEngine } from './checked-engine.js';
import { DrivenSession } from './driven-session.js';
import {
  type AssembledContent,
  collectFiles,
  type Driven,
  type DriveOptions,
  type DriveProgress,
  type DriveSource,
  type MakeEngine,
  PastFile,
} from './driven.js';
import { EngineHost, newTurn, type OpenTurn } from './host.js';
import { adjustUsage, RECORDED_ENGINE_TYPES, Recording } from './recording.js';
import { findTurnEnds, RequestChecks } from './request-checks.js';
import type { Spawn } from './subagents.js';

interface Parts {
  readonly driven: DrivenSession;
  readonly engine: CheckedEngine;
  readonly past: PastFile | null;
  readonly checks: RequestChecks;
}

/** An engine in charge of a session, which is complete, or grows while an agent runs. */
export class EngineDriver {
  private readonly driven: DrivenSession;
  private readonly engine: CheckedEngine;
  private readonly host: EngineHost;
  private turn: OpenTurn | null = null;
  private number = 0;
  /** The next place on the path. */
  private place = 0;
  /** The place of the newest answer or tool result; -1: there is none. */
  private newestSaid = -1;
  private hasWritten = false;
  /** The request that waits for its answer. */
  private asked: AssembledContent | null = null;

  private constructor(
    source: DriveSource,
    private readonly parts: Parts,
    private readonly options: DriveOptions,
    private readonly release: () => void,
  ) {
    const { driven, engine, past } = parts;
    const session = { sessionId: source.header.id, sessionFile: past?.file ?? source.file };
    [this.driven, this.engine] = [driven, engine];
    this.host = new EngineHost(driven, options, engine, session);
  }

  /** Creates the engine, and prepares it. Throws like `drive`. The caller closes it. */
  static async start(
    source: DriveSource,
    make: MakeEngine,
    options: DriveOptions & { readonly path: readonly Head[] },
  ): Promise<EngineDriver> {
    let name: string | null = null;
    const own = { ...source, readPatch: skipOpsWrittenBy(source.readPatch, ({ engine }) => engine === name) };
    const driven = new DrivenSession(own, new Recording(own, options.path, options), options);
    const checks = await RequestChecks.load(source);
    const engine = await CheckedEngine.created(() => make(driven.setup()), options);
    name = engine.info.id;
    const pasts: TemporaryFile[] = [];
    const createPast = collectFiles(options.createPast, pasts);
    let children: readonly Spawn[] = [];
    const release = (): void => {
      for (const past of pasts) past.remove();
      for (const { child } of children) child?.close();
    };
    try {
      const past = await PastFile.of(source, createPast);
      const hears = engine.has('prepareSubagentSpawn') || engine.has('onSubagentEnded');
      if (hears) children = (await options.children?.()) ?? [];
      const spawns = [...(options.spawns ?? []), ...children];
      const all = { ...options, spawns, createPast };
      return new EngineDriver(own, { driven, engine, past, checks }, all, release);
    } catch (error) {
      await engine.dispose().catch(() => {});
      release();
      throw error;
    }
  }

  /** The name of the engine in the transforms that it writes. */
  get name(): string {
    return this.engine.info.id;
  }

  /** All requests of a path that is complete. */
  async *requests(): AsyncGenerator<Driven, void> {
    const { path } = this.driven.recording;
    const { asksAtEnd = false, repeatsLast = false } = this.options;
    await this.begin();
    yield* this.goOn(findTurnEnds(path));
    if (asksAtEnd) yield await this.request(null, path.at(-1) ?? null);
    const { transcript } = this.driven;
    this.options.onEnd?.({ transcript, messages: this.driven.unassembled().messages });
    if (repeatsLast) await this.host.ingestion.repeatLast();
    await this.host.release();
    this.lookAtFile('content');
  }

  /**
   * The next request of a path that grows. A turn has ended once the next one has begun. `onPast` is called before each
   * request of the past; if it throws, the next call goes on there.
   */
  async next(onPast: () => void = () => {}): Promise<Driven> {
    const { path } = this.driven.recording;
    if (this.number === 0 && this.place === 0) await this.begin();
    for await (const _ of this.goOn(findTurnEnds(path, 'followed'), onPast));
    const driven = await this.request(null, path.at(-1) ?? null);
    this.asked = driven.assembled;
    return driven;
  }

  /** Disposes of the engine. Its error is thrown, unless it failed before. */
  async close(failure: unknown = null): Promise<void> {
    await this.engine
      .dispose()
      .catch((error: unknown) => (failure === null ? Promise.reject(error) : undefined))
      .finally(this.release);
  }

  /** The changes since the newest request. */
  progress(): DriveProgress {
    return this.driven.takeDone();
  }

  private async begin(): Promise<void> {
    const { path } = this.driven.recording;
    const past = path.slice(0, this.options.startsAt ?? 0);
    for (const head of past) {
      if (answersRequest(head)) this.number += 1;
      this.record(head, 0);
    }
    [this.turn, this.place] = [null, past.length];
    await this.host.bootstrap(past.filter(({ type }) => MESSAGE_TYPES.has(type)).length);
  }

  /** Goes on to the end of the path. Yields the recorded requests. */
  private async *goOn(ends: ReadonlySet<number>, onPast: () => void = () => {}): AsyncGenerator<Driven, void> {
    const { path } = this.driven.recording;
    // Its end may be known only now.
    if (ends.has(this.newestSaid)) await this.endTurn();
    for (; this.place < path.length; this.place += 1) {
      const head = path[this.place];
      if (!head) continue;
      const isAnswer = answersRequest(head);
      if (isAnswer && this.asked === null) {
        await breath();
        onPast();
        const driven = await this.request(head, path[this.place - 1] ?? null);
        yield driven;
        this.asked = driven.assembled;
      }
      await this.take(head, isAnswer ? this.asked : null);
      if (isAnswer) this.asked = null;
      if (isAnswer || head.role === 'toolResult') this.newestSaid = this.place;
      if (ends.has(this.place)) await this.endTurn();
    }
  }

  private async request(answer: Head | null, at: Head | null): Promise<Driven> {
    const { host, driven } = this;
    const { tokenBudget } = this.options;
    this.number += 1;
    this.turn ??= newTurn();
    const { turn } = this;
    if (turn.messages.some(({ role }) => role === 'assistant')) await host.compactWithinTurn();
    let assembled = driven.assembled(await host.assemble(turn));
    const isOver = tokenBudget !== null && this.checked(assembled) > tokenBudget;
    const retried = isOver && (await host.compact('overflow', this.checked(assembled)));
    if (retried) assembled = driven.assembled(await host.assemble(turn));
    host.tokens = assembled.tokens;
    const checkedTokens = this.checked(assembled);
    const overflow = tokenBudget !== null && checkedTokens > tokenBudget;
    const { onRepeated } = this.options;
    // One that is asked again for what is too long may shorten more.
    if (onRepeated && !overflow) onRepeated(assembled, driven.assembled(await host.assemble(turn)));
    const { faults, breach } = this.parts.checks.next(assembled, () => driven.unassembled());
    if (breach) driven.broke(breach.method, breach.clause, breach.message);
    const request = { request: this.number, at, answer, assembled, checkedTokens, retried, overflow, faults };
    return { ...request, ...this.progress() };
  }

  /** The larger of the engine's count and the count here; or the latter, if the host counts itself. */
  private checked({ tokens, estimatedTokens, promptAuthority }: AssembledContent): number {
    const { tokensPerEstimated = 1, countsItself = false } = this.options;
    const assembled = countsItself ? tokens : Math.max(tokens, estimatedTokens);
    const estimate = promptAuthority === 'assembled' ? assembled : Math.max(assembled, this.driven.unassembledTokens());
    return Math.round(estimate * tokensPerEstimated);
  }

  /** Takes in an entry as it is recorded. */
  private async take(head: Head, assembled: AssembledContent | null): Promise<void> {
    const { host } = this;
    const { recording } = this.driven;
    const asksHere = head.type === 'compaction' && this.options.compactsAt === 'recorded';
    if (asksHere && !this.engine.info.ownsCompaction) await host.compact('recorded');
    const { tokensPerEstimated = 1 } = this.options;
    // The recorded usage is that of the engine's own request where the engine was in charge.
    const isOther = assembled !== null && recording.engine !== this.name;
    this.record(head, isOther ? Math.round((assembled.tokens - recording.tokens()) * tokensPerEstimated) : 0);
    if (assembled === null || RECORDED_ENGINE_TYPES.has(head.type)) return;
    for (const spawn of this.options.spawns ?? []) if (spawn.request === this.number) await this.host.spawn(spawn);
  }

  private async endTurn(): Promise<void> {
    if (this.turn === null) return;
    await this.host.endTurn(this.turn);
    this.turn = null;
    await this.host.compactAfterTurn();
  }

  /** `otherTokens`: the tokens by which the request of an answer exceeds the recorded one. */
  private record(head: Head, otherTokens: number): void {
    const { recording, transcript } = this.driven;
    const entry = recording.take();
    this.lookAtFile('size');
    this.parts.past?.add(head);
    if (RECORDED_ENGINE_TYPES.has(head.type)) return;
    const usage = adjustUsage(entry, otherTokens);
    const message = usage ? transcript.addBilled(head, entry, usage) : transcript.add(head, entry);
    if (startsTurn(head)) this.turn ??= newTurn();
    if (message) this.add(message);
  }

  /** Reports once that the engine wrote the session file. */
  private lookAtFile(how: 'size' | 'content'): void {
    const { past } = this.parts;
    if (past === null || this.hasWritten || past.isAsWritten(how)) return;
    this.hasWritten = true;
    this.driven.broke('any method', 'session-file', 'the session file was changed while the engine was in charge');
  }

  private add(message: AgentMessage): void {
    const { host, driven } = this;
    driven.add(message);
    this.turn ??= newTurn();
    const { turn } = this;
    const said = message.role === 'user' ? messageText(message as LlmMessage) : '';
    turn.messages.push(message);
    turn.prompt = [turn.prompt, said].filter((text) => text !== '').join('\n');
    turn.isFailed = isFailedAnswer(message);
    const billed = readRecordedTokens(message as LlmMessage);
    host.tokens = billed ?? host.tokens + driven.sent.of(message).tokens;
  }
}

/** Yields to the event loop, since built-in engines never wait, and could not be interrupted otherwise. */
function breath(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
