import { estimateTokens } from '#change/compact/estimate.js';
import { serializeConversation } from '#change/compact/summarizers/prompts.js';
import { joinSystemMessages } from '#change/compact/system-message.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { applySystemMessage } from '#context/replay/system-messages.js';
import { findAgentFolder } from '#session/agents/pi-folders.js';
import type { StoredMessage } from '#session/entry.js';
import { createStandIn } from './stand-in.js';
import type { UnsupportedCalls } from './unsupported-calls.js';

/**
 * The modules that an extension may import wherever it is. Pi gives extensions its own packages; here their helpers for
 * messages work, and everything else is a stand-in: Pi's package needs a newer Node.js, and no tool or screen runs.
 */
export function buildPiPackages(
  notRun: UnsupportedCalls,
  isInstalled: (name: string) => boolean,
): Readonly<Record<string, unknown>> {
  const onCall = (name: string): void => notRun.noteCall(name);
  const packages: Record<string, unknown> = {};
  for (const scope of PI_SCOPES) {
    for (const [name, helpers] of Object.entries(PI_PACKAGES))
      packages[`${scope}/${name}`] = createStandIn(name, onCall, { ...helpers });
  }
  for (const name of SCHEMA_PACKAGES) {
    if (!isInstalled(name)) packages[name] = createStandIn(name, onCall);
  }
  return { ...packages, ...CTX_PACKAGES };
}

type Messages = readonly StoredMessage[];

function isSystem({ role }: StoredMessage): boolean {
  return role === 'system';
}

function joinSystem(messages: Messages): object | undefined {
  return joinSystemMessages(messages) ?? undefined;
}

function replaySystem(messages: Messages): EnvelopeContent {
  return messages.filter(isSystem).reduce<EnvelopeContent>(applySystemMessage, EMPTY_ENVELOPE);
}

/** The helpers of `pi-ai` for a transcript with system messages. */
const AI_HELPERS = {
  getCurrentSystemMessage: joinSystem,
  getCurrentSystemPrompt: (messages: Messages) => replaySystem(messages).system.compiled,
  getCurrentTools: (messages: Messages) => replaySystem(messages).tools,
  getInitialSystemMessage: (messages: Messages) => messages.slice(0, 1).find(isSystem),
  collapseSystemMessages({ messages }: { readonly messages: Messages }) {
    const system = joinSystem(messages);
    const others = messages.filter((message) => !isSystem(message));
    return { messages: system ? [system, ...others] : others };
  },
};

interface ToolEvent {
  readonly toolName?: unknown;
}

/** The test for results of a tool, such as `isBashToolResult`. */
function buildToolTest(name: string): (event: ToolEvent) => boolean {
  return ({ toolName }) => toolName === name;
}

/** The helpers of `pi-coding-agent` for messages and events. */
const AGENT_HELPERS = {
  convertToLlm: (messages: Messages) =>
    messages.flatMap((message) => (isSystem(message) ? message : (toLlmMessage(message) ?? []))),
  serializeConversation,
  estimateTokens,
  defineTool: (tool: unknown) => tool,
  isToolCallEventType: (name: string, event: ToolEvent) => buildToolTest(name)(event),
  isBashToolResult: buildToolTest('bash'),
  isReadToolResult: buildToolTest('read'),
  isEditToolResult: buildToolTest('edit'),
  isWriteToolResult: buildToolTest('write'),
  isGrepToolResult: buildToolTest('grep'),
  isFindToolResult: buildToolTest('find'),
  isLsToolResult: buildToolTest('ls'),
  CONFIG_DIR_NAME: '.pi',
  getAgentDir: () => findAgentFolder({ env: process.env, home: process.env.HOME ?? '' }) ?? '.pi',
};

const PI_SCOPES = ['@earendil-works', '@mariozechner'];

/** The packages of Pi with the helpers that work. */
const PI_PACKAGES: Readonly<Record<string, object>> = {
  'pi-coding-agent': AGENT_HELPERS,
  'pi-coding-agent/hooks': AGENT_HELPERS,
  'pi-ai': AI_HELPERS,
  'pi-ai/compat': AI_HELPERS,
  'pi-ai/models': {},
  'pi-ai/oauth': {},
  'pi-ai/providers/all': {},
  'pi-agent-core': {},
  'pi-tui': {},
};

/** Packages that are loaded if they are installed. */
const SCHEMA_PACKAGES = [
  'typebox',
  'typebox/compile',
  'typebox/value',
  '@sinclair/typebox',
  '@sinclair/typebox/compile',
  '@sinclair/typebox/value',
];

function returnSame(value: unknown): unknown {
  return value;
}

const CTX_PACKAGES = {
  'pi-ctx/hooks': { defineHook: returnSame },
  'pi-ctx/engine': { defineEngine: returnSame, defineInjector: returnSame },
};
