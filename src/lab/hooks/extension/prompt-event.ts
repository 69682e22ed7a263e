import { type JsonObject, listObjects } from '#base/json.js';
import { readContentText } from '#change/compact/content-text.js';
import type { HookedPath } from '../hooked-path.js';

/** The `before_agent_start` event for a prompt. Sections and snippets of the prompt are not recorded. */
export function buildPromptEvent(hooked: HookedPath, content: unknown, forced: string | null): JsonObject {
  const { system, tools } = hooked.content();
  const images = listObjects(content).filter(({ type }) => type === 'image');
  return {
    type: 'before_agent_start',
    messageType: 'user',
    prompt: readContentText(content),
    ...(images.length === 0 ? {} : { images }),
    systemPrompt: forced ?? system.compiled,
    systemPromptOptions: {
      cwd: hooked.session.header.cwd,
      selectedTools: tools.map(({ name }) => name),
      hiddenTools: [],
      toolSnippets: {},
      toolGuidelines: {},
      promptGuidelines: [],
      sections: {},
      contextFiles: [],
      skills: [],
    },
  };
}
