import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { LIVE_TYPE, readLiveExtensions } from '#context/replay/ctx-entries.js';
import { buildDropMark, buildMessageTransform, DROPPED_TYPE } from '#lab/hooks/dropped-messages.js';
import type { HookBoundary } from '#lab/hooks/run-boundary.js';
import type { LiveBranch } from '../branch.js';
import type { Live } from '../define.js';
import {
  type BeforeCompactResult,
  type BoundaryDraft,
  type BoundaryEvent,
  type BoundaryResult,
  type MessageEndResult,
  type MessagesEvent,
  type MessagesResult,
  type Pi,
  type PiContext,
  type PiMessage,
  toJsonEntry,
} from '../pi.js';
import { buildRequestMessages } from '../sent-messages.js';
import type { LiveSettings } from '../settings.js';
import { ChangedMessages } from './changed-messages.js';
import type { LiveEngine } from './engine.js';
import { listTransformEntries, type LiveHooks } from './hooks.js';

/** The hooks and the engine of one session. */
export class RunningPipeline {
  /** Messages that Pi does not hand over before it writes them. */
  private readonly changedMessages = new ChangedMessages();
  /** Whether a message that a hook left out could not be marked, so that requests would contain it. */
  private isUnmarked = false;
  /** The number of requests that were stopped. */
  private stopped = 0;

  private constructor(
    private readonly pi: Pi,
    private readonly live: Live,
    private readonly hooks: LiveHooks | null,
    private readonly engine: LiveEngine | null,
  ) {}

  /** Starts hooks and engine. A part that cannot be started is left out, with a notice. */
  static async start(pi: Pi, live: Live, ctx: PiContext, settings: LiveSettings): Promise<RunningPipeline> {
    const { hooks: files, engine } = settings;
    const timeLimit = settings.timeLimit * 1000;
    let liveHooks: LiveHooks | null = null;
    if (files.length > 0) {
      const { LiveHooks } = await import('./hooks.js');
      liveHooks = await LiveHooks.start(live, ctx, { files, timeLimit });
    }
    if (engine === null) return new RunningPipeline(pi, live, liveHooks, null);
    const { LiveEngine } = await import('./engine.js');
    return new RunningPipeline(pi, live, liveHooks, new LiveEngine(live, { ...engine, timeLimit }));
  }

  async close(): Promise<void> {
    await Promise.all([this.hooks?.close(), this.engine?.end()]);
  }

  /** The message of an event as hooks change it; undefined: they do not. */
  async changeMessage(ctx: PiContext, given: PiMessage): Promise<MessageEndResult | undefined> {
    const message: JsonObject = { ...given };
    if (message.role === 'system' || !this.hooks?.seesMessages) return;
    await this.nameParts(ctx);
    const change = await this.hooks.changeMessage(ctx, message);
    if (change !== null && 'droppedBy' in change) {
      this.changedMessages.note(message);
      this.markAsDropped(message, change.droppedBy);
      return;
    }
    this.changedMessages.note(change?.message ?? message);
    return change ?? undefined;
  }

  /** Writes a mark, since Pi keeps the message. Without it, requests are stopped. */
  private markAsDropped(message: JsonObject, hook: string): void {
    this.isUnmarked = true;
    this.pi.appendEntry(DROPPED_TYPE, buildDropMark(message, hook));
    this.isUnmarked = false;
  }

  /** The messages that Pi sends instead of its own; undefined: nothing changes them. */
  async buildRequest(ctx: PiContext, event: MessagesEvent): Promise<MessagesResult | undefined> {
    if (ctx.signal?.aborted) return undefined;
    const result = await this.runParts(ctx, event);
    await this.stopIfBroken(ctx);
    return result;
  }

  /** Stops a request that may lack the change of a broken hook, if the settings say so. */
  private async stopIfBroken(ctx: PiContext): Promise<void> {
    const isBroken = this.hooks?.hasFailed && (await this.live.settings(ctx)).onBrokenHook === 'stop';
    if (!isBroken && !this.isUnmarked) return;
    ctx.abort();
    this.stopped += 1;
    const text = isBroken
      ? 'ctx: a hook has failed, so the request was stopped; repair the hook, then /reload'
      : 'ctx: a message that a hook has left out could not be marked, so the request was stopped; repair the disk, then /reload';
    this.live.notice(ctx, { cause: `stopped ${this.stopped}`, text, level: 'warning' });
  }

