/** An extension of real Pi: a provider that answers by a script and logs what it got, and commands that write entries. */
import { appendFileSync } from 'node:fs';
import {
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxToolCall,
  getCurrentSystemPrompt,
  getCurrentTools,
} from '@earendil-works/pi-ai';

const MODEL = { contextWindow: 200_000, maxTokens: 1000, input: ['text', 'image'] };
const FIRST_TIME = Date.parse('2026-01-01T00:00:00Z');

export default function provider(pi) {
  const faux = fauxProvider({
    provider: 'faux',
    models: [
      { id: 'faux-1', name: 'Faux', reasoning: true, ...MODEL },
      { id: 'faux-2', name: 'Other', reasoning: true, ...MODEL },
    ],
  });
  const answer = (context, options) => {
    // Pi loads extensions again with each session.
    const requests = (globalThis.liveRequests = (globalThis.liveRequests ?? 0) + 1);
    const responseId = `${process.pid}-${requests}`;
    const { messages } = context;
    const sent = {
      responseId,
      system: getCurrentSystemPrompt(messages) ?? '',
      tools: getCurrentTools(messages) ?? [],
      messages: messages.filter(({ role }) => role !== 'system'),
      reasoning: options?.reasoning ?? null,
    };
    // On a line of its own, even where a killed Pi left half of one.
    appendFileSync(process.env['LIVE_LOG'], `\n${JSON.stringify(sent)}\n`);
    return answerTo(context, { responseId, timestamp: FIRST_TIME + requests });
  };
  faux.setResponses(Array.from({ length: 500 }, () => answer));
  pi.registerProvider(faux.provider);

  const drafts = [];
  pi.on('turn_end', ({ entries }) => {
    const added = drafts.splice(0);
    return added.length > 0 ? { entries: [...entries, ...added] } : undefined;
  });
  pi.registerCommand('draft', {
    handler: (text) => Promise.resolve(void drafts.push(JSON.parse(text))),
  });
  pi.registerCommand('transform', {
    handler: (text) => Promise.resolve(pi.appendEntry('context_transform', JSON.parse(text))),
  });
  pi.registerCommand('tools', { handler: (names) => Promise.resolve(pi.setActiveTools(names.split(','))) });
  pi.registerCommand('goto', { handler: async (id, ctx) => void (await ctx.navigateTree(id)) });
}

/** Answers "run COMMAND & COMMAND" with a call of bash for each, "think" with a thought, and anything else with a text. */
function answerTo({ messages }, meta) {
  const last = messages.at(-1);
  const text = JSON.stringify(last?.role === 'user' ? last.content : '');
  const [, command] = /\brun ([^"\\]+)/.exec(text) ?? [];
  if (command !== undefined)
    return fauxAssistantMessage(
      command
        .split(' & ')
        .map((one, at) => fauxToolCall('bash', { command: one }, { id: `call-${meta.responseId}-${at}` })),
      { stopReason: 'toolUse', ...meta },
    );
  if (text.includes('think'))
    return fauxAssistantMessage([{ type: 'thinking', thinking: 'Hm.' }, fauxText('Thought.')], meta);
  return fauxAssistantMessage(`Answer ${meta.responseId}.`, meta);
}
