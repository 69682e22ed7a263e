import { defineInjector } from './define.js';
import { pointsIn } from './snippets.js';
import { listed, PLAIN_STYLE } from './variation.js';

export default defineInjector({
  name: 'memory',
  summary: 'Facts about the user: the best matching points of the memory files',
  help:
    'Each list item and each paragraph of the files is a point. Points that match the first prompt of the session come ' +
    'first, best first. If there are fewer than `top` of them, the first points of the files follow, because a preference ' +
    'applies to every task.',
  phase: 'user-context',
  cache: 'session',
  priority: 10,
  maxTokens: 500,
  needs: 'files',
  top: 3,
  async inject({ query }, { texts, top }) {
    const points = pointsIn(texts);
    if (points.length === 0) return null;
    const { bestOf } = await import('./rank.js');
    const best = new Set([...bestOf(points, query, top), ...points]);
    const lines = [...best].slice(0, top).map(({ text }) => text);
    return { kind: 'text', heading: 'Facts about the user', text: listed(lines, PLAIN_STYLE) };
  },
});
