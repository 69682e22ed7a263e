import { listObjects } from '#base/json.js';
import type { LivePart, Notice } from './define.js';
import type { PiContext } from './pi.js';
import { watchProvider } from './watch-provider.js';

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
