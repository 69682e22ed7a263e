import { expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import { buildRequestMeta } from '#lab/hooks/request-meta.js';
import { activePath } from '#session/tree/tree.js';
import { bytes, entry, HEADER, lines, user } from '../../support/entries.js';

it('a hook gets the model of the session where oh-my-pi chose another one for a role', async () => {
  const session = await openSession(
    bytes(
      lines(
        HEADER,
        entry('model_change', 'm1', null, { model: 'moonshot/kimi-k2' }),
        entry('model_change', 'm2', 'm1', { model: 'anthropic/claude-haiku-4-5', role: 'smol' }),
        user('u1', 'm2'),
      ),
    ),
  );
  expect(session.agent?.name).toBe('oh-my-pi');
  const path = activePath(session.tree);
  expect(buildRequestMeta({ session, path, end: path.length, turns: 1, requests: 0 }, {})).toMatchObject({
    model: { provider: 'moonshot', modelId: 'kimi-k2' },
  });
});
