import { readMessageText } from '#analysis/facts/text.js';
import { findFileUse, type ToolUse } from '#analysis/facts/tool-uses.js';
import { listObjects } from '#base/json.js';
import { findFirstPast } from '#base/lists.js';
import { memoizeByObject, once } from '#base/memoize.js';
import { baseName } from '#base/paths.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { History, HistoryItem } from './history.js';

/** Finds the messages of a history that mention a file or an entry. */
export interface Mentions {
  /** The first item after a place that mentions a file, by its path or the end of it. */
  findFirstAfter(path: string, at: number): HistoryItem | null;
  /** Whether the newest turn mentions a file or the id of an entry. */
  isInNewestTurn(name: string): boolean;
}

/** The items that mention each name, in their order. */
type Places = Map<string, HistoryItem[]>;

/** The items that mention a file, by the words that name it. */
interface Index {
  readonly byWord: Places;
  /** The items by each end of a word that begins after a slash. */
  readonly byEnd: Places;
  /** The items by the last name of a word without a slash. */
  readonly byName: Places;
}

/** Reads a text when it is needed, and once. */
export function indexMentions({ items, turns }: History): Mentions {
  // Most callers ask for the newest turn only.
  const newest = once(() => collectNames(items.filter(({ turn }) => turn === turns - 1)));
  const index = once(() => buildIndex(items));
  return {
    findFirstAfter: (path, at) => findFirstAfter(findPlaces(path, index()), at),
    isInNewestTurn: (name) => newest().has(name) || newest().has(baseName(name)),
  };
}

function collectNames(items: readonly HistoryItem[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { message } of items) {
    for (const name of readNames(message)) names.add(name);
  }
  return names;
}

const readNames = memoizeByObject((message: LlmMessage): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const word of readWords(message)) names.add(baseName(word)).add(word);
  return names;
});

function buildIndex(items: readonly HistoryItem[]): Index {
  const index: Index = { byWord: new Map(), byEnd: new Map(), byName: new Map() };
  for (const item of items) {
    for (const word of readWords(item.message)) {
      addItem(index.byWord, word, item);
      for (const end of listEnds(word)) addItem(index.byEnd, end, item);
      if (!word.includes('/')) addItem(index.byName, baseName(word), item);
    }
  }
  return index;
}

function addItem(places: Places, name: string, item: HistoryItem): void {
  const found = places.get(name);
  if (!found) places.set(name, [item]);
  else if (found.at(-1) !== item) found.push(item);
}

/** The items that mention a file by its path, a path that ends with it, an end of it, or its bare name. */
function findPlaces(path: string, { byWord, byEnd, byName }: Index): readonly (readonly HistoryItem[])[] {
  const all = [byWord.get(path), byEnd.get(path), byName.get(baseName(path))];
  return [...all, ...listEnds(path).map((end) => byWord.get(end))].filter((places) => places !== undefined);
}

/** The text after each slash, if it is no longer than a word. */
function listEnds(path: string): readonly string[] {
  const ends: string[] = [];
  let slash = path.indexOf('/', Math.max(0, path.length - LONGEST - 1));
  for (; slash !== -1; slash = path.indexOf('/', slash + 1)) ends.push(path.slice(slash + 1));
  return ends;
}

function findFirstAfter(lists: readonly (readonly HistoryItem[])[], at: number): HistoryItem | null {
  let first: HistoryItem | null = null;
  for (const places of lists) {
    const item = places[findFirstPast(places.length, (index) => (places[index]?.at ?? 0) > at)];
    if (item && (!first || item.at < first.at)) first = item;
  }
  return first;
}

/** The characters of paths, file names and entry ids, and those that other words do not have. */
const WORD = /[\w@~.+/\\:-]+/g;
const NAME = /[./\\]\w|[0-9a-f]{8}/;
const LONGEST = 1000;

/** The words of messages. Most messages are part of many histories of a session. */
const readWords = memoizeByObject((message: LlmMessage): ReadonlySet<string> => {
  const calls = message.role === 'assistant' ? listObjects(message.content) : [];
  const argumentTexts = calls.flatMap((block) => (block.type === 'toolCall' ? [JSON.stringify(block.arguments)] : []));
  const words = new Set<string>();
  for (const text of [readMessageText(message), ...argumentTexts])
    for (const [word] of text.matchAll(WORD)) {
      if (word.length <= LONGEST && NAME.test(word)) words.add(word.replace(/(?<![.:])[.:]+$/, ''));
    }
  return words;
});

/**
 * The uses that the newest turn looks back at: the last one of each file that it speaks of and has not read
 * itself. Their calls and results stay as they are.
 */
export function findMentionedUses({ items, turns, uses }: History, mentions: Mentions): ReadonlyMap<ToolUse, string> {
  const last = new Map<string, ToolUse>();
  const reread = new Set<string>();
  for (const use of uses) {
    const file = findFileUse(use);
    if (!file || use.resultAt < 0) continue;
    const isNewest = items[use.resultAt]?.turn === turns - 1;
    if (!isNewest) last.set(file.path, use);
    else if (file.kind === 'read') reread.add(file.path);
  }
  const found = new Map<ToolUse, string>();
  for (const [path, use] of last) {
    if (!reread.has(path) && mentions.isInNewestTurn(path)) found.set(use, path);
  }
  return found;
}

/** Returns a function that finds, for a pruned message, the first later message that stays and mentions its file. */
export function buildMentionFinder(before: History, after: History): (item: HistoryItem) => HistoryItem | null {
  const mentions = indexMentions(after);
  const files = mapResultFiles(before);
  const places = new Map(after.items.map(({ place, at }) => [place, at]));
  return ({ place }) => {
    const path = files.get(place);
    if (path === undefined) return null;
    // A message that is gone was before the first one that came after it.
    const next = findFirstPast(after.items.length, (at) => (after.items[at]?.place ?? 0) >= place);
    return mentions.findFirstAfter(path, places.get(place) ?? next - 1);
  };
}

/** The file of each result, by its place. */
function mapResultFiles({ uses }: History): ReadonlyMap<number, string> {
  const files = new Map<number, string>();
  for (const use of uses) {
    const path = findFileUse(use)?.path;
    if (path !== undefined) files.set(use.resultAt, path);
  }
  return files;
}
