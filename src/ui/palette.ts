import { NOT_ITEMISED } from '#analysis/report/document.js';
import type { Tone } from './doc/tone.js';

interface PromptLook {
  readonly title: string;
  /** Its colour on a terminal. */
  readonly tone: Tone;
  /** A full cell of a bar, which differs without colours, too. */
  readonly sign: string;
  /** On a light page and on a dark one. */
  readonly page: readonly [light: string, dark: string];
}

/**
 * The tokens of a prompt, in the order of a bar. Re-billed tokens were sent before, and the provider did not read them
 * from its cache: after a change of the context or a cache miss.
 */
export const PROMPT_PARTS = {
  cached: { title: 'cached', tone: 'good', sign: '█', page: ['#a9cbb4', '#4c7a5c'] },
  again: { title: 're-billed', tone: 'error', sign: '░', page: ['#d2573f', '#e0705a'] },
  fresh: { title: 'new', tone: 'system', sign: '▒', page: ['#6f9bd1', '#5685bd'] },
} as const satisfies Readonly<Record<string, PromptLook>>;

/** The groups of token categories that a context is divided into, in the order of a bar. */
export const TOKEN_GROUPS = [
  { name: 'system', title: 'System prompt', of: ['system'], page: ['#5d6b80', '#8d9bb0'] },
  { name: 'tools', title: 'Tool definitions', of: ['tool definitions'], page: ['#9a8fb5', '#9186b0'] },
  { name: 'summaries', title: 'Summaries', of: ['summaries'], page: ['#b3558c', '#c878a6'] },
  { name: 'user', title: 'User', of: ['user'], page: ['#2f74c0', '#5a98dc'] },
  { name: 'assistant', title: 'Assistant', of: ['assistant'], page: ['#2b9b8b', '#45ab9b'] },
  { name: 'thinking', title: 'Thinking', of: ['thinking'], page: ['#9fbf82', '#87a66b'] },
  { name: 'calls', title: 'Tool calls', of: ['tool calls'], page: ['#e0b24a', '#d1a547'] },
  { name: 'results', title: 'Tool results', of: ['tool results'], page: ['#d97f4a', '#cd7a4a'] },
  { name: 'other', title: 'Shell, custom, images', of: ['shell', 'custom', 'images'], page: ['#a9adb3', '#7d838b'] },
  { name: 'rest', title: 'Recorded, not itemised', of: [NOT_ITEMISED], page: ['#cfd2d6', '#4d535b'] },
] as const;

/** The changes of a context that charts mark. */
export const CONTEXT_CHANGES = {
  compaction: { title: 'Compaction', sign: 'C', page: ['#a8326f', '#e07fb2'] },
  transform: { title: 'Transform', sign: 'T', page: ['#6a4fb0', '#ab97e6'] },
  edit: { title: 'Edit (prune)', sign: 'E', page: ['#5f6670', '#a6adb6'] },
} as const;

/** The style sheet of the page that defines a variable for each colour. */
export function formatPageColors(): string {
  const groups = TOKEN_GROUPS.map(({ name, page }) => [name, page] as const);
  const others = Object.entries({ ...PROMPT_PARTS, ...CONTEXT_CHANGES }).map(
    ([name, { page }]) => [name, page] as const,
  );
  return `:root{${[...groups, ...others].map(([name, page]) => `--${name}:light-dark(${page.join()})`).join(';')}}`;
}

/** Sums tokens by category into tokens by group. */
export function sumByGroup(categories: readonly string[], ledger: readonly number[]): readonly number[] {
  return TOKEN_GROUPS.map(({ of }) =>
    of.reduce((sum, category) => sum + (ledger[categories.indexOf(category)] ?? 0), 0),
  );
}
