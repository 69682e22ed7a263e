// What real Pi would send to providers: one JSON line for each line read from stdin, with the parts of the payload hashed.
//
//   echo '{"file":"s.jsonl","index":null,"provider":"openai","api":"openai-responses","model":"gpt-5.1","thinking":"off",
//     "facts":{"thinks":true,"thinksByEffort":false,"efforts":[["off","none"]]}}' |
//     node payloads.mjs [--full]
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sortedText } from './judge.mjs';
import { importApi, MODELS } from './pi-ai.mjs';

const core = new URL('./node_modules/@earendil-works/pi-coding-agent/dist/core/', import.meta.url);
const { SessionManager, buildSessionContext } = await import(new URL('session-manager.js', core).href);
const { convertToLlm } = await import(new URL('messages.js', core).href);

/** What is not compared: changes within the conversation, which only some models are sent, and tools with a grammar. */
const LEFT_OUT = [
  'allowedFallbackModels',
  'supportsAdditionalTools',
  'supportsExplicitPromptCacheMode',
  'supportsMidConvoEffort',
  'supportsMidConvoSystemMessages',
  'supportsMidConvoToolAdditions',
  'supportsMidConvoToolChanges',
  'supportsOpenAIGrammarTools',
  'supportsToolSearch',
];

/** A model that Pi does not list for the API is one of the facts that ours was made with. */
function modelOf({ provider, api, model, facts }) {
  const known = MODELS[provider]?.find((one) => one.id === model && one.api === api);
  if (known) {
    const compat = { ...known.compat };
    for (const name of LEFT_OUT) delete compat[name];
    return { ...known, compat, input: ['text', 'image'] };
  }
  const isOpenAi = provider === 'openai';
  const isCopilot = provider === 'github-copilot';
  const sibling = api === 'openai-completions' && MODELS[provider]?.find((one) => one.api === api);
  return {
    id: model,
    name: model,
    provider,
    api,
    baseUrl: sibling?.baseUrl ?? (isOpenAi ? 'https://api.openai.com/v1' : 'http://localhost'),
    reasoning: facts.thinks,
    thinkingLevelMap: Object.fromEntries(facts.efforts),
    input: ['text', 'image'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 1_000_000,
    maxTokens: 32_000,
    compat: {
      ...sibling?.compat,
      ...((isOpenAi || isCopilot) && { supportsStrictMode: true }),
      ...((provider === 'anthropic' || isCopilot) && { supportsStrictTools: true }),
      ...(facts.thinksByEffort && { forceAdaptiveThinking: true }),
    },
  };
}

/** Stops a request before it leaves. */
class Stop extends Error {}

async function payloadOf(asked, session) {
  const entries = session.getEntries();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const id = asked.index === null ? session.getLeafId() : entries[asked.index].id;
  const messages = convertToLlm(buildSessionContext(entries, id, byId).messages);
  const { streamSimple } = await importApi(asked.api);
  let payload;
  const onPayload = (params) => {
    payload = params;
    throw new Stop();
  };
  const reasoning = asked.thinking === 'off' ? undefined : asked.thinking;
  const stream = streamSimple(modelOf(asked), { messages }, { apiKey: 'sk-none', reasoning, onPayload });
  for await (const event of stream) if (event.type === 'error' && !payload) throw new Error(event.error.errorMessage);
  return JSON.parse(JSON.stringify(payload));
}

const PARTS = {
  'anthropic-messages': ['model', 'system', 'tools', 'messages', 'thinking', 'output_config'],
  'openai-responses': ['model', 'input', 'tools', 'reasoning', 'include', 'store'],
  'openai-completions': ['model', 'messages', 'tools', 'reasoning_effort', 'reasoning', 'store'],
};

async function judged(asked, session, isFull) {
  try {
    const payload = await payloadOf(asked, session);
    const parts = PARTS[asked.api].filter((name) => payload[name] !== undefined);
    return Object.fromEntries(parts.map((name) => [name, isFull ? payload[name] : sha256(sortedText(payload[name]))]));
  } catch (error) {
    return { error: error.message };
  }
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

const directory = mkdtempSync(join(tmpdir(), 'pi-payloads-'));
let opened = { file: null, session: null };
try {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line === '') continue;
    const asked = JSON.parse(line);
    if (opened.file !== asked.file) {
      const copy = join(directory, 'session.jsonl');
      copyFileSync(asked.file, copy);
      opened = { file: asked.file, session: SessionManager.open(copy) };
    }
    const result = await judged(asked, opened.session, process.argv.includes('--full'));
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
