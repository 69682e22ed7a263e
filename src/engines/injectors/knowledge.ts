import { defineInjector, listed, PLAIN_STYLE } from './define.js';
import { pointsIn, sectionsIn, bestOf } from './snippets.js';

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
    const found = await bestOf(sectionsIn(texts), query, top);
    if (found.length === 0) return null;
    const shown = found.map(
      ({ path, heading, text }) => `From ${path}${heading === '' ? '' : `, ${heading}`}:\n${text}`,
    );
    return { kind: 'text', heading: 'From the documents', text: shown.join('\n\n') };
  },
});

export const playbook = defineInjector({
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
    const found = await bestOf(sectionsIn(texts), query, top);
    if (found.length === 0) return null;
    const shown = found.map(({ heading, text }) => (heading === '' ? text : `${heading}:\n${text}`));
    return { kind: 'text', heading: 'Suggested approach', text: shown.join('\n\n') };
  },
});

export const memory = defineInjector({
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
    const best = new Set([...(await bestOf(points, query, top)), ...points]);
    const lines = [...best].slice(0, top).map(({ text }) => text);
    return { kind: 'text', heading: 'Facts about the user', text: listed(lines, PLAIN_STYLE) };
  },
});

export const skillTexts = defineInjector({
  name: 'skills',
  summary: 'The instructions of the skills in use',
  help:
    'A skill is in use once its `SKILL.md` is read, or the user names it with `/skill:name`. The most recently used ' +
    'skill comes first, so that a small budget truncates an older one.',
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
