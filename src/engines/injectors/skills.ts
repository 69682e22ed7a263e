import { defineInjector } from './define.js';

export default defineInjector({
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
