import { NOT_ITEMISED } from './store.js';

/** The groups of token categories that the page shows. */
export const GROUPS = [
  { name: 'system', title: 'System prompt', of: ['system'] },
  { name: 'tools', title: 'Tool definitions', of: ['tool definitions'] },
  { name: 'summaries', title: 'Summaries', of: ['summaries'] },
  { name: 'user', title: 'User', of: ['user'] },
  { name: 'assistant', title: 'Assistant', of: ['assistant'] },
  { name: 'thinking', title: 'Thinking', of: ['thinking'] },
  { name: 'calls', title: 'Tool calls', of: ['tool calls'] },
  { name: 'results', title: 'Tool results', of: ['tool results'] },
  { name: 'other', title: 'Shell, custom, images', of: ['shell', 'custom', 'images'] },
  { name: 'rest', title: 'Recorded, not itemised', of: [NOT_ITEMISED] },
] as const;

/** Sums tokens by category into tokens by group. */
export function byGroup(categories: readonly string[], ledger: readonly number[]): readonly number[] {
  return GROUPS.map(({ of }) => of.reduce((sum, category) => sum + (ledger[categories.indexOf(category)] ?? 0), 0));
}
