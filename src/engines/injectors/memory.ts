import { defineInjector } from './define.js';
import { pointsIn } from './snippets.js';
import { listed, PLAIN_STYLE } from './variation.js';

export default defineInjector({
  name: 'memory',
  summary: 'What is known of the user: the points of the memory files that fit best',
  help:
    'Each item of a list and each paragraph of the files is a point. Those that speak of what the session began with come ' +
    'first, best first; where there are fewer than `top` of them, the first ones of the files follow, since a preference ' +
    'holds whatever is asked for.',
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
    return { kind: 'text', heading: 'What is known of the user', text: listed(lines, PLAIN_STYLE) };
  },
});
