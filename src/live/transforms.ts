import { CtxError } from '#base/errors.js';
import { asString, isSameAsJson, type JsonObject } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { Replay } from '#context/replay/replay.js';
import type { LiveBranch } from './branch.js';
import type { Live, LivePart } from './define.js';
import type { MessagesEvent, MessagesResult, Pi, PiContext, PiMessage } from './pi.js';
import { areSameMessages } from './pipeline/engine.js';

/**
 * Sends what the transforms of the branch say: the request is the replayed envelope, as `ctx show` prints it. A branch
 * without transforms is left to Pi, and not replayed.
 */
const transforms: LivePart = {
  name: 'transforms',
  install(pi, live) {
    pi.on('context_with_system', async (event, ctx) => {
      const settings = await live.settings(ctx);
      if (settings.transforms === 'off') return;
      const branch = await live.branch(ctx);
      if (!branch.hasTransforms) return;
      try {
        return sent(branch.replay(), event, { pi, live, ctx });
      } catch (error) {
        if (!(error instanceof CtxError)) throw error;
        const isStopped = settings.onBrokenTransform === 'stop';
        if (isStopped) ctx.abort();
        live.notice(ctx, brokenNotice(error, isStopped));
      }
    });
  },
};

export default transforms;

interface World {
  readonly pi: Pi;
  readonly live: Live;
  readonly ctx: PiContext;
}

function sent(replay: Replay, { messages }: MessagesEvent, world: World): MessagesResult {
  for (const [cause, text] of limitsOf(replay, messages, world))
    world.live.notice(world.ctx, { cause, text: `ctx: ${text}`, level: 'warning' });
  const { cached } = replay.content().messages;
  return { messages: [...systemOf(replay, messages), ...cached] };
}

/**
 * The prompt and the tools as one leading message, as Pi sends them for a conversation that an extension changed.
 * A session that does not record them leaves them to Pi.
 */
function systemOf(replay: Replay, messages: readonly PiMessage[]): readonly unknown[] {
  const system = messages.filter(({ role }) => role === 'system');
  const sources = replay.sources();
  if (sources.system !== 'recorded' || sources.tools !== 'recorded') return system;
  const { timestamp } = (system[0] ?? {}) as { readonly timestamp?: number };
  return [declaration(replay.declaredAsSent(), timestamp)];
}

/** The parts of the envelope that cannot take effect in Pi, each by its cause. */
function* limitsOf(
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
  if (!isSameAsJson(messages, ctx.sessionManager.buildSessionProjection().messages))
    yield ['extension', 'another extension changes requests; on a branch with transforms, its changes are not sent'];
}

function brokenNotice({ message, where }: CtxError, isStopped: boolean): Parameters<Live['notice']>[1] {
  const what = isStopped
    ? 'the request was stopped'
    : 'the request is sent as Pi has it, without the transforms of the branch';
  const detail = where === null ? message : `${message}: ${where}`;
  const text = `ctx: a transform is broken, so ${what}: ${detail}`;
  return { cause: `broken ${where ?? ''}`, text, level: 'warning' };
}

interface Requested {
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
export function requestOf({ branch, durable, content, messages, isStale }: Requested): MessagesResult | undefined {
  const { cached, uncached } = content.messages;
  const isDeclared = content.system === durable.system && content.tools === durable.tools;
  const isCached = isDeclared && areSameMessages(cached, durable.messages.cached);
  if (isCached && !isStale) return uncached.length === 0 ? undefined : { messages: [...messages, ...uncached] };
  const system = isDeclared ? systemOf(branch.replay(), messages) : [declaration(content)];
  return { messages: [...system, ...cached, ...uncached] };
}

function declaration({ system, tools }: Pick<EnvelopeContent, 'system' | 'tools'>, timestamp = 0): JsonObject {
  return { role: 'system', content: system.compiled, toolsAdded: tools, timestamp };
}

/** The transforms that leave out messages which hooks dropped, and which Pi keeps in its session. */
export function withoutDropped(dropped: readonly JsonObject[], branch: LiveBranch): readonly JsonObject[] {
  if (dropped.length === 0) return [];
  const texts = new Set(dropped.map((message) => JSON.stringify(message)));
  const { cached } = branch.replay().content().messages;
  const messages: readonly LlmMessage[] = cached.filter((message) => !texts.has(JSON.stringify(message)));
  if (messages.length === cached.length || messages.length === 0) return [];
  const invalidateCacheReason = 'a hook left out a message';
  const op = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason, messages };
  return [{ schemaVersion: 1, transformerName: 'message', patch: [op] }];
}
