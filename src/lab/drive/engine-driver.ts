import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { skipOpsWrittenBy } from '#context/replay/patch-op.js';
import { readRecordedTokens } from '#context/size/recorded-usage.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { AgentMessage } from '../contract.js';
import { listRequestBreaches } from './breaches/request-breaches.js';
import { RequestChecks } from './breaches/request-checks.js';
import { CheckedEngine } from './checked-engine.js';
import type { DriveOptions, DriveSource, MakeEngine } from './drive-options.js';
import type { AssembledContent, Driven, DriveProgress } from './driven-request.js';
import { type DrivenSession, openDrivenSession } from './driven-session.js';
import { buildEngineSetup } from './engine-setup.js';
import { EngineHost } from './host.js';
import { PastFile } from './past-file.js';
import { adjustUsage, RECORDED_ENGINE_TYPES } from './recording.js';
import { toSentMessage } from './sent-messages.js';
import { Subagents } from './subagents.js';
import { findTurnEnds } from './turn-ends.js';
import { Turn } from './turn.js';

/** The parts of the host that hold files or processes, and what was loaded for its checks. */
interface Opened {
  readonly engine: CheckedEngine;
  readonly past: PastFile | null;
  readonly subagents: Subagents;
  readonly checks: RequestChecks;
}

/** An engine in charge of a session, which is complete, or grows while an agent runs. */
export class EngineDriver {
  private readonly host: EngineHost;
  private turn: Turn | null = null;
  /** The number of requests so far. */
  private number = 0;
  /** The next place on the path. */
  private place = 0;
  /** The place of the newest answer or tool result; -1: there is none. */
  private newestTurnPlace = -1;
  /** The request that waits for its answer. */
  private openRequest: AssembledContent | null = null;

  private constructor(
    private readonly driven: DrivenSession,
    private readonly opened: Opened,
    private readonly options: DriveOptions,
  ) {
    this.host = new EngineHost(driven, opened, options);
  }

  /** Creates the engine, and prepares it. Throws like `driveEngine`. The caller closes it. */
  static async start(
    session: DriveSource,
    make: MakeEngine,
    options: DriveOptions & { readonly path: readonly Head[] },
  ): Promise<EngineDriver> {
    // The engine writes its transforms again, and its name is known only once it is made.
    let name: string | null = null;
    const readPatch = skipOpsWrittenBy(session.readPatch, ({ engine }) => engine === name);
    const driven = openDrivenSession({ ...session, readPatch }, options);
    const checks = await RequestChecks.load(session);
    const engine = await CheckedEngine.create(() => make(buildEngineSetup(driven, options)), options);
    name = engine.info.id;
    let past: PastFile | null = null;
    try {
      past = await PastFile.create(session, options.createPast);
      const subagents = await Subagents.load(engine, options);
      return new EngineDriver(driven, { engine, past, subagents, checks }, options);
    } catch (error) {
      await engine.dispose().catch(() => {});
      past?.remove();
      throw error;
    }
  }

  /** The name of the engine in the transforms that it writes. */
  get name(): string {
    return this.opened.engine.info.id;
  }

  /** All requests of a path that is complete. */
  async *requests(): AsyncGenerator<Driven, void> {
    const { recording, requests, transcript } = this.driven;
    const { path } = recording;
    const { asksAtEnd = false, repeatsLast = false, onEnd } = this.options;
    await this.begin();
    yield* this.advance(findTurnEnds(path));
    if (asksAtEnd) yield await this.buildRequest(null, path.at(-1) ?? null);
    onEnd?.({ transcript, messages: requests.listPlainMessages().messages });
    if (repeatsLast) await this.host.ingestion.repeatLast();
    await this.opened.subagents.release();
    this.checkFile('content');
  }

  /**
   * The next request of a path that grows. A turn has ended once the next one has begun. `onPast` is called before each
   * request of the past; if it throws, the next call goes on there.
   */
  async next(onPast: () => void = () => {}): Promise<Driven> {
    const { path } = this.driven.recording;
    if (this.number === 0 && this.place === 0) await this.begin();
    for await (const _ of this.advance(findTurnEnds(path, 'followed'), onPast));
    const driven = await this.buildRequest(null, path.at(-1) ?? null);
    this.openRequest = driven.assembled;
    return driven;
  }

  /** Disposes of the engine. Its error is thrown, unless it failed before. */
  async close(failure: unknown = null): Promise<void> {
    const { engine, past, subagents } = this.opened;
    try {
      await engine.dispose();
    } catch (error) {
      if (failure === null) throw error;
    } finally {
      past?.remove();
      subagents.close();
    }
  }

  /** The changes since the newest request. */
  takeProgress(): DriveProgress {
    return this.driven.progress.take();
  }

  private async begin(): Promise<void> {
    const { path } = this.driven.recording;
    const past = path.slice(0, this.options.startsAt ?? 0);
    for (const head of past) {
      if (answersRequest(head)) this.number += 1;
      this.record(head, 0);
    }
    this.turn = null;
    this.place = past.length;
    await this.host.bootstrap(past.filter(({ type }) => MESSAGE_TYPES.has(type)).length);
  }

