import { didYouMean } from '#base/suggestion.js';
import { estimateTokens } from '#change/compact/estimate.js';
import { serializeConversation } from '#change/compact/summarizers/prompts.js';
import { joinSystemMessages } from '#change/compact/system-message.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { applySystemMessage } from '#context/replay/system-messages.js';
import { findAgentFolder } from '#session/agents/pi-folders.js';
import type { StoredMessage } from '#session/entry.js';

/** Receives the name of a stand-in that is called or constructed. */
type OnCall = (name: string) => void;

/**
 * A value that replaces any export of a package that is not loaded: it can be read, called, constructed and extended, and
 * gives stand-ins. `members` are the exports that work.
 */
function createStandIn(name: string, onCall: OnCall, members: Readonly<Record<string, unknown>> = {}): unknown {
  const read = new Map<string, unknown>();
  // Each needs a prototype of its own.
  const target = createTarget();
  return new Proxy(target, {
    get(_, key, receiver: unknown) {
      if (typeof key === 'symbol') return key === Symbol.toPrimitive ? () => name : Reflect.get(target, key, receiver);
      if (Object.hasOwn(members, key)) return members[key];
      // A promise would wait for a stand-in that has `then`.
      if (key === 'then') return undefined;
      if (key === 'prototype') return target.prototype;
      if (!read.has(key)) read.set(key, createStandIn(`${name}.${key}`, onCall));
      return read.get(key);
    },
    has: () => true,
    apply() {
      onCall(name);
      return createStandIn(`${name}()`, onCall);
    },
    construct(_, args, newTarget) {
      onCall(name);
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
}

function createTarget(): () => void {
  return function target() {};
}

/** The members of the objects that Pi 1.6.0 gives to an extension. */
export const PI_MEMBERS = {
  pi: splitWords(
    'on registerTool registerCommand registerShortcut registerFlag getFlag registerMessageRenderer ' +
      'registerMarkdownTransformer registerEntryRenderer registerToolRenderer sendMessage sendUserMessage appendEntry ' +
      'setSessionName getSessionName setLabel exec getActiveTools getAllTools getSettings setActiveTools getCommands ' +
      'setModel getThinkingLevel setThinkingLevel registerProvider unregisterProvider registerMcpServer ' +
      'unregisterMcpServer getMcpServers registerVirtualModel unregisterVirtualModel events',
  ),
  ctx: splitWords(
    'ui mode hasUI cwd sessionManager modelRegistry model scopedModels thinkingLevel isIdle isProjectTrusted signal ' +
      'abort hasPendingMessages shutdown getContextUsage compact getSystemPrompt',
  ),
  'ctx.ui': splitWords(
    'select confirm input notify onTerminalInput setStatus setWorkingMessage setWorkingVisible setWorkingIndicator ' +
      'setHiddenThinkingLabel setWidget setFooter setHeader setTitle custom pasteToEditor setEditorText getEditorText ' +
      'editor addAutocompleteProvider setEditorComponent getEditorComponent theme getAllThemes getTheme setTheme ' +
      'getToolsExpanded setToolsExpanded',
  ),
  'ctx.sessionManager': splitWords(
    'setSessionFile newSession isPersisted getCwd getSessionDir usesDefaultSessionDir getSessionId getSessionFile ' +
      '_persist appendMessage appendThinkingLevelChange appendModelChange appendUsage appendCompaction ' +
      'appendCustomEntry appendSessionInfo getSessionName appendCustomMessageEntry appendContextEdit getLeafId ' +
      'getLeafEntry getEntry getChildren getLabel appendLabelChange getBranch buildContextEntries ' +
      'buildSessionProjection buildSessionContext getHeader getEntryCount getEntries getTree branch resetLeaf ' +
      'branchWithSummary createBranchedSession',
  ),
  'ctx.modelRegistry': splitWords(
    'refresh getError getAll getAvailable find findOfType hasConfiguredAuth getApiKeyAndHeaders ' +
      'getProviderAuthStatus getProvider stream streamSimple complete getModelsOfType getAvailableOfType ' +
      'getModelOfType classify generateImages getProviderDisplayName getProviderAuth getApiKeyForProvider ' +
      'isUsingOAuth registerProvider unregisterProvider registerVirtualModel unregisterVirtualModel ' +
      'getRegisteredProviderConfig getRegisteredNativeProvider getRegisteredProviderIds',
  ),
} as const satisfies Readonly<Record<string, readonly string[]>>;

function splitWords(text: string): readonly string[] {
  return text.split(' ');
}

/**
 * An object of Pi: `members` work, and the others that Pi has are functions that only report their name. What Pi does not
 * have is undefined, as there, so that a module can look what there is.
 */
export function buildPiObject(of: keyof typeof PI_MEMBERS, members: object, notRun: UnsupportedCalls): unknown {
  const names = PI_MEMBERS[of];
  const others = Object.fromEntries(names.map((name) => [name, () => notRun.add(`${of}.${name}`)]));
  return new Proxy(Object.assign(others, members), {
    get(target, key, receiver: unknown) {
      if (typeof key === 'string' && !(key in target)) notRun.noteMissing(key, names);
      return Reflect.get(target, key, receiver);
    },
  });
}

/** The names of what an extension registered or called that has no effect without an agent, each once. */
export class UnsupportedCalls {
  private readonly names = new Set<string>();
  /** Names that the module read and Pi does not have, with those of the same object that it has. */
  private readonly missing = new Map<string, readonly string[]>();
  private isLoaded = false;

  add(name: string): void {
    this.names.add(name);
  }

  /** Notes a call of a stand-in, which has an effect on a handler only: while a module loads, it builds schemas and classes. */
  noteCall(name: string): void {
    if (this.isLoaded) this.names.add(name);
  }

  noteMissing(name: string, names: readonly string[]): void {
    this.missing.set(name, names);
  }

  /** Wraps a function of the module: the error for a call of what Pi does not have ends with the name that was meant. */
  explainErrorsOf<Args extends readonly unknown[]>(
    act: (...args: Args) => unknown,
  ): (...args: Args) => Promise<unknown> {
    return async (...args) => {
      try {
        return await act(...args);
      } catch (error) {
        throw this.explainError(error);
      }
    };
  }

  private explainError(error: unknown): unknown {
    if (!(error instanceof TypeError)) return error;
    const [, name = ''] = /(\w+) is not a function$/.exec(error.message) ?? [];
    const names = this.missing.get(name);
    if (names) error.message += `; ${didYouMean(name, names, 'Pi 1.6.0 does not have it')}`;
    return error;
  }

  endLoading(): void {
    this.isLoaded = true;
  }

  list(): readonly string[] {
    return [...this.names];
  }
}

type Messages = readonly StoredMessage[];

const isSystem = ({ role }: StoredMessage): boolean => role === 'system';
const current = (messages: Messages): object | undefined => joinSystemMessages(messages) ?? undefined;
const replayed = (messages: Messages): EnvelopeContent =>
  messages.filter(isSystem).reduce<EnvelopeContent>(applySystemMessage, EMPTY_ENVELOPE);

/** The helpers of `pi-ai` for a transcript with system messages. */
const OF_AI = {
  getCurrentSystemMessage: current,
  getCurrentSystemPrompt: (messages: Messages) => replayed(messages).system.compiled,
  getCurrentTools: (messages: Messages) => replayed(messages).tools,
  getInitialSystemMessage: (messages: Messages) => messages.slice(0, 1).find(isSystem),
  collapseSystemMessages: ({ messages }: { readonly messages: Messages }) => {
    const head = current(messages);
    return { messages: [...(head ? [head] : []), ...messages.filter((message) => !isSystem(message))] };
  },
};

const TOOLS = ['bash', 'read', 'edit', 'write', 'grep', 'find', 'ls'];
const isOfTool =
  (name: string) =>
  ({ toolName }: { readonly toolName?: unknown }): boolean =>
    toolName === name;

/** The helpers of `pi-coding-agent` for messages and events. */
const OF_AGENT = {
  convertToLlm: (messages: Messages) =>
    messages.flatMap((message) => (isSystem(message) ? message : (toLlmMessage(message) ?? []))),
  serializeConversation,
  estimateTokens,
  defineTool: (tool: unknown) => tool,
  isToolCallEventType: (name: string, event: { readonly toolName?: unknown }) => isOfTool(name)(event),
  ...Object.fromEntries(TOOLS.map((name) => [`is${name[0]?.toUpperCase()}${name.slice(1)}ToolResult`, isOfTool(name)])),
  CONFIG_DIR_NAME: '.pi',
  getAgentDir: () => findAgentFolder({ env: process.env, home: process.env.HOME ?? '' }) ?? '.pi',
};

const OF_PI: Readonly<Record<string, object>> = {
  'pi-coding-agent': OF_AGENT,
  'pi-coding-agent/hooks': OF_AGENT,
  'pi-ai': OF_AI,
  'pi-ai/compat': OF_AI,
  'pi-ai/models': {},
  'pi-ai/oauth': {},
  'pi-ai/providers/all': {},
  'pi-agent-core': {},
  'pi-tui': {},
};

/** Packages that are loaded if they are installed. */
const SCHEMAS = ['typebox', 'typebox/compile', 'typebox/value'].flatMap((name) => [name, `@sinclair/${name}`]);

const same = (value: unknown): unknown => value;

/**
 * The modules that an extension may import wherever it is. Pi gives extensions its own packages; here their helpers for
 * messages work, and everything else is a stand-in: Pi's package needs a newer Node.js, and no tool or screen runs.
 */
export function buildPiPackages(
  notRun: UnsupportedCalls,
  isInstalled: (name: string) => boolean,
): Readonly<Record<string, unknown>> {
  const onCall = (name: string): void => notRun.noteCall(name);
  const ofPi = ['@earendil-works', '@mariozechner'].flatMap((scope) =>
    Object.entries(OF_PI).map(
      ([name, members]) => [`${scope}/${name}`, createStandIn(name, onCall, { ...members })] as const,
    ),
  );
  const missing = SCHEMAS.filter((name) => !isInstalled(name)).map(
    (name) => [name, createStandIn(name, onCall)] as const,
  );
  const ours = { 'pi-ctx/hooks': { defineHook: same }, 'pi-ctx/engine': { defineEngine: same, defineInjector: same } };
  return { ...Object.fromEntries([...ofPi, ...missing]), ...ours };
}
