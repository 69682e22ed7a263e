import type { SystemPart, ToolDefinition } from '#context/replay/content.js';
import {
  type ActiveInjector,
  CACHE_STRATEGIES,
  type CacheStrategy,
  type InjectorContent,
  PHASES,
  type Situation,
} from './define.js';
import { type MovedValue, moveTimes } from './moved-times.js';
import { countTextTokens, findCutLevel, fitText } from './text-budget.js';
import { fitTools } from './tools.js';

export interface Contribution {
  readonly injector: string;
  readonly cache: CacheStrategy;
  readonly place: 'system' | 'tools' | 'leading' | 'tail';
  /** Names of the system parts or tools that it is. */
  readonly names: readonly string[];
  /** Estimated. */
  readonly tokens: number;
  /** The most that it may be; null: it has none. */
  readonly maxTokens: number | null;
  /** The tokens before a cut; null: the content fits. */
  readonly cutFrom: number | null;
  /** Names of what was left out whole. */
  readonly leftOut: readonly string[];
}

/** The half of a request that stays the same from one request to the next. */
export interface CachedHalf {
  readonly parts: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  /** The text of the message in front of the conversation; null: there is none. */
  readonly leading: string | null;
  readonly placed: readonly Contribution[];
  /** Times that were taken out of it. */
  readonly moved: readonly MovedValue[];
}

/** The uncached end of a request, which is rebuilt for each one. */
export interface Tail {
  readonly text: string | null;
  readonly placed: readonly Contribution[];
}

/** The injectors in the order of their content: by phase, then what stays the longest, then by priority and name. */
export function sortInjectors(activeInjectors: readonly ActiveInjector[]): readonly ActiveInjector[] {
  return activeInjectors.toSorted(
    (a, b) =>
      PHASES.indexOf(a.placement.phase) - PHASES.indexOf(b.placement.phase) ||
      CACHE_STRATEGIES.indexOf(a.placement.cache) - CACHE_STRATEGIES.indexOf(b.placement.cache) ||
      a.placement.priority - b.placement.priority ||
      (a.injector.name < b.injector.name ? -1 : 1),
  );
}

/** The content of the injectors of the first two phases, as it is added up. */
interface CachedParts {
  readonly parts: SystemPart[];
  /** The sections of the leading message. */
  readonly sections: string[];
  readonly placed: Contribution[];
  tools: readonly ToolDefinition[];
}

/** The prompt, the tools and the leading message: what injectors of the first two phases say. */
export async function composeCached(
  activeInjectors: readonly ActiveInjector[],
  situation: Situation,
): Promise<CachedHalf> {
  const composed: CachedParts = { parts: [], sections: [], placed: [], tools: [] };
  for (const active of sortInjectors(activeInjectors)) {
    if (active.placement.phase === 'runtime') continue;
    const content = await injectContent(active, situation);
    if (content === null) continue;
    if (content.kind === 'tools') addTools(composed, active, content.tools);
    else if (active.placement.phase === 'system') addParts(composed, active, content);
    else addSection(composed, active, content);
  }

  const { parts, sections, placed, tools } = composed;
  const { texts, moved } = moveTimes([...parts.map(({ text }) => text), ...sections]);
  return {
    parts: parts.map((part, at) => ({ ...part, text: texts[at] ?? part.text })),
    tools,
    leading: sections.length === 0 ? null : [LEADING_TITLE, ...texts.slice(parts.length)].join('\n\n'),
    placed,
    moved,
  };
}

function addTools(composed: CachedParts, active: ActiveInjector, given: readonly ToolDefinition[]): void {
  const { tools, ...fit } = fitTools(given, active.placement.maxTokens);
  composed.tools = tools;
  composed.placed.push({ ...toContribution(active, 'tools'), ...fit, names: tools.map(({ name }) => name) });
}

function addParts(composed: CachedParts, active: ActiveInjector, content: InjectorContent): void {
  const { parts, cutFrom } = fitParts(toParts(active, content), active.placement.maxTokens);
  composed.parts.push(...parts);
  const names = parts.map(({ name }) => name);
  const tokens = countTextTokens(parts.map(({ text }) => text).join(''));
  composed.placed.push({ ...toContribution(active, 'system'), names, tokens, cutFrom, leftOut: [] });
}

