import type { UnsupportedCalls } from './unsupported-calls.js';

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

/** The members of the objects that stock Pi gives to an extension, in the version `PI_VERSION`. */
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
