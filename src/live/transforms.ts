import { isJsonEqual } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import type { Replay } from '#context/replay/replay.js';
import { buildMessageTransform, isAnswerable } from '#lab/hooks/dropped-messages.js';
import { formatId } from '#session/heads/head.js';
import type { LiveBranch } from './branch.js';
import type { Live, LivePart, Notice } from './define.js';
import type { BoundaryDraft, BoundaryResult, Pi, PiContext, PiMessage } from './pi.js';
import { buildReplayedMessages } from './sent-messages.js';

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
      try {
        const { replay, isAnswerLost } = await omitDropped(branch, { pi, live, ctx });
        if (isAnswerLost) stop(ctx, 'a hook has left out the message that it would answer');
        noticeLimits(replay, event.messages, { pi, live, ctx });
        return buildReplayedMessages(replay, event.messages);
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

/**
 * Leaves the messages that hooks left out of the branch too. Returns its replay; `isAnswerLost`: nothing that a model
 * answers is left. Throws a CtxError (input) for a broken transform.
 */
async function omitDropped(
  branch: LiveBranch,
  { pi, live, ctx }: World,
): Promise<{ readonly replay: Replay; readonly isAnswerLost: boolean }> {
  const { replayAndCheck } = await import('./checked-replay.js');
  const before = replayAndCheck(branch, ctx).content().messages.cached;
  const dropped = new Map(branch.droppedHeads.map((head) => [formatId(head.id), null]));
  const transform = buildMessageTransform(branch.replay(), dropped);
  if (transform) pi.appendEntry('context_transform', transform);
  const replay = replayAndCheck(await live.branch(ctx), ctx);
  const isAnswerLost = transform !== null && isAnswerable(before) && !isAnswerable(replay.content().messages.cached);
  return { replay, isAnswerLost };
}

function noticeLimits(replay: Replay, messages: readonly PiMessage[], world: World): void {
  for (const [cause, text] of listLimits(replay, messages, world))
    world.live.notice(world.ctx, { cause, text: `ctx: ${text}`, level: 'warning' });
}

/** The parts of the envelope that cannot take effect in Pi, each by its cause. */
function* listLimits(
  replay: Replay,
  messages: readonly PiMessage[],
  { pi, ctx }: World,
): Generator<readonly [cause: string, text: string]> {
  const { options, tools } = replay.declared();
  for (const name of ['temperature', 'maxTokens']) {
    if (name in options) yield [name, `a transform sets ${name}, which an extension of Pi cannot set; it is not sent`];
  }
  const level = pi.getThinkingLevel();
  const reasoning = asString(options.reasoning) ?? 'off';
  if (reasoning !== level)
    yield [
      `reasoning ${reasoning}`,
      `a transform sets reasoning ${reasoning}, but Pi sends ${level}; choose the level in Pi`,
    ];
  const declared = new Set(replay.declaredAsSent().tools.map(({ name }) => name));
  for (const { name } of tools) {
    if (!declared.has(name))
      yield [`tool ${name}`, `a transform declares the tool "${name}", which Pi does not have; it is not sent`];
  }
  if (replay.sources().system !== 'recorded')
    yield ['system', 'the session does not record its prompt, so transforms of prompt and tools are not sent'];
  if (!isJsonEqual(messages, ctx.sessionManager.buildSessionProjection().messages))
    yield ['extension', 'another extension changes requests; on a branch with transforms, its changes are not sent'];
}

function toBrokenNotice({ message, where }: CtxError, isStopped: boolean): Notice {
  const what = isStopped
    ? 'the request was stopped'
    : 'the request is sent as Pi has it, without the transforms of the branch';
  const detail = where === null ? message : `${message}: ${where}`;
  const text = `ctx: a transform is broken, so ${what}: ${detail}`;
  return { cause: `broken ${where ?? ''}`, text, level: 'warning' };
}