  /** Goes on to the end of the path. Yields the recorded requests. */
  private async *advance(ends: ReadonlySet<number>, onPast: () => void = () => {}): AsyncGenerator<Driven, void> {
    const { path } = this.driven.recording;
    // An end that the caller has just passed may be that of the newest turn.
    if (ends.has(this.newestTurnPlace)) await this.endTurn();
    for (; this.place < path.length; this.place += 1) {
      const head = path[this.place];
      if (!head) continue;
      const isAnswer = answersRequest(head);
      if (isAnswer && this.openRequest === null) {
        await yieldToEvents();
        onPast();
        const driven = await this.buildRequest(head, path[this.place - 1] ?? null);
        yield driven;
        this.openRequest = driven.assembled;
      }
      await this.take(head, isAnswer ? this.openRequest : null);
      if (isAnswer) this.openRequest = null;
      if (isAnswer || head.role === 'toolResult') this.newestTurnPlace = this.place;
      if (ends.has(this.place)) await this.endTurn();
    }
  }

  /** Asks for a request, and once more after a compaction if it is over the budget. */
  private async buildRequest(answer: Head | null, at: Head | null): Promise<Driven> {
    const { host, driven } = this;
    const { onRepeated } = this.options;
    this.number += 1;
    this.turn ??= new Turn();
    const { turn } = this;
    if (turn.messages.some(({ role }) => role === 'assistant')) await host.compactWithinTurn();

    let assembled = await this.assemble(turn);
    const tokens = this.countCheckedTokens(assembled);
    const retried = this.isOverBudget(tokens) && (await host.compact('overflow', tokens));
    if (retried) assembled = await this.assemble(turn);
    host.contextTokens = assembled.tokens;
    const checkedTokens = this.countCheckedTokens(assembled);
    const overflow = this.isOverBudget(checkedTokens);
    // One that is asked again for what is too long may shorten more.
    if (onRepeated && !overflow) onRepeated(assembled, await this.assemble(turn));

    const { faults, breach } = this.opened.checks.check(assembled, () => driven.requests.listPlainMessages());
    if (breach) driven.progress.sinceRequest.breaches.push(breach);
    const request = { request: this.number, at, answer, assembled, checkedTokens, retried, overflow, faults };
    return { ...request, ...this.takeProgress() };
  }

  /** Asks the engine for the messages of a request, and checks what it answers. */
  private async assemble(turn: Turn): Promise<AssembledContent> {
    const { requests, compactions, progress, transcript } = this.driven;
    const request = requests.build(await this.host.assemble(turn));
    progress.sinceRequest.breaches.push(...listRequestBreaches(request, transcript));
    compactions.noteRequest(request);
    return request.content;
  }

  private isOverBudget(tokens: number): boolean {
    const { tokenBudget } = this.options;
    return tokenBudget !== null && tokens > tokenBudget;
  }

  /** The larger of the engine's count and the count here; or the latter, if the host counts itself. */
  private countCheckedTokens({ tokens, estimatedTokens, promptAuthority }: AssembledContent): number {
    const { tokensPerEstimated = 1, countsItself = false } = this.options;
    const assembled = countsItself ? tokens : Math.max(tokens, estimatedTokens);
    const isAlone = promptAuthority === 'assembled';
    const estimate = isAlone ? assembled : Math.max(assembled, this.driven.requests.countPlainTokens());
    return Math.round(estimate * tokensPerEstimated);
  }

  /** Takes in an entry as it is recorded. `request`: the one that it answers; null: it answers none. */
  private async take(head: Head, request: AssembledContent | null): Promise<void> {
    const { recording } = this.driven;
    const { tokensPerEstimated = 1 } = this.options;
    // The recorded usage is that of the engine's own request where the engine was in charge.
    const isOther = request !== null && recording.engine !== this.name;
    this.record(head, isOther ? Math.round((request.tokens - recording.countTokens()) * tokensPerEstimated) : 0);
    if (request !== null && !RECORDED_ENGINE_TYPES.has(head.type)) await this.host.startSubagents(this.number);
  }

  /** `otherTokens`: the tokens by which the request of an answer exceeds the recorded one. */
  private record(head: Head, otherTokens: number): void {
    const { recording, transcript } = this.driven;
    const entry = recording.next();
    this.checkFile('size');
    this.opened.past?.add(head);
    if (RECORDED_ENGINE_TYPES.has(head.type)) return;
    const usage = adjustUsage(entry, otherTokens);
    const message = usage ? transcript.addBilled(head, entry, usage) : transcript.add(head, entry);
    if (startsTurn(head)) this.turn ??= new Turn();
    if (message) this.recordMessage(message);
  }

  private recordMessage(message: AgentMessage): void {
    this.driven.compactions.noteMessage(message);
    this.turn ??= new Turn();
    this.turn.add(message);
    const billed = readRecordedTokens(message);
    this.host.contextTokens = billed ?? this.host.contextTokens + toSentMessage(message).tokens;
  }

  private async endTurn(): Promise<void> {
    if (this.turn === null) return;
    await this.host.endTurn(this.turn);
    this.turn = null;
    await this.host.compactAfterTurn();
  }

  /** Reports once that the engine wrote the session file. */
  private checkFile(how: 'size' | 'content'): void {
    const isChanged = this.opened.past?.noticeChange(how) ?? false;
    const message = isChanged ? 'the session file was changed while the engine was in charge' : null;
    this.driven.progress.noteBreach('any method', 'session-file', message);
  }
}

/** Yields to the event loop, since built-in engines never wait, and could not be interrupted otherwise. */
function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
