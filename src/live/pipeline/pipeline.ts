import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { LIVE_TYPE, readLiveExtensions } from '#context/replay/ctx-entries.js';
import { buildDropMark, buildMessageTransform, DROPPED_TYPE } from '#lab/hooks/dropped-messages.js';
import type { HookBoundary } from '#lab/hooks/run-boundary.js';
import type { LiveBranch } from '../branch.js';
import type { Live, LivePart } from '../define.js';
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
import type { LiveSettings } from '../settings.js';
import { buildRequestMessages } from '../transforms.js';
import { ChangedMessages } from './changed-messages.js';
import type { LiveEngine } from './engine.js';
import { type HookStart, listTransformEntries, type LiveHooks } from './hooks.js';

/**
 * Runs the context engine and the hook modules of the settings on the requests of a running agent, in the order of the
 * proposal: replay, engine, `before_request`, `ephemeral`, the request, `message`, `turn_end`. A change that lasts is a
 * transform of the session; a change for one request is not written, except for messages that it adds.
 */
const pipeline: LivePart = {
  name: 'hooks',
  install(pi, live) {
    let running: Promise<Pipeline> | null = null;
    const close = async (): Promise<void> => {
      const open = running;
      running = null;
      await (await open)?.close();
    };
    const findPipeline = async (ctx: PiContext): Promise<Pipeline | null> => {
      const settings = await live.settings(ctx);
      if (settings.hooks.length === 0 && settings.engine === null) return null;
      if (settings.transforms === 'off') return noticeWithoutTransforms(live, ctx);
      return (running ??= Pipeline.start(pi, live, ctx, settings));
    };
    pi.on('session_start', close);
    pi.on('session_shutdown', close);
    pi.on('message_end', async ({ message }, ctx) => (await findPipeline(ctx))?.takeMessage(ctx, message));
    pi.on('context_with_system', async (event, ctx) => (await findPipeline(ctx))?.buildRequest(ctx, event));
    pi.on('session_before_compact', async ({ reason }, ctx) => (await findPipeline(ctx))?.compact(ctx, reason));
    pi.on('turn_end', async (event, ctx) => (await findPipeline(ctx))?.endTurn(ctx, event));
  },
};

export default pipeline;

/** The hooks and the engine of one session. */
class Pipeline {
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
  static async start(pi: Pi, live: Live, ctx: PiContext, settings: LiveSettings): Promise<Pipeline> {
    const { hooks: files, engine, timeLimit: seconds } = settings;
    const timeLimit = seconds * 1000;
    const hooks = files.length === 0 ? null : await startPipeline(live, ctx, { files, timeLimit });
    if (engine === null) return new Pipeline(pi, live, hooks, null);
    const { LiveEngine } = await import('./engine.js');
    return new Pipeline(pi, live, hooks, new LiveEngine(live, { ...engine, timeLimit }));
  }

  async close(): Promise<void> {
    await Promise.all([this.hooks?.close(), this.engine?.end()]);
  }

  /** The message of an event as hooks change it; undefined: they do not. */
  async takeMessage(ctx: PiContext, given: PiMessage): Promise<MessageEndResult | undefined> {
    const message: JsonObject = { ...given };
    if (message.role === 'system' || !this.hooks?.seesMessages) return;
    await this.nameParts(ctx);
    const after = await this.hooks.changeMessage(ctx, message);
    if (after === null || !('droppedBy' in after)) {
      this.changedMessages.note(after?.message ?? message);
      return after ?? undefined;
    }
    this.changedMessages.note(message);
    // Until the mark is written.
    this.isUnmarked = true;
    this.pi.appendEntry(DROPPED_TYPE, buildDropMark(message, after.droppedBy));
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
    const ofEngine = change ? { ...durable, messages: change.messages } : durable;
    const content = (await this.runEphemeral(ctx, branch, ofEngine)) ?? ofEngine;
    const isStale = branch.path.slice(length).some(({ type }) => type === 'context_transform');
    return buildRequestMessages({ branch, durable, content, messages, isStale });
  }

  /** Lets the message hooks change what Pi adds to the context without an event. Returns the branch with that. */
  private async changeUnseenMessages(ctx: PiContext, branch: LiveBranch): Promise<LiveBranch> {
    const { hooks, changedMessages } = this;
    if (!hooks?.seesMessages) return branch;
    await changedMessages.look(branch, async (message) => {
      await this.nameParts(ctx);
      const after = await hooks.changeMessage(ctx, message);
      return after && ('droppedBy' in after ? 'dropped' : after.message);
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

  /** The envelope of one request; null: no hook changes it. The messages that it adds are logged. */
  private async runEphemeral(
    ctx: PiContext,
    branch: LiveBranch,
    content: EnvelopeContent,
  ): Promise<EnvelopeContent | null> {
    const boundary = await this.hooks?.changeContext(ctx, 'ephemeral', { branch, content });
    const after = boundary?.after ?? null;
    const { uncached } = (after ?? content).messages;
    if (uncached.length > 0) this.pi.appendEntry('ephemeral', { messages: uncached });
    return after;
  }

  private persist(transforms: readonly JsonObject[]): void {
    for (const data of transforms) this.pi.appendEntry('context_transform', data);
  }

  /** Names the hooks and the engine in the session, where the newest entry names others. */
  private async nameParts(ctx: PiContext): Promise<void> {
    const now = { hooks: this.hooks?.names ?? [], engine: this.engine?.id ?? null };
    const newest = ctx.sessionManager.getBranch().findLast((entry) => readLiveExtensions(toJsonEntry(entry)) !== null);
    const known = newest ? readLiveExtensions(toJsonEntry(newest)) : null;
    if (JSON.stringify(known) !== JSON.stringify(now)) this.pi.appendEntry(LIVE_TYPE, now);
  }
}

async function startPipeline(live: Live, ctx: PiContext, start: HookStart): Promise<LiveHooks> {
  const hooks = await import('./hooks.js');
  return hooks.LiveHooks.start(live, ctx, start);
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

/** Hooks and engines write transforms, which have no effect where none is sent. */
function noticeWithoutTransforms(live: Live, ctx: PiContext): null {
  const text = 'ctx: hooks and engines are off, since "transforms" is "off" in the configuration';
  live.notice(ctx, { cause: 'hooks', text, level: 'warning' });
  return null;
}
