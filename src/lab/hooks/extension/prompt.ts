import { isObject, type JsonObject, listObjects } from '#base/json.js';
import { readContentText } from '#change/compact/content-text.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { HookedPath } from '../hooked-path.js';
import { ignoreAnswer, readAnswerMembers, type StockHandlers } from './stock-handlers.js';

/** The changes that handlers make at a prompt. */
interface PromptChanges {
  /** Messages of the handlers, after the prompt. */
  readonly messages: readonly EntryBody[];
  /** The system prompt that they force until the run ends; null: none. */
  readonly systemPrompt: string | null;
}

/** Runs the handlers of `before_agent_start` for a prompt. */
export async function runPrompt(handlers: StockHandlers, content: unknown): Promise<PromptChanges> {
  const messages: EntryBody[] = [];
  let forced: string | null = null;
  await handlers.emit('before_agent_start', {
    make: () => buildPromptEvent(handlers.hooked, content, forced),
    take(answer) {
      const { message, systemPrompt } = readAnswerMembers(answer);
      const changes: string[] = [];
      if (isObject(message)) {
        messages.push({ type: 'custom_message', display: false, content: '', ...message });
        changes.push('adds a message');
      }
      if (typeof systemPrompt === 'string') {
        forced = systemPrompt;
        changes.push('replaces the system prompt');
      }
      const outcome = changes.length > 0 ? 'changed' : 'unchanged';
      if (answer.event !== undefined) changes.push('changes systemPromptOptions, which has no effect offline');
      return changes.length === 0 ? ignoreAnswer(answer) : { outcome, what: changes.join('; ') };
    },
  });
  return { messages, systemPrompt: forced };
}

/** The event for a prompt. Sections and snippets of the prompt are not recorded. */
function buildPromptEvent(hooked: HookedPath, content: unknown, forced: string | null): JsonObject {
  const { system, tools } = hooked.content();
  const images = listObjects(content).filter(({ type }) => type === 'image');
  return {
    type: 'before_agent_start',
    messageType: 'user',
    prompt: readContentText(content),
    // Pi leaves it out of an event without pictures.
    images: images.length === 0 ? undefined : images,
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
