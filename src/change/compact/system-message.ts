import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { AgentMessage } from '#context/replay/convert.js';

/** One system message that says what all of them say together, null where there is none. Pi's `getCurrentSystemMessage`. */
export function currentSystemMessage(messages: readonly AgentMessage[]): JsonObject | null {
  const all = messages.filter(({ role }) => role === 'system');
  const [first] = all;
  if (!first) return null;
  const texts = all.map(({ content }) => textOf(content)).filter((text) => text !== '');
  const sections = new Map<string, unknown>();
  const tools = new Map<unknown, JsonObject>();
  for (const message of all) {
    for (const [name, text] of Object.entries(isObject(message['sections']) ? message['sections'] : {})) {
      if (text === null) sections.delete(name);
      else sections.set(name, text);
    }
    for (const { name } of objectsIn(message['toolsRemoved'])) tools.delete(name);
    for (const tool of objectsIn(message['toolsAdded'])) tools.set(tool['name'], tool);
  }
  return {
    role: 'system',
    content: texts.join('\n\n'),
    ...(sections.size > 0 ? { sections: Object.fromEntries(sections) } : {}),
    ...(tools.size > 0 ? { toolsAdded: [...tools.values()] } : {}),
    timestamp: first['timestamp'] ?? 0,
  };
}

/** The texts of a message's content. Pi's `contentText`. */
export function textOf(content: unknown, separator = '\n'): string {
  if (typeof content === 'string') return content;
  const blocks = objectsIn(content).filter(({ type }) => type === 'text');
  return blocks.map(({ text }) => asString(text) ?? '').join(separator);
}
