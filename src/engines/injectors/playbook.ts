import { defineInjector } from './define.js';
import { sectionsIn } from './snippets.js';

export default defineInjector({
  name: 'playbook',
  summary: 'The strategy of the playbook files that fits best',
  help:
    'Each section of the files is a strategy. The one whose words fit best to what the session began with is shown, and ' +
    'none where no word fits.',
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
    return { kind: 'text', heading: 'How to go about it', text: shown.join('\n\n') };
  },
});
