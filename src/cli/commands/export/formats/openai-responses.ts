import type { JsonObject } from '#base/json.js';
import type { ToolDefinition } from '#context/replay/content.js';
import type { RequestFormat, RequestToExport } from './define.js';
import { effortFor, offEffort, thinkingOf } from './model-facts.js';
import { messagesOf, numberIn, payloadPieces, wellFormed } from './payload.js';
import { addressed, type Recipient } from './recipient.js';
import { responsesIds, responsesItems } from './responses-items.js';
import { strictSchema } from './strict-schema.js';
import { transformed } from './transformed.js';

export default {
  name: 'openai-responses',
  takes: 'request',
  isPayload: true,
  summary: 'what the Responses API of OpenAI is sent; it finds by itself what is cached',
  leavesOut: [
    'Headers, the cache key and whether the answer is streamed.',
    'max_output_tokens, where neither the session nor --max-tokens says it.',
    'To some models Pi sends changes of prompt, tools and thinking level within the conversation; here they stand at its head.',
    'Tools whose input follows a grammar are sent as functions.',
    'What other providers of this API want otherwise.',
  ],
  write,
} satisfies RequestFormat;

const DIALECT = {
  vendor: 'openai',
  apis: ['openai-responses', 'openai-codex-responses', 'azure-openai-responses'],
} as const;

/** The API refuses a limit that is lower. */
const LEAST_OUTPUT = 16;

function write(request: RequestToExport): ReturnType<RequestFormat['write']> {
  const { envelope } = request;
  const { recipient, problems } = addressed(request, DIALECT);
  const maxTokens = numberIn(envelope.options.maxTokens) ?? request.maxTokens;
  const system = wellFormed(envelope.system.compiled);
  const role = thinkingOf(recipient).thinks ? 'developer' : 'system';
  const items = responsesItems(transformed(messagesOf(envelope), recipient, responsesIds(recipient)), recipient);
  const payload = {
    model: recipient.model,
    input: [...(system === '' ? [] : [{ role, content: system }]), ...items.written],
    ...(envelope.tools.length === 0 ? {} : { tools: toolsOf(envelope.tools, recipient) }),
    max_output_tokens: maxTokens === undefined ? undefined : Math.max(maxTokens, LEAST_OUTPUT),
    temperature: numberIn(envelope.options.temperature),
    ...reasoningOf(recipient),
    store: false,
  };
  return { pieces: payloadPieces(payload), problems: [...problems, ...items.problems] };
}

/** Only some providers of this API support strict tools. */
const STRICT_PROVIDERS: ReadonlySet<string> = new Set(['openai', 'cloudflare-ai-gateway']);

function toolsOf(tools: readonly ToolDefinition[], { provider }: Recipient): readonly JsonObject[] {
  return tools.map((tool) => {
    const schema = STRICT_PROVIDERS.has(provider) ? strictSchema(tool) : null;
    return {
      type: 'function',
      name: tool.name,
      description: tool['description'],
      parameters: schema ?? tool['parameters'],
      strict: STRICT_PROVIDERS.has(provider) ? schema !== null : undefined,
    };
  });
}

function reasoningOf(recipient: Recipient): JsonObject {
  const facts = thinkingOf(recipient);
  if (!facts.thinks) return {};
  const effort = effortFor(facts, recipient.thinking);
  if (recipient.thinking !== 'off' && effort !== null)
    return { reasoning: { effort, summary: 'auto' }, include: ['reasoning.encrypted_content'] };
  const off = recipient.provider === 'github-copilot' ? null : offEffort(facts);
  return off === null ? {} : { reasoning: { effort: off } };
}