  /** Runs the engine and the hooks of a request, in the order of the proposal. */
  private async runParts(ctx: PiContext, { messages }: MessagesEvent): Promise<MessagesResult | undefined> {
    const { live } = this;
    let branch = await live.branch(ctx);
    if (!(await isReplayable(branch, ctx))) return;
    const { length } = branch.path;
    branch = await this.changeUnseenMessages(ctx, branch);

    const change = (await this.engine?.buildChange(ctx, branch, this.changedMessages)) ?? null;
    await this.nameParts(ctx);
    const engine = this.engine?.id ?? '';
    if (change && change.patch.length > 0)
      this.persist([{ schemaVersion: 1, transformerName: engine, patch: change.patch, writtenBy: { engine } }]);

    const boundary = await this.runLasting(ctx, 'before_request', await live.branch(ctx));
    if (boundary !== null) this.persist(listTransformEntries(boundary));

    branch = await live.branch(ctx);
    const durable = branch.replay().content();
    const before = change ? { ...durable, messages: change.messages } : durable;
    const content = await this.runEphemeral(ctx, branch, before);
    const isStale = branch.path.slice(length).some(({ type }) => type === 'context_transform');
    return buildRequestMessages({ branch, durable, content, messages, isStale });
  }

  /** Lets the message hooks change what Pi adds to the context without an event. Returns the branch with that. */
  private async changeUnseenMessages(ctx: PiContext, branch: LiveBranch): Promise<LiveBranch> {
    const { hooks, changedMessages } = this;
    if (!hooks?.seesMessages) return branch;
    await changedMessages.look(branch, async (message) => {
      await this.nameParts(ctx);
      const change = await hooks.changeMessage(ctx, message);
      if (change === null) return null;
      return 'droppedBy' in change ? 'dropped' : change.message;
    });
    const transform = buildMessageTransform(branch.replay(), changedMessages.sent);
    if (transform === null) return branch;
    this.persist([transform]);
    return this.live.branch(ctx);
  }

  /** An engine in charge compacts itself: Pi's summary would cover messages that the engine does not send. */
  compact(ctx: PiContext, reason: string): BeforeCompactResult | undefined {
    const id = this.engine?.id;
    if (!id) return;
    const text = `ctx: the engine ${id} decides when to compact, so Pi does not; "engine" in the configuration ends that`;
    if (reason === 'manual') this.live.notice(ctx, { cause: 'compaction', text, level: 'warning' });
    return { cancel: true };
  }

  /** The entries that Pi writes at the end of a turn; undefined: hooks add none. */
  async endTurn(ctx: PiContext, { entries }: BoundaryEvent): Promise<BoundaryResult | undefined> {
    const branch = await this.live.branch(ctx);
    const boundary = (await isReplayable(branch, ctx)) ? await this.runLasting(ctx, 'turn_end', branch) : null;
    if (boundary === null) return;
    const drafts = listTransformEntries(boundary).map((data): BoundaryDraft => ({
      type: 'custom',
      customType: 'context_transform',
      data,
    }));
    return { entries: [...entries, ...drafts] };
  }

  /** Runs the hooks of a boundary whose changes last. The messages belong to the engine, if there is one. */
  private async runLasting(
    ctx: PiContext,
    reason: 'before_request' | 'turn_end',
    branch: LiveBranch,
  ): Promise<HookBoundary | null> {
    const content = branch.replay().content();
    const boundary = (await this.hooks?.changeContext(ctx, reason, { branch, content })) ?? null;
    const changesMessages = boundary !== null && boundary.after.messages.cached !== content.messages.cached;
    if (!changesMessages || !this.engine?.id) return boundary;
    const text = `ctx: the messages belong to the engine ${this.engine.id}: the ops of hooks on messages are not applied`;
    this.live.notice(ctx, { cause: 'messages of hooks', text, level: 'warning' });
    return null;
  }

  /** The envelope of one request, as hooks change it for that alone. The messages that they add are logged. */
  private async runEphemeral(ctx: PiContext, branch: LiveBranch, content: EnvelopeContent): Promise<EnvelopeContent> {
    const boundary = await this.hooks?.changeContext(ctx, 'ephemeral', { branch, content });
    const after = boundary?.after ?? content;
    const { uncached } = after.messages;
    if (uncached.length > 0) this.pi.appendEntry('ephemeral', { messages: uncached });
    return after;
  }

  private persist(transforms: readonly JsonObject[]): void {
    for (const data of transforms) this.pi.appendEntry('context_transform', data);
  }

  /** Names the hooks and the engine in the session, where the newest entry names others. */
  private async nameParts(ctx: PiContext): Promise<void> {
    const active = { hooks: this.hooks?.names ?? [], engine: this.engine?.id ?? null };
    const newest = ctx.sessionManager.getBranch().findLast((entry) => readLiveExtensions(toJsonEntry(entry)) !== null);
    const recorded = newest ? readLiveExtensions(toJsonEntry(newest)) : null;
    if (JSON.stringify(recorded) !== JSON.stringify(active)) this.pi.appendEntry(LIVE_TYPE, active);
  }
}

/** A broken transform is a notice of the part that replays the branch. */
async function isReplayable(branch: LiveBranch, ctx: PiContext): Promise<boolean> {
  const { replayAndCheck } = await import('../checked-replay.js');
  try {
    replayAndCheck(branch, ctx);
    return true;
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}
