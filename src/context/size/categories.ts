// Apart from envelope.ts: every start loads this, and most need no schema.

/**
 * The categories of tokens, by role and block, which documents of JSON have beside the kinds of contents. Every counted
 * token belongs to one.
 */
export const CATEGORIES = [
  'system',
  'tool definitions',
  'user',
  'assistant',
  'thinking',
  'tool calls',
  'tool results',
  'summaries',
  'shell',
  'custom',
  'images',
] as const;

export type Category = (typeof CATEGORIES)[number];

/** The category of the text of a message with a role. */
export function chooseCategory(role: unknown): Category {
  switch (role) {
    case 'assistant':
      return 'assistant';
    case 'toolResult':
      return 'tool results';
    case 'bashExecution':
      return 'shell';
    case 'custom':
      return 'custom';
    case 'branchSummary':
    case 'compactionSummary':
      return 'summaries';
    default:
      return 'user';
  }
}
