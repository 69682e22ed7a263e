import { isJsonEqual } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Replay } from '#context/replay/replay.js';
import { buildMessageTransform, isAnswerable } from '#lab/hooks/dropped-messages.js';
import { formatId } from '#session/heads/head.js';
import type { LiveBranch } from './branch.js';
import type { Live, LivePart } from './define.js';
import type { BoundaryDraft, BoundaryResult, MessagesEvent, MessagesResult, Pi, PiContext, PiMessage } from './pi.js';
import { areSameMessages } from './pipeline/engine-change.js';

/**
 * Sends what the transforms of the branch say: the request is the replayed envelope, as `ctx show` prints it. A branch
 * without transforms is left to Pi, and not replayed. Messages that hooks left out are never sent: where nothing else is
 * left to answer, or the branch cannot be replayed, the request is stopped.
 */
const transforms: LivePart = {
  name: 'transforms',
  install(pi, live) {
    let stopped = 0;
    const stop = (ctx: PiContext, why: string): void => {
      ctx.abort();
      stopped += 1;
      live.notice(ctx, { cause: `stopped ${stopped}`, text: `ctx: the request was stopped: ${why}`, level: 'warning' });
    };
    pi.on('context_with_system', async (event, ctx) => {
      const settings = await live.settings(ctx);
      if (settings.transforms === 'off') return;
      const branch = await live.branch(ctx);
      if (!branch.hasTransforms && branch.droppedHeads.length === 0) return;
      const { replayAndCheck } = await import('./checked-replay.js');
      try {
        const before = replayAndCheck(branch, ctx).content().messages.cached;
        const without = buildMessageTransform(
          branch.replay(),
          new Map(branch.droppedHeads.map((head) => [formatId(head.id), null])),
        );
        if (without) pi.appendEntry('context_transform', without);
        const replay = replayAndCheck(await live.branch(ctx), ctx);
        if (without && !isAnswerable(replay.content().messages.cached) && isAnswerable(before))
          stop(ctx, 'a hook has left out the message that it would answer');
        return buildSentMessages(replay, event, { pi, live, ctx });
      } catch (error) {
        if (branch.droppedHeads.length > 0) stop(ctx, 'a message that a hook has left out would be sent');
        if (!(error instanceof CtxError)) throw error;
        const isStopped = settings.onBrokenTransform === 'stop';
        if (isStopped) ctx.abort();
        live.notice(ctx, toBrokenNotice(error, isStopped));
      }
    });
    // Pi keeps the message; from the end of the turn on it omits it everywhere, also from its own summaries.
    pi.on('turn_end', async ({ entries }, ctx): Promise<BoundaryResult | undefined> => {
      const { droppedHeads: leftOut } = await live.branch(ctx);
      if (leftOut.length === 0) return undefined;
      const edits = leftOut.map(({ id }): BoundaryDraft => {
        return { type: 'context_edit', targetId: String(id), replacement: null };
      });
      return { entries: [...entries, ...edits] };
    });
  },
};

export default transforms;

interface World {
  readonly pi: Pi;
  readonly live: Live;
  readonly ctx: PiContext;
}

function buildSentMessages(replay: Replay, { messages }: MessagesEvent, world: World): MessagesResult {
  for (const [cause, text] of listLimits(replay, messages, world))
    world.live.notice(world.ctx, { cause, text: `ctx: ${text}`, level: 'warning' });
  const { cached } = replay.content().messages;
  return copyForPi([...buildSystemMessages(replay, messages), ...cached]);
}

/** A request of Pi's own: handlers change messages in place, and those of a replay are the entries that Pi has in memory. */
function copyForPi(messages: readonly unknown[]): MessagesResult {
  return { messages: structuredClone(messages) as unknown[] };
}

/**
 * The prompt and the tools as one leading message, as Pi sends them for a conversation that an extension changed.
 * A session that does not record them leaves them to Pi.
 */
function buildSystemMessages(replay: Replay, messages: readonly PiMessage[]): readonly unknown[] {
  const system = messages.filter(({ role }) => role === 'system');
  const sources = replay.sources();
  if (sources.system !== 'recorded' || sources.tools !== 'recorded') return system;
  const { timestamp } = (system[0] ?? {}) as { readonly timestamp?: number };
  return [buildDeclaration(replay.declaredAsSent(), timestamp)];
}

/** The parts of the envelope that cannot take effect in Pi, each by its cause. */
function* listLimits(
  replay: Replay,
  messages: readonly PiMessage[],
  { pi, ctx }: World,
): Generator<readonly [cause: string, text: string]> {
  const { options, tools } = replay.declared();
  for (const name of ['temperature', 'maxTokens'])
    if (name in options) yield [name, `a transform sets ${name}, which an extension of Pi cannot set; it is not sent`];
  const level = pi.getThinkingLevel();
  const reasoning = asString(options.reasoning) ?? 'off';
  if (reasoning !== level)
    yield [
      `reasoning ${reasoning}`,
      `a transform sets reasoning ${reasoning}, but Pi sends ${level}; choose the level in Pi`,
    ];
  const declared = new Set(replay.declaredAsSent().tools.map(({ name }) => name));
  for (const { name } of tools)
    if (!declared.has(name))
      yield [`tool ${name}`, `a transform declares the tool "${name}", which Pi does not have; it is not sent`];
  if (replay.sources().system !== 'recorded')
    yield ['system', 'the session does not record its prompt, so transforms of prompt and tools are not sent'];
  if (!isJsonEqual(messages, ctx.sessionManager.buildSessionProjection().messages))
    yield ['extension', 'another extension changes requests; on a branch with transforms, its changes are not sent'];
}

function toBrokenNotice({ message, where }: CtxError, isStopped: boolean): Parameters<Live['notice']>[1] {
  const what = isStopped
    ? 'the request was stopped'
    : 'the request is sent as Pi has it, without the transforms of the branch';
  const detail = where === null ? message : `${message}: ${where}`;
  const text = `ctx: a transform is broken, so ${what}: ${detail}`;
  return { cause: `broken ${where ?? ''}`, text, level: 'warning' };
}

interface TransformedRequest {
  readonly branch: LiveBranch;
  /** The replayed envelope. */
  readonly durable: EnvelopeContent;
  /** The envelope of this request. */
  readonly content: EnvelopeContent;
  /** The messages that Pi would send. */
  readonly messages: readonly PiMessage[];
  /** Whether they lack transforms of this request. */
  readonly isStale: boolean;
}

/** The messages that Pi has to send instead; undefined: none. */
export function buildRequestMessages({
  branch,
  durable,
  content,
  messages,
  isStale,
}: TransformedRequest): MessagesResult | undefined {
  const { cached, uncached } = content.messages;
  const isDeclared = content.system === durable.system && content.tools === durable.tools;
  const isCached = isDeclared && areSameMessages(cached, durable.messages.cached);
  if (isCached && !isStale) return uncached.length === 0 ? undefined : copyForPi([...messages, ...uncached]);
  const system = isDeclared ? buildSystemMessages(branch.replay(), messages) : [buildDeclaration(content)];
  return copyForPi([...system, ...cached, ...uncached]);
}

function buildDeclaration({ system, tools }: Pick<EnvelopeContent, 'system' | 'tools'>, timestamp = 0): JsonObject {
  return { role: 'system', content: system.compiled, toolsAdded: tools, timestamp };
}
