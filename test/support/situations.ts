import type { LlmMessage } from '#context/replay/content.js';
import { buildDefaultAssembly } from '#lab/injectors/assembly.js';
import type { ActiveInjector, InjectorContent, Situation, SourceText } from '#lab/injectors/define.js';
import { PLAIN_STYLE } from '#lab/injectors/list-style.js';
import { ConversationObserver, type ObservedConversation } from '#lab/injectors/observer.js';

/** A conversation in a few words: `user: …`, `assistant: …`, or a whole message. */
export type Said = string | LlmMessage;

export function messagesOf(...said: readonly Said[]): readonly LlmMessage[] {
  return said.map((each, at) => {
    if (typeof each !== 'string') return { timestamp: at, ...each };
    const [, role = 'user', text = ''] = /^(user|assistant): ([\s\S]*)$/.exec(each) ?? [];
    return {
      role: role as 'user' | 'assistant',
      content: [{ type: 'text', text }],
      timestamp: at,
      ...(role === 'assistant' ? { stopReason: 'stop' } : {}),
    };
  });
}

export function calls(id: string, name: string, args: object): LlmMessage {
  const content = [{ type: 'toolCall', id, name, arguments: args }];
  return { role: 'assistant', content, stopReason: 'toolUse' };
}

export function gives(toolCallId: string, toolName: string, text: string, isError = false): LlmMessage {
  return { role: 'toolResult', toolCallId, toolName, content: [{ type: 'text', text }], isError };
}

export function observedOf(...said: readonly Said[]): ObservedConversation {
  const observer = new ConversationObserver();
  for (const message of messagesOf(...said)) observer.add(message);
  return observer.conversation();
}

export function situation(given: Partial<Situation> = {}): Situation {
  const observed = given.observed ?? observedOf();
  return { parts: [], tools: [], messages: [], observed, query: observed.firstAsked, style: PLAIN_STYLE, ...given };
}

/** A built-in injector with other settings. */
export function seat(
  name: string,
  given: Partial<ActiveInjector['placement']> & { texts?: readonly SourceText[]; top?: number } = {},
): ActiveInjector {
  const found = buildDefaultAssembly().injectors.find(({ injector }) => injector.name === name);
  if (!found) throw new Error(`no injector ${name}`);
  const { texts = [], top = found.settings.top, ...placement } = given;
  return { ...found, placement: { ...found.placement, ...placement }, settings: { texts, top } };
}

/** The text that an injector has to say; null for none. */
export async function textBy(
  name: string,
  at: Situation,
  settings: Parameters<typeof seat>[1] = {},
): Promise<string | null> {
  const { injector, placement, settings: own } = seat(name, settings);
  const { maxTokens } = placement;
  const content: InjectorContent | null = await injector.inject(at, { ...own, maxTokens });
  return content?.kind === 'text' ? content.text : null;
}
