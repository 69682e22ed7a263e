import { findBest } from './best-snippets.js';
import { defineBuiltinInjector, type Injector } from './define.js';
import { type Snippet, splitSections } from './snippets.js';

export const knowledge = defineBuiltinInjector({
  name: 'knowledge',
  summary: 'The sections of the knowledge files that match the task, with their paths',
  phase: 'user-context',
  cache: 'session',
  priority: 20,
  maxTokens: 800,
  needs: 'files',
  top: 3,
  inject: findBestSections('From the documents', ({ path, heading, text }) => {
    return `From ${path}${heading === '' ? '' : `, ${heading}`}:\n${text}`;
  }),
});

export const playbook = defineBuiltinInjector({
  name: 'playbook',
  summary: 'The best matching strategy of the playbook files',
  phase: 'user-context',
  cache: 'session',
  priority: 30,
  maxTokens: 300,
  needs: 'files',
  top: 1,
  inject: findBestSections('Suggested approach', ({ heading, text }) =>
    heading === '' ? text : `${heading}:\n${text}`,
  ),
});

function findBestSections(title: string, shown: (section: Snippet) => string): Injector['inject'] {
  return async ({ query }, { texts, top }) => {
    const found = await findBest(splitSections(texts), query, top);
    return found.length === 0 ? null : { kind: 'text', heading: title, text: found.map(shown).join('\n\n') };
  };
}
