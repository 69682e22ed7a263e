import { defineInjector } from './define.js';

export default defineInjector({
  name: 'skills',
  summary: 'The instructions of the skills that the conversation has taken up',
  help:
    'A skill is taken up when its `SKILL.md` is read, or when the user names it with `/skill:name`. The one that was taken ' +
    'up last comes first, so that an older one is cut where the budget is short.',
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
