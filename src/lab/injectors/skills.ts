import { defineBuiltinInjector } from './define.js';

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
