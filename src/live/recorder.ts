import type { Live, LivePart } from './define.js';
import type { PiContext } from './pi.js';
import { watchProvider } from './watched-provider.js';

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
      const { RequestRecords } = await import('./recording.js');
      const recording = new RequestRecords(pi, await live.branch(ctx), record);
      const isWatched = watchProvider(ctx.modelRegistry.getProvider(ctx.model.provider), (request) => {
        if (waiting?.ctx !== ctx || request.sessionId !== ctx.sessionManager.getSessionId()) return;
        waiting = null;
        try {
          recording.take(request.messages, request.reasoning);
        } catch (error) {
          live.notice(ctx, failed((error as Error).message));
        }
      });
      if (isWatched) waiting = { ctx, signal: ctx.signal };
      else live.notice(ctx, failed(`the provider ${ctx.model.provider} cannot be watched`));
    });
    pi.on('agent_end', (_event, ctx) => {
      if (waiting?.signal?.aborted === false)
        live.notice(ctx, failed('another provider than that of the model got the request'));
      waiting = null;
    });
  },
};

export default recorder;

function failed(why: string): Parameters<Live['notice']>[1] {
  return { cause: `recorder: ${why}`, text: `ctx: a request was not recorded: ${why}`, level: 'warning' };
}
