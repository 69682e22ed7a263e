import { asString, isObject } from '#base/json.js';
import { formatCount } from '#base/numbers.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { readOutputReserve } from '#context/request/output-reserve.js';
import { isAnswer } from '#session/heads/answer.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { ANSWERED, assistant, HEADER, system, textContent, toolCall, toolResult, user } from '../example.js';
import {
  type AnswerModel,
  isBlankContent,
  locateEntry,
  PendingHits,
  toContentList,
  usesAnthropicApi,
} from './message.js';

export const emptyContent = defineRule({
  name: 'empty-content',
  severity: 'note',
  summary: 'A user message or an answer is empty',
  help:
    'Providers reject messages and text blocks without content. Pi omits an empty answer from the request. It omits ' +
    'an empty user message for Anthropic and sends it to other providers, some of which reject it.\n\n' +
    'Omit the message with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, ...ANSWERED, user('u2', 'a1', [{ type: 'text', text: ' ' }])],
    silent: [HEADER, ...ANSWERED],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      if (message.role === 'toolResult' || isFailedAnswer(message) || saysSomething(message)) return [];
      const what = message.role === 'assistant' ? 'the answer' : 'the message';
      return [
        { message: `${what} has no content`, at: locateEntry(from), fix: `omit ${what} with a \`context_edit\`` },
      ];
    },
  }),
});

function saysSomething({ content }: LlmMessage): boolean {
  return typeof content === 'string' ? !isBlankContent(content) : toContentList(content).some(isSent);
}

function isSent(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block['type'] === 'text') return !isBlankContent(block['text']);
  return block['type'] !== 'thinking' || Boolean(block['thinkingSignature']) || !isBlankContent(block['thinking']);
}

const ASKED = [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [toolCall('c1')])];

export const emptyToolResult = defineRule({
  name: 'empty-tool-result',
  severity: 'error',
  summary: 'A tool result is empty where Anthropic requires content',
  help:
    'Anthropic rejects an error result without text, and a result with an image and an empty text block. Pi sends ' +
    'both unchanged, so every further request fails. This is reported if the newest answer comes from Anthropic; ' +
    'other providers accept such results.\n\n' +
    'Give the result a text with a `context_edit`, such as "The tool failed without a message".',
  example: {
    fires: [...ASKED, toolResult('r1', 'a1', 'c1', '', { isError: true })],
    silent: [...ASKED, toolResult('r1', 'a1', 'c1', 'No such file.', { isError: true })],
  },
  looksAt: 'request',
  watch() {
    const due = new PendingHits();
    return {
      see({ message, from }) {
        if (isAnswer(message)) due.answer(message);
        const fault = message.role === 'toolResult' ? faultOf(message) : null;
        if (fault !== null)
          due.add(ANY, { message: fault, at: locateEntry(from), fix: 'give the result a text with a `context_edit`' });
        return [];
      },
      end: () => due.ofAny(usesAnthropicApi),
    };
  },
});

/** Results do not depend on the model. */
const ANY: AnswerModel = { provider: null, api: null, model: null };

function faultOf({ content, isError }: LlmMessage): string | null {
  let hasText = false;
  let hasEmptyText = false;
  let hasImage = false;
  for (const block of toContentList(content)) {
    if (!isObject(block)) continue;
    if (block['type'] === 'image') hasImage = true;
    else if (isBlankContent(block['text'])) hasEmptyText = true;
    else hasText = true;
  }
  if (isError)
    return hasText || hasImage || isText(content) ? null : 'the error result has no text, which Anthropic rejects';
  return hasImage && hasEmptyText ? 'the result has an image and an empty text, which Anthropic rejects' : null;
}

function isText(content: unknown): boolean {
  return typeof content === 'string' && !isBlankContent(content);
}

const QUESTION = user('u1', null, 'What is in here?');

export const errorInContext = defineRule({
  name: 'error-in-context',
  severity: 'note',
  summary: 'A failed or aborted answer is kept, but not sent',
  help:
    'Pi keeps an answer that ended in an error or was aborted by the user, and omits it from every request, ' +
    'including its partial text. Commands that show the context show it, and token estimates count it.\n\n' +
    'No action is needed. A `context_edit` whose `replacement` is null removes it for every program.',
  example: {
    fires: [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [textContent('A READ')], { stopReason: 'error', errorMessage: '529 overloaded' }),
    ],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [textContent('A README.')])],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      if (!isFailedAnswer(message)) return [];
      const error = asString(message['errorMessage']);
      const what = message['stopReason'] === 'aborted' ? 'the answer was aborted' : 'the answer failed';
      return [
        {
          message: `${what}${error === null ? '' : ` (${quoteValue(error)})`}, so Pi does not send it`,
          at: locateEntry(from),
        },
      ];
    },
  }),
});

