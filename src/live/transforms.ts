import type { LivePart } from './define.js';

/** Sends what the transforms of the branch say. */
const transforms: LivePart = {
  name: 'transforms',
  install(pi, live) {
    pi.on('context_with_system', async (_event, ctx) => {
      const { transforms: setting } = await live.settings(ctx);
      if (setting === 'off') return;
      await live.branch(ctx);
    });
  },
};

export default transforms;
