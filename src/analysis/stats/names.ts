/** The categories of tokens. Every counted token belongs to one. */
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

/** The purposes of calls to a provider. */
export const SOURCES = ['requests', 'compactions', 'branch summaries', 'tools', 'cache warming', 'other'] as const;
export type UsageSource = (typeof SOURCES)[number];

export const GROUPINGS = ['day', 'model', 'tool', 'project', 'session'] as const;
export type Grouping = (typeof GROUPINGS)[number];
