import { sortLargestFirst, sumBy } from '#base/lists.js';
import { CONTENT_KINDS, type ContentKind } from '#context/contents/kinds.js';
import type { Composition } from '#context/size/composition.js';
import { describeContent } from './describe-content.js';

/** A part of a row, with a name for people. */
export interface NamedTokens {
  readonly name: string;
  readonly tokens: number;
}

/** A line of the composition of a context. */
export interface CompositionRow {
  /**
   * `not recorded`: counted by the provider, but not in the session. `others`: the rows that are too small to be shown.
   */
  readonly kind: ContentKind | 'not recorded' | 'others';
  readonly title: string;
  readonly tokens: number;
  /** The parts of the row, the largest first; empty if there is no more to say. */
  readonly names: readonly NamedTokens[];
}

/** The word of each row. */
export const ROW_TITLES: Readonly<Record<CompositionRow['kind'], string>> = {
  prompt: 'prompt',
  'memory files': 'memory files',
  tools: 'tools',
  skills: 'skills',
  agents: 'agents',
  hooks: 'hooks',
  reminders: 'reminders',
  user: 'user',
  assistant: 'answers',
  thinking: 'thinking',
  'tool calls': 'tool calls',
  'tool results': 'tool results',
  images: 'images',
  documents: 'documents',
  summaries: 'summaries',
  shell: 'shell',
  custom: 'custom',
  'not recorded': 'not recorded',
  others: 'others',
};

/** A composition without its messages. */
export type Contents = Pick<Composition, 'contents' | 'notItemised' | 'tools'>;

/**
 * Returns the rows of a composition, the largest first. The smallest are joined into one, so that there are at most
 * `most` rows. Their tokens add up to the size of the context. `cwd`: the folder of the session, which paths omit.
 */
export function listCompositionRows(composition: Contents, cwd: string, most = Infinity): readonly CompositionRow[] {
  const ofKinds = CONTENT_KINDS.flatMap((kind) => buildRow(kind, composition, cwd));
  const rest = composition.notItemised ?? 0;
  const all: readonly CompositionRow[] =
    rest === 0
      ? ofKinds
      : [...ofKinds, { kind: 'not recorded', title: ROW_TITLES['not recorded'], tokens: rest, names: [] }];
  const sorted = sortLargestFirst(all, ({ tokens }) => tokens);
  if (sorted.length <= most) return sorted;
  const small = sorted.slice(most - 1);
  const names = small.map(({ title, tokens }) => ({ name: title, tokens }));
  const others = {
    kind: 'others',
    title: ROW_TITLES.others,
    tokens: sumBy(small, ({ tokens }) => tokens),
    names,
  } as const;
  return [...sorted.slice(0, most - 1), others];
}

function buildRow(kind: ContentKind, { contents, tools }: Contents, cwd: string): readonly CompositionRow[] {
  const own = contents.filter((content) => content.kind === kind && content.tokens > 0);
  const tokens = sumBy(own, (content) => content.tokens);
  if (tokens === 0) return [];
  const row = { kind, title: ROW_TITLES[kind], tokens };
  if (own.some(({ name }) => name !== null)) {
    const names = own.map((content) => ({ name: describeContent(content, cwd), tokens: content.tokens }));
    return [{ ...row, names }];
  }
  // Tools of no server are told by their own names.
  return [{ ...row, names: kind === 'tools' ? sortLargestFirst(tools, (tool) => tool.tokens) : [] }];
}
