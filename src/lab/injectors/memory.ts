import { findBest } from './best-snippets.js';
import { defineBuiltinInjector } from './define.js';
import { formatList, PLAIN_STYLE } from './list-style.js';
import { listPoints } from './snippets.js';

export const memory = defineBuiltinInjector({
  name: 'memory',
  summary: 'Facts about the user: the best matching points of the memory files',
  phase: 'user-context',
  cache: 'session',
  priority: 10,
  maxTokens: 500,
  needs: 'files',
  top: 3,
  async inject({ query }, { texts, top }) {
    const points = listPoints(texts);
    if (points.length === 0) return null;
    const best = new Set([...(await findBest(points, query, top)), ...points]);
    const lines = [...best].slice(0, top).map(({ text }) => text);
    return { kind: 'text', heading: 'Facts about the user', text: formatList(lines, PLAIN_STYLE) };
  },
});