function addSection(composed: CachedParts, active: ActiveInjector, content: InjectorContent): void {
  const { text, cutFrom } = fitText(toText(content), active.placement.maxTokens);
  if (text !== '') composed.sections.push(text);
  const tokens = countTextTokens(text);
  composed.placed.push({ ...toContribution(active, 'leading'), names: [], tokens, cutFrom, leftOut: [] });
}

/** The line that the leading message begins with, and the one that the tail does. */
export const LEADING_TITLE = '[Context for this session]';

export const TAIL_TITLE = '[Current state]';

const MOVED_HEADING = 'Values in this request';

/** The content of injectors of the last phase, with the times that were taken out of the cached half. */
export async function composeTail(
  activeInjectors: readonly ActiveInjector[],
  situation: Situation,
  moved: readonly MovedValue[],
): Promise<Tail> {
  const sections: string[] = [];
  const placed: Contribution[] = [];
  if (moved.length > 0) {
    const text = [`## ${MOVED_HEADING}`, ...moved.map(({ name, value }) => `${name}: ${value}`)].join('\n');
    sections.push(text);
    placed.push(toMovedContribution(text));
  }
  for (const active of sortInjectors(activeInjectors)) {
    if (active.placement.phase !== 'runtime') continue;
    const content = await injectContent(active, situation);
    if (content === null || content.kind !== 'text') continue;
    const { text, cutFrom } = fitText(toText(content), active.placement.maxTokens);
    if (text !== '') sections.push(text);
    placed.push({ ...toContribution(active, 'tail'), names: [], tokens: countTextTokens(text), cutFrom, leftOut: [] });
  }
  const { separator } = situation.style;
  const between = separator === '' ? '\n\n' : `\n\n${separator}\n\n`;
  return { text: sections.length === 0 ? null : `${TAIL_TITLE}\n\n${sections.join(between)}`, placed };
}

async function injectContent(
  { injector, placement, settings }: ActiveInjector,
  situation: Situation,
): Promise<InjectorContent | null> {
  if (injector.needs === 'files' && settings.texts.length === 0) return null;
  return injector.inject(situation, { ...settings, maxTokens: placement.maxTokens });
}

function toContribution(
  { injector, placement }: ActiveInjector,
  place: Contribution['place'],
): Pick<Contribution, 'injector' | 'cache' | 'maxTokens' | 'place'> {
  const { cache, maxTokens } = placement;
  return { injector: injector.name, cache, place, maxTokens };
}

function toMovedContribution(text: string): Contribution {
  return {
    injector: 'cache-optimiser',
    cache: 'dynamic',
    place: 'tail',
    names: [],
    tokens: countTextTokens(text),
    maxTokens: null,
    cutFrom: null,
    leftOut: [],
  };
}

function toText(content: InjectorContent): string {
  if (content.kind !== 'text') return '';
  return content.heading === null ? content.text : `## ${content.heading}\n${content.text}`;
}

const BLANK_LINE = '\n\n';

function toParts({ injector }: ActiveInjector, content: InjectorContent): readonly SystemPart[] {
  if (content.kind === 'parts') return content.parts;
  return [{ name: injector.name, text: toText(content), separator: BLANK_LINE }];
}

/** Cuts the longest parts to one length, and leaves the others whole. */
function fitParts(
  parts: readonly SystemPart[],
  maxTokens: number,
): { readonly parts: readonly SystemPart[]; readonly cutFrom: number | null } {
  const lengths = parts.map(({ text }) => countTextTokens(text));
  const before = countTextTokens(parts.map(({ text }) => text).join(''));
  if (before <= maxTokens) return { parts, cutFrom: null };
  const level = findCutLevel(lengths, maxTokens);
  return { parts: parts.map((part) => ({ ...part, text: fitText(part.text, level).text })), cutFrom: before };
}
