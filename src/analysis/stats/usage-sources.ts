/** The purposes of calls to a provider. */
export const USAGE_SOURCES = [
  'requests',
  'compactions',
  'branch summaries',
  'tools',
  'side calls',
  'subagents',
  'cache warming',
  'other',
] as const;

export type UsageSource = (typeof USAGE_SOURCES)[number];
