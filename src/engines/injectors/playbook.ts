import { defineInjector } from './define.js';
import { sectionsIn } from './snippets.js';

export default defineInjector({
  name: 'playbook',
  summary: 'The best matching strategy of the playbook files',
  help:
    'Each section of the files is a strategy. The section that best matches the first prompt of the session is added, and ' +
    'none if no word matches.',
  phase: 'user-context',
  cache: 'session',
  priority: 30,
  maxTokens: 300,
  needs: 'files',
  top: 1,
  async inject({ query }, { texts, top }) {
    const { bestOf } = await import('./rank.js');
    const found = bestOf(sectionsIn(texts), query, top);
    if (found.length === 0) return null;
    const shown = found.map(({ heading, text }) => (heading === '' ? text : `${heading}:\n${text}`));
    return { kind: 'text', heading: 'Suggested approach', text: shown.join('\n\n') };
  },
});
