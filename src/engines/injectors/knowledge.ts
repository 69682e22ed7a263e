import { defineInjector } from './define.js';
import { sectionsIn } from './snippets.js';

export default defineInjector({
  name: 'knowledge',
  summary: 'The sections of the knowledge files that speak of what was asked for, with their paths',
  help:
    'The files are looked through section by section, a long one in pieces of whole paragraphs, and ranked by their words ' +
    '(BM25) against what the session began with; what a heading or a path says counts more. Files in which none of the ' +
    'words stands add nothing. The best one comes first and is cut last.',
  phase: 'user-context',
  cache: 'session',
  priority: 20,
  maxTokens: 800,
  needs: 'files',
  top: 3,
  async inject({ query }, { texts, top }) {
    const { bestOf } = await import('./rank.js');
    const found = bestOf(sectionsIn(texts), query, top);
    if (found.length === 0) return null;
    const shown = found.map(
      ({ path, heading, text }) => `From ${path}${heading === '' ? '' : `, ${heading}`}:\n${text}`,
    );
    return { kind: 'text', heading: 'What the documents say', text: shown.join('\n\n') };
  },
});
