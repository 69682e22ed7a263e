import { isObject, type JsonObject, listObjects } from '#base/json.js';
import type { LivePart, Notice } from './define.js';
import type { PiContext } from './pi.js';

/**
 * Records what was really sent: the hash of each request as its provider got it, and the difference from the request
 * that the session shows. Handlers of other extensions may run after ours, so the provider itself is watched.
 */
const recorder: LivePart = {
  name: 'recorder',
  install(pi, live) {
    /** The request that was built and not yet passed to a provider. */
    let waiting: { readonly ctx: PiContext; readonly signal: AbortSignal | undefined } | null = null;
    pi.on('context_with_system', async (_event, ctx) => {
      waiting = null;
      const { record } = await live.settings(ctx);
      if (record === 'off' || !ctx.model) return;
      const { recordRequest } = await import('./request-records.js');
      const branch = await live.branch(ctx);
      const isWatched = watchProvider(ctx.modelRegistry.getProvider(ctx.model.provider), (request) => {
        if (waiting?.ctx !== ctx || request.sessionId !== ctx.sessionManager.getSessionId()) return;
        waiting = null;
        try {
          const projected = listObjects(ctx.sessionManager.buildSessionProjection().messages);
          recordRequest(pi, branch, record, { ...request, projected });
        } catch (error) {
          live.notice(ctx, toFailedNotice((error as Error).message));
        }
      });
      if (isWatched) waiting = { ctx, signal: ctx.signal };
      else live.notice(ctx, toFailedNotice(`the provider ${ctx.model.provider} cannot be watched`));
    });
    pi.on('agent_end', (_event, ctx) => {
      if (waiting?.signal?.aborted === false)
        live.notice(ctx, toFailedNotice('another provider than that of the model got the request'));
      waiting = null;
    });
  },
};

export default recorder;

function toFailedNotice(why: string): Notice {
  return { cause: `recorder: ${why}`, text: `ctx: a request was not recorded: ${why}`, level: 'warning' };
}

/** A request as Pi passes it to a provider: after all handlers of all extensions, and after its own changes. */
interface ProviderRequest {
  readonly messages: readonly JsonObject[];
  readonly reasoning: unknown;
  readonly sessionId: unknown;
}

type Listener = (request: ProviderRequest) => void;

/** Stays across reloads of the extension, so that a provider is wrapped once. */
const LISTENER = Symbol.for('pi-ctx.listener');

interface WatchedProvider {
  streamSimple: (model: unknown, context: unknown, options: unknown) => unknown;
  [LISTENER]?: { listener: Listener };
}

/**
 * Calls a listener for each request of a provider, before it is sent; it replaces the listener before. Pi reads the
 * provider from its registry at each request, so the method is replaced in place. Returns false for an object without
 * such a method. The request is unchanged, and an error of the listener does not reach it.
 */
function watchProvider(provider: object | undefined, listener: Listener): boolean {
  if (!isWatchable(provider)) return false;
  const watched = provider[LISTENER];
  if (watched) {
    watched.listener = listener;
    return true;
  }
  const slot = { listener };
  const { streamSimple } = provider;
  provider[LISTENER] = slot;
  provider.streamSimple = function wrapped(model, context, options) {
    try {
      slot.listener(readRequest(context, options));
    } catch {
      // The request comes first.
    }
    return streamSimple.call(this, model, context, options);
  };
  return true;
}

function isWatchable(provider: object | undefined): provider is WatchedProvider {
  return (
    provider !== undefined &&
    'streamSimple' in provider &&
    typeof provider.streamSimple === 'function' &&
    !Object.isFrozen(provider)
  );
}

function readRequest(context: unknown, options: unknown): ProviderRequest {
  const { reasoning, sessionId } = isObject(options) ? options : {};
  return { messages: listObjects(isObject(context) ? context.messages : null), reasoning, sessionId };
}