const REFUSED =
  "400 This model's maximum context length is 128000 tokens. However, you requested 132000 tokens (100000 in the " +
  'messages, 32000 in the completion).';

export const outputReserve = defineRule({
  name: 'output-reserve',
  severity: 'warning',
  summary: 'A request was refused because the tokens reserved for the answer did not fit',
  help:
    'A request reserves tokens for its answer, up to the output limit of the model. Some providers refuse a request ' +
    'whose prompt fits into the context window, but not together with this reserve. Every later request is refused ' +
    'as well, since the prompt does not get smaller.\n\n' +
    'Set a lower `maxTokens` for the model, or compact before the prompt exceeds the window without the reserve: for ' +
    'Pi, `reserveTokens` at least as high as the reserve.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [], { stopReason: 'error', errorMessage: REFUSED })],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [], { stopReason: 'error', errorMessage: '529 overloaded' })],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      const refused = isFailedAnswer(message) ? readOutputReserve(message) : null;
      if (refused === null) return [];
      const { input, output, window } = refused;
      const sizes = `${formatCount(input)} tokens of the prompt and ${formatCount(output)} reserved for the answer`;
      return [
        {
          message: `the request was refused: ${sizes} exceed the window of ${formatCount(window)}`,
          at: locateEntry(from),
          fix: `set a lower "maxTokens" of the model, or compact above ${formatCount(Math.max(0, window - output))} tokens`,
        },
      ];
    },
  }),
});

const GREETING = [textContent('How can I help?')];

export const roleOrder = defineRule({
  name: 'role-order',
  severity: 'warning',
  summary: 'The first message of a request is not from the user',
  help:
    'Amazon Bedrock and other providers of Claude and Gemini reject a conversation that does not begin with the ' +
    'user; Anthropic and OpenAI accept it. An edit or a transform removed the question, or the session begins in ' +
    'the middle, at an entry whose parent is missing. Consecutive messages of the same role are not a problem: Pi ' +
    'and the providers merge them.\n\n' +
    'Omit the answers before the first user message with `context_edit` entries, or compact.',
  example: {
    fires: [HEADER, assistant('a1', null, GREETING), user('u1', 'a1', 'What is in here?')],
    silent: [HEADER, user('u1', null, 'Hello.'), assistant('a1', 'u1', GREETING)],
  },
  looksAt: 'request',
  watch() {
    let hasBegun = false;
    return {
      see({ message, from }) {
        if (hasBegun || isFailedAnswer(message)) return [];
        hasBegun = true;
        if (message.role !== 'assistant') return [];
        return [
          {
            message: 'the request begins with an answer',
            at: locateEntry(from),
            fix: 'omit the answer with a `context_edit`, or compact',
          },
        ];
      },
    };
  },
});

const READ = { name: 'read', description: 'Read a file', parameters: {} };

export const toolNotDefined = defineRule({
  name: 'tool-not-defined',
  severity: 'note',
  summary: 'A call in the context uses a tool that is no longer declared',
  help:
    'The tool of this call is not among the tools that the session records. Providers accept that, but if the model ' +
    'calls it again, it gets an error. The tool was removed or renamed, or its extension was disabled.\n\n' +
    'Declare the tool again, or omit its calls and results.',
  example: { fires: called('grep'), silent: called('read') },
  looksAt: 'envelope',
  find({ tools, messages: { cached }, meta: { provenance, sources } }) {
    if (sources.tools !== 'recorded' || tools.length === 0) return [];
    const known = new Set(tools.map(({ name }) => name));
    const hits: Hit[] = [];
    for (const [at, message] of cached.entries()) {
      if (message.role !== 'assistant' || isFailedAnswer(message)) continue;
      for (const block of toContentList(message['content'])) {
        const name = isObject(block) && block['type'] === 'toolCall' ? asString(block['name']) : null;
        if (name === null || known.has(name)) continue;
        known.add(name);
        const from = provenance[at];
        const what = `the tool ${quoteValue(name)} is called here, but is not declared`;
        hits.push({ message: what, ...(from && { at: locateEntry(from) }) });
      }
    }
    return hits;
  },
});

function called(name: string): readonly ReturnType<typeof user>[] {
  return [
    HEADER,
    system('s1', null, { toolsAdded: [READ] }),
    user('u1', 's1', 'What is in here?'),
    assistant('a1', 'u1', [toolCall('c1', name)]),
    toolResult('r1', 'a1', 'c1'),
  ];
}
