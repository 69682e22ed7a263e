import { isObject, type JsonObject, listObjects } from '#base/json.js';

/** A request as Pi passes it to a provider: after all handlers of all extensions, and after its own changes. */
interface ProviderRequest {
  readonly messages: readonly JsonObject[];
  readonly reasoning: unknown;
  readonly sessionId: unknown;
}

type Listener = (request: ProviderRequest) => void;

/** Stays across reloads of the extension, so that a provider is wrapped once. */
const LISTENER = Symbol.for('pi-ctx.listener');

/** A provider of Pi whose method may be wrapped. */
interface WatchedProvider {
  streamSimple: (model: unknown, context: unknown, options: unknown) => unknown;
  [LISTENER]?: { listener: Listener };
}

/**
 * Calls a listener for each request of a provider, before it is sent; it replaces the listener before. Pi reads the
 * provider from its registry at each request, so the method is replaced in place. Returns false for an object without
 * such a method. The request is unchanged, and an error of the listener does not reach it.
 */
export function watchProvider(provider: object | undefined, listener: Listener): boolean {
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
