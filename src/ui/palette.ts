import { ROW_TITLES } from '#analysis/composition/rows.js';
import { CONTENT_KINDS, type ContentKind } from '#context/contents/kinds.js';
import type { Tone } from './doc/tone.js';

interface PromptLook {
  readonly title: string;
  /** The colour on a terminal. */
  readonly tone: Tone;
  /** A full cell of a bar, which differs without colours, too. */
  readonly sign: string;
  /** The colours on a light page and on a dark one. */
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

const KIND_COLORS: Readonly<Record<ContentKind, readonly [light: string, dark: string]>> = {
  prompt: ['#5d6b80', '#8d9bb0'],
  'memory files': ['#7a5c99', '#a987c9'],
  tools: ['#9a8fb5', '#9186b0'],
  skills: ['#c9a3d6', '#7d5f8c'],
  agents: ['#4a4f9c', '#7a80cf'],
  hooks: ['#8c6d52', '#b39474'],
  reminders: ['#bfae8e', '#8f8266'],
  user: ['#2f74c0', '#5a98dc'],
  assistant: ['#2b9b8b', '#45ab9b'],
  thinking: ['#9fbf82', '#87a66b'],
  'tool calls': ['#e0b24a', '#d1a547'],
  'tool results': ['#d97f4a', '#cd7a4a'],
  images: ['#d65f8b', '#e283a6'],
  documents: ['#8fb7c9', '#5f8ba0'],
  summaries: ['#b3558c', '#c878a6'],
  shell: ['#6f7d4f', '#9aa973'],
  custom: ['#a9adb3', '#7d838b'],
};

/** The kinds of contents, in the order of a bar, and what is not recorded. `name`: the colour of the page. */
export const CONTENT_LOOKS = (
  [
    ...CONTENT_KINDS.map((kind) => ({ kind, name: kind.replace(' ', '-'), page: KIND_COLORS[kind] })),
    { kind: 'not recorded', name: 'not-recorded', page: ['#cfd2d6', '#4d535b'] },
  ] as const
).map((look) => ({ ...look, title: ROW_TITLES[look.kind] }));

/** The changes of a context that charts mark. */
export const CONTEXT_CHANGES = {
  compaction: { title: 'Compaction', sign: 'C', page: ['#a8326f', '#e07fb2'] },
  transform: { title: 'Transform', sign: 'T', page: ['#6a4fb0', '#ab97e6'] },
  edit: { title: 'Edit (prune)', sign: 'E', page: ['#5f6670', '#a6adb6'] },
} as const;

/** The style sheet of the page that defines a variable for each colour. */
export function formatPageColors(): string {
  const others = Object.entries({ ...PROMPT_PARTS, ...CONTEXT_CHANGES });
  const colors = [...CONTENT_LOOKS, ...others.map(([name, { page }]) => ({ name, page }))];
  const variables = colors.map(({ name, page }) => `--${name}:light-dark(${page.join()})`);
  return `:root{${variables.join(';')}}`;
}
