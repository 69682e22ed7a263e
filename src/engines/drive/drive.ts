import { promptUsage } from '#analysis/cache/recorded.js';
import { textOf } from '#analysis/facts/text.js';
import { isObject, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { MESSAGE_TYPES } from '#context/replay/selection.js';
import { recordedTokens, usageNumbers } from '#context/replay/tokens.js';
import { refuseTooDeep } from '#session/scan/nesting.js';
import type { Head } from '#session/table/head.js';
import { activePath, answersRequest, startsTurn } from '#session/tree/tree.js';
import { CheckedEngine } from '../check/checked-engine.js';
import { RequestChecks, turnEnds } from '../check/request-checks.js';
import type { AgentMessage, ContextEngine } from '../contract.js';
import { DrivenSession } from './driven-session.js';
import {
  type Assembled,
  type DriveProgress,
  type Driven,
  type DriveOptions,
  type DriveSource,
  type MakeEngine,
  Past,
  PastFiles,
} from './driven.js';
import { EngineFailure, failureOf } from './failure.js';
import { Host, type Turn } from './host.js';
import { Recording } from './recording.js';
import type { Spawn } from './subagents.js';

/**
 * Drives an engine over a recorded session, request by request. The conversation stays as recorded, and the engine
 * decides what each request contains. Returns the progress after the last request. Throws an EngineFailure if the engine
 * breaks the contract, and a CtxError (input) for data that is nested too deeply. Always calls `dispose`.
 */
export async function* drive(
  source: DriveSource,
  make: MakeEngine,
  options: DriveOptions,
): AsyncGenerator<Driven, DriveProgress> {
  const path = options.path ?? activePath(source.tree);
  refuseTooDeep(source, path);
  const driven = new DrivenSession(source, new Recording(source, path, options), options);
  const checks = await RequestChecks.load(source);
  const engine = await made(make, driven, options);
  const pasts = new PastFiles(options.createPast);
  let children: readonly Spawn[] = [];
  let failure: unknown = null;
  try {
    const past = await Past.of(source, pasts.create);
    if (hearsOfSubagents(engine)) children = (await options.children?.()) ?? [];
    const spawns = [...(options.spawns ?? []), ...children];
    const own = { ...options, spawns, createPast: pasts.create };
    yield* new Drive(source, { driven, engine, past, checks }, own).requests();
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // What went wrong first is what is told.
    await engine
      .dispose()
      .catch((error: unknown) => {
        if (failure === null) throw error;
      })
      .finally(() => {
        pasts.remove();
        for (const { child } of children) child?.close();
      });
  }
  return { ...driven.takeDone(), events: engine.takeEvents() };
}

function hearsOfSubagents(engine: CheckedEngine): boolean {
  return engine.has('prepareSubagentSpawn') || engine.has('onSubagentEnded');
}

async function made(make: MakeEngine, driven: DrivenSession, { signal, onCall }: DriveOptions): Promise<CheckedEngine> {
  const engine = await making(make, driven);
  try {
    return new CheckedEngine(engine, signal, onCall);
  } catch (error) {
    // Whatever it is, it may hold a process. What is wrong with it is told, and not what more is.
    await (async () => engine.dispose?.())().catch(() => {});
    throw error;
  }
}

async function making(make: MakeEngine, driven: DrivenSession): Promise<ContextEngine> {
  try {
    const engine: unknown = await make(driven.setup());
    if (isObject(engine)) return engine as unknown as ContextEngine;
  } catch (error) {
    throw failureOf('create', error);
  }
  throw new EngineFailure('result', 'create', 'not an object');
}

interface Parts {
  readonly driven: DrivenSession;
  readonly engine: CheckedEngine;
  readonly past: Past | null;
  readonly checks: RequestChecks;
}

class Drive {
  private readonly driven: DrivenSession;
  private readonly engine: CheckedEngine;
  private readonly host: Host;
  private readonly ends: ReadonlySet<number>;
  private turn: OpenTurn | null = null;
  private number = 0;

  constructor(
    source: DriveSource,
    private readonly parts: Parts,
    private readonly options: DriveOptions,
  ) {
    const { driven, engine, past } = parts;
    const session = { sessionId: source.header.id, sessionFile: past?.file ?? source.file };
    [this.driven, this.engine] = [driven, engine];
    this.host = new Host(driven, options, engine, session);
    this.ends = turnEnds(driven.recording.path);
  }

  async *requests(): AsyncGenerator<Driven, void> {
    const { path } = this.driven.recording;
    const { startsAt = 0, repeatsLast = false } = this.options;
    for (const head of path.slice(0, startsAt)) this.passOver(head);
    this.turn = null;
    await this.host.bootstrap(path.slice(0, startsAt).filter(({ type }) => MESSAGE_TYPES.has(type)).length);
    for (const [at, head] of path.entries()) {
      if (at < startsAt) continue;
      const isAnswer = answersRequest(head);
      if (isAnswer) await breath();
      const assembled = isAnswer ? await this.request(head, path[at - 1] ?? null) : null;
      if (assembled) yield assembled;
      await this.goOn(head, at, assembled?.assembled ?? null);
    }
    if (this.options.asksAtEnd) yield await this.request(null, path.at(-1) ?? null);
    const { transcript } = this.driven;
    this.options.onEnd?.({ transcript, messages: this.driven.unassembled().messages });
    if (repeatsLast) await this.host.ingestion.repeatLast();
    await this.host.release();
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
    const { faults, breach } = this.parts.checks.next(assembled, () => driven.unassembled());
    if (breach) driven.broke(breach.method, breach.clause, breach.message);
    const done = { ...driven.takeDone(), events: this.engine.takeEvents() };
    return { request: this.number, at, answer, assembled, checkedTokens, retried, overflow, faults, ...done };
  }

  /** The larger of the engine's count and the count here. */
  private checked({ tokens, estimatedTokens, promptAuthority }: Assembled): number {
    const assembled = Math.max(tokens, estimatedTokens);
    const { tokensPerEstimated = 1 } = this.options;
    const estimate = promptAuthority === 'assembled' ? assembled : Math.max(assembled, this.driven.unassembledTokens());
    return Math.round(estimate * tokensPerEstimated);
  }

  /** Takes in an entry of the past, at which no engine was asked. */
  private passOver(head: Head): void {
    if (answersRequest(head)) this.number += 1;
    this.record(head, 0);
  }

  /** Takes in an entry as it is recorded, and ends the turn where it ends. */
  private async goOn(head: Head, at: number, assembled: Assembled | null): Promise<void> {
    const { host } = this;
    const { recording } = this.driven;
    const asksHere = head.type === 'compaction' && this.options.compactsAt === 'recorded';
    if (asksHere && !this.engine.info.ownsCompaction) await host.compact('recorded');
    const { tokensPerEstimated = 1 } = this.options;
    this.record(head, assembled ? Math.round((assembled.tokens - recording.tokens()) * tokensPerEstimated) : 0);
    if (OF_ANOTHER.has(head.type)) return;
    if (assembled) await this.spawn();
    if (!this.ends.has(at) || this.turn === null) return;
    await host.endTurn(this.turn);
    this.turn = null;
    await host.compactAfterTurn();
  }

  /** `otherTokens`: the tokens by which the request of an answer exceeds the recorded one. */
  private record(head: Head, otherTokens: number): void {
    const { recording, transcript } = this.driven;
    const entry = recording.take();
    this.parts.past?.add(head);
    if (OF_ANOTHER.has(head.type)) return;
    const usage = usageIfOther(entry, otherTokens);
    const message = usage ? transcript.addBilled(head, entry, usage) : transcript.add(head, entry);
    if (startsTurn(head)) this.turn ??= newTurn();
    if (message) this.take(message);
  }

  private take(message: AgentMessage): void {
    const { host, driven } = this;
    driven.add(message);
    this.turn ??= newTurn();
    const { turn } = this;
    const said = message.role === 'user' ? textOf(message as LlmMessage) : '';
    turn.messages.push(message);
    turn.prompt = [turn.prompt, said].filter((text) => text !== '').join('\n');
    turn.isFailed = message['stopReason'] === 'error' || message['stopReason'] === 'aborted';
    const billed = recordedTokens(message as LlmMessage);
    host.tokens = billed ?? host.tokens + driven.sent.of(message).tokens;
  }

  private async spawn(): Promise<void> {
    for (const spawn of this.options.spawns ?? []) if (spawn.request === this.number) await this.host.spawn(spawn);
  }
}

/** Yields to the event loop, since built-in engines never wait, and could not be interrupted otherwise. */
function breath(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

type OpenTurn = { -readonly [Key in keyof Turn]: Turn[Key] } & { readonly messages: AgentMessage[] };

function newTurn(): OpenTurn {
  return { messages: [], prompt: '', isFailed: false };
}

/** Types of entries with which the recorded engine changed the context or added to single requests. */
const OF_ANOTHER: ReadonlySet<string | null> = new Set(['compaction', 'context_transform', 'ephemeral']);

/**
 * The usage of an answer whose request is `tokens` tokens longer than the recorded one: the recorded numbers plus an
 * estimate of the difference. null: the recorded usage is valid.
 */
function usageIfOther(entry: JsonObject, tokens: number): JsonObject | null {
  const message = isObject(entry['message']) ? entry['message'] : {};
  const usage = isObject(message['usage']) ? message['usage'] : null;
  if (tokens === 0 || usage === null || promptUsage(usage) === null) return null;
  const { input, output, cacheRead, cacheWrite, total } = usageNumbers(usage);
  const prompt = Math.max(0, input + cacheRead + cacheWrite + tokens);
  return { input: prompt, output, cacheRead: 0, cacheWrite: 0, totalTokens: Math.max(prompt + output, total + tokens) };
}
