import type { Live, LivePart } from '../define.js';
import type { PiContext } from '../pi.js';
import { RunningPipeline } from './running-pipeline.js';

/**
 * Runs the context engine and the hook modules of the settings on the requests of a running agent, in the order of the
 * proposal: replay, engine, `before_request`, `ephemeral`, the request, `message`, `turn_end`. A change that lasts is a
 * transform of the session; a change for one request is not written, except for messages that it adds.
 */
const pipeline: LivePart = {
  name: 'hooks',
  install(pi, live) {
    let running: Promise<RunningPipeline> | null = null;
    const close = async (): Promise<void> => {
      const open = running;
      running = null;
      await (await open)?.close();
    };
    const findPipeline = async (ctx: PiContext): Promise<RunningPipeline | null> => {
      const settings = await live.settings(ctx);
      if (settings.hooks.length === 0 && settings.engine === null) return null;
      if (settings.transforms === 'off') return noticeWithoutTransforms(live, ctx);
      return (running ??= RunningPipeline.start(pi, live, ctx, settings));
    };
    pi.on('session_start', close);
    pi.on('session_shutdown', close);
    pi.on('message_end', async ({ message }, ctx) => (await findPipeline(ctx))?.changeMessage(ctx, message));
    pi.on('context_with_system', async (event, ctx) => (await findPipeline(ctx))?.buildRequest(ctx, event));
    pi.on('session_before_compact', async ({ reason }, ctx) => (await findPipeline(ctx))?.compact(ctx, reason));
    pi.on('turn_end', async (event, ctx) => (await findPipeline(ctx))?.endTurn(ctx, event));
  },
};

export default pipeline;

/** Hooks and engines write transforms, which have no effect where none is sent. */
function noticeWithoutTransforms(live: Live, ctx: PiContext): null {
  const text = 'ctx: hooks and engines are off, since "transforms" is "off" in the configuration';
  live.notice(ctx, { cause: 'hooks', text, level: 'warning' });
  return null;
}
