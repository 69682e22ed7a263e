import { asObject, type JsonObject, listObjects } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';
import { readContentText } from './content-text.js';

/** One system message that joins all of them, or null if there is none. Pi's `getCurrentSystemMessage`. */
export function joinSystemMessages(messages: readonly StoredMessage[]): JsonObject | null {
  const all = messages.filter(({ role }) => role === 'system');
  const [first] = all;
  if (!first) return null;
  const texts = all.map(({ content }) => readContentText(content)).filter((text) => text !== '');
  const sections = new Map<string, unknown>();
  const tools = new Map<unknown, JsonObject>();
  for (const message of all) {
    for (const [name, text] of Object.entries(asObject(message.sections))) {
      if (text === null) sections.delete(name);
      else sections.set(name, text);
    }
    for (const { name } of listObjects(message.toolsRemoved)) tools.delete(name);
    for (const tool of listObjects(message.toolsAdded)) tools.set(tool.name, tool);
  }
  return {
    role: 'system',
    content: texts.join('\n\n'),
    ...(sections.size > 0 ? { sections: Object.fromEntries(sections) } : {}),
    ...(tools.size > 0 ? { toolsAdded: [...tools.values()] } : {}),
    timestamp: first.timestamp ?? 0,
  };
}
