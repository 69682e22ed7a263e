/** The causes of cache breaks. */
export const BREAK_CLASSES = [
  'compaction',
  'clear',
  'transform',
  'edit',
  'system',
  'tools',
  'tool order',
  'model switch',
  'thinking level',
  'ttl',
  'image',
  'branch',
  'extension',
  'agent',
  'tool server',
  'resume',
  'hook context',
  'task notification',
  'messages',
  'floor',
  'provider miss',
  'unexplained',
] as const;

export type BreakClass = (typeof BREAK_CLASSES)[number];

/** The name of a class for people. JSON, tables and CSV have the class itself. */
export function formatBreakClass(name: BreakClass): string {
  return name === 'ttl' ? 'expired' : name;
}

/** The classes of breaks without a cause: a floor describes what was read, and not why. */
const WITHOUT_CAUSE: ReadonlySet<BreakClass> = new Set(['floor', 'provider miss', 'unexplained']);

/** Whether neither the session nor the time explains a break. */
export function isUnexplained({ class: name }: { readonly class: BreakClass }): boolean {
  return WITHOUT_CAUSE.has(name);
}

/** Explains the name of a class that does not explain itself; null for the others. */
export function explainBreakClass(name: BreakClass): string | null {
  switch (name) {
    case 'floor':
      return 'only tools and prompt were read from the cache, and no messages; nothing recorded tells why';
    case 'unexplained':
      return 'no recorded change and no pause explains the break; the session may not record the prompt and the tools';
    default:
      return null;
  }
}

/**
 * The classes of breaks that agree with each of the provider's reasons for a miss; the first is the one that it names.
 */
export const BREAK_CLASSES_BY_REASON: ReadonlyMap<string, readonly BreakClass[]> = new Map([
  ['system_changed', ['system', 'agent', 'resume']],
  ['tools_changed', ['tools', 'tool order', 'tool server', 'agent', 'resume']],
  [
    'messages_changed',
    ['messages', 'compaction', 'clear', 'transform', 'edit', 'branch', 'image', 'hook context', 'resume'],
  ],
  ['model_changed', ['model switch']],
]);
