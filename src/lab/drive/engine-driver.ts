import { readMessageText } from '#analysis/facts/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { skipOpsWrittenBy } from '#context/replay/patch-op.js';
import { readRecordedTokens } from '#context/size/recorded-usage.js';
import type { TemporaryFile } from '#platform/files/temporary-file.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { AgentMessage } from '../contract.js';
import { RequestChecks } from './breaches/request-checks.js';
import { CheckedEngine } from './checked-engine.js';
import type { DriveOptions, DriveSource, MakeEngine } from './drive-options.js';
import type { AssembledContent, Driven, DriveProgress } from './driven-request.js';
import { DrivenSession } from './driven-session.js';
import { createTurn, EngineHost, type OpenTurn } from './host.js';
import { collectFiles, PastFile } from './past-file.js';
import { adjustUsage, RECORDED_ENGINE_TYPES, Recording } from './recording.js';
import type { Spawn } from './spawn.js';
import { findTurnEnds } from './turn-ends.js';

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
  private newestTurnPlace = -1;
  private hasWrittenFile = false;
  /** The request that waits for its answer. */
  private openRequest: AssembledContent | null = null;

  private constructor(
    source: DriveSource,
    private readonly parts: Parts,
    private readonly options: DriveOptions,
    private readonly release: () => void,
  ) {
    const { driven, engine, past } = parts;
    const session = { sessionId: source.header.id, sessionFile: past?.file ?? source.file };
    this.driven = driven;
    this.engine = engine;
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
    const engine = await CheckedEngine.create(() => make(driven.setup()), options);
    name = engine.info.id;
    const pasts: TemporaryFile[] = [];
    const createPast = collectFiles(options.createPast, pasts);
    let children: readonly Spawn[] = [];
    const release = (): void => {
      for (const past of pasts) past.remove();
      for (const { child } of children) child?.close();
    };
    try {
      const past = await PastFile.create(source, createPast);
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
    yield* this.advance(findTurnEnds(path));
    if (asksAtEnd) yield await this.buildRequest(null, path.at(-1) ?? null);
    const { transcript } = this.driven;
    this.options.onEnd?.({ transcript, messages: this.driven.buildPlainRequest().messages });
    if (repeatsLast) await this.host.ingestion.repeatLast();
    await this.host.endSubagents();
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
    await this.engine
      .dispose()
      .catch((error: unknown) => (failure === null ? Promise.reject(error) : undefined))
      .finally(this.release);
  }

  /** The changes since the newest request. */
  takeProgress(): DriveProgress {
    return this.driven.takeProgress();
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
    // Its end may be known only now.
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

  private async buildRequest(answer: Head | null, at: Head | null): Promise<Driven> {
    const { host, driven } = this;
    const { onRepeated } = this.options;
    this.number += 1;
    this.turn ??= createTurn();
    const { turn } = this;
    const assemble = async (): Promise<AssembledContent> => driven.buildRequest(await host.assemble(turn));
    if (turn.messages.some(({ role }) => role === 'assistant')) await host.compactWithinTurn();

    let assembled = await assemble();
    const tokens = this.countCheckedTokens(assembled);
    const retried = this.isOverBudget(tokens) && (await host.compact('overflow', tokens));
    if (retried) assembled = await assemble();
    host.tokens = assembled.tokens;
    const checkedTokens = this.countCheckedTokens(assembled);
    const overflow = this.isOverBudget(checkedTokens);
    // One that is asked again for what is too long may shorten more.
    if (onRepeated && !overflow) onRepeated(assembled, await assemble());

    const { faults, breach } = this.parts.checks.check(assembled, () => driven.buildPlainRequest());
    if (breach) driven.noteBreach(breach.method, breach.clause, breach.message);
    const request = { request: this.number, at, answer, assembled, checkedTokens, retried, overflow, faults };
    return { ...request, ...this.takeProgress() };
  }

  private isOverBudget(tokens: number): boolean {
    const { tokenBudget } = this.options;
    return tokenBudget !== null && tokens > tokenBudget;
  }

  /** The larger of the engine's count and the count here; or the latter, if the host counts itself. */
  private countCheckedTokens({ tokens, estimatedTokens, promptAuthority }: AssembledContent): number {
    const { tokensPerEstimated = 1, countsItself = false } = this.options;
    const assembled = countsItself ? tokens : Math.max(tokens, estimatedTokens);
    const estimate = promptAuthority === 'assembled' ? assembled : Math.max(assembled, this.driven.countPlainRequest());
    return Math.round(estimate * tokensPerEstimated);
  }

  /** Takes in an entry as it is recorded. */
  private async take(head: Head, assembled: AssembledContent | null): Promise<void> {
    const { recording } = this.driven;
    const { tokensPerEstimated = 1 } = this.options;
    // The recorded usage is that of the engine's own request where the engine was in charge.
    const isOther = assembled !== null && recording.engine !== this.name;
    this.record(head, isOther ? Math.round((assembled.tokens - recording.countTokens()) * tokensPerEstimated) : 0);
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
    const entry = recording.next();
    this.checkFile('size');
    this.parts.past?.add(head);
    if (RECORDED_ENGINE_TYPES.has(head.type)) return;
    const usage = adjustUsage(entry, otherTokens);
    const message = usage ? transcript.addBilled(head, entry, usage) : transcript.add(head, entry);
    if (startsTurn(head)) this.turn ??= createTurn();
    if (message) this.add(message);
  }

  /** Reports once that the engine wrote the session file. */
  private checkFile(how: 'size' | 'content'): void {
    const { past } = this.parts;
    if (past === null || this.hasWrittenFile || past.isAsWritten(how)) return;
    this.hasWrittenFile = true;
    this.driven.noteBreach('any method', 'session-file', 'the session file was changed while the engine was in charge');
  }

  private add(message: AgentMessage): void {
    const { host, driven } = this;
    driven.add(message);
    this.turn ??= createTurn();
    const { turn } = this;
    const userText = message.role === 'user' ? readMessageText(message as LlmMessage) : '';
    turn.messages.push(message);
    turn.prompt = [turn.prompt, userText].filter((text) => text !== '').join('\n');
    turn.isFailed = isFailedAnswer(message);
    const billed = readRecordedTokens(message as LlmMessage);
    host.tokens = billed ?? host.tokens + driven.sent.convert(message).tokens;
  }
}

/** Yields to the event loop, since built-in engines never wait, and could not be interrupted otherwise. */
function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
