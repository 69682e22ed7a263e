import { findBest } from './best-snippets.js';
import { defineBuiltinInjector, type Injector } from './define.js';
import { formatList, PLAIN_STYLE } from './list-style.js';
import { listPoints, type Snippet, splitSections } from './snippets.js';

export default defineBuiltinInjector({
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

export const skillTexts = defineBuiltinInjector({
  name: 'skills',
  summary: 'The instructions of the skills in use',
  phase: 'system',
  cache: 'stable',
  priority: 30,
  maxTokens: 1000,
  inject({ observed: { skills } }) {
    if (skills.length === 0) return null;
    const texts = skills.toReversed().map(({ name, instructions }) => `## ${name}\n${instructions.trim()}`);
    return { kind: 'text', heading: 'Skills in use', text: texts.join('\n\n') };
  },
});
