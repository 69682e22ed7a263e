import { defineInjector } from './define.js';
import { sectionsIn } from './snippets.js';

export default defineInjector({
  name: 'knowledge',
  summary: 'The sections of the knowledge files that match the task, with their paths',
  help:
    'The files are split into sections, and long sections into pieces of whole paragraphs. Sections are ranked by BM25 ' +
    'against the first prompt of the session. Words in headings and paths count more. Files that contain none of the ' +
    'words are omitted. The best section comes first and is truncated last.',
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
    return { kind: 'text', heading: 'From the documents', text: shown.join('\n\n') };
  },
});
