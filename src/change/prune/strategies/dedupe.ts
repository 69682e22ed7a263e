import { createHash } from 'node:crypto';
import { findFileUse, type ToolUse } from '#analysis/facts/tool-uses.js';
import { formatJson } from '#base/json-text.js';
import { defineStrategy, type Proposal } from '../define.js';
import { describeUse } from '../describe-use.js';
import { ageOf, type History, type HistoryItem } from '../history.js';
import { describeLocation, describeSize, isShortened } from '../message-notes.js';
import { describePart, FileReads, findReadRange } from '../read-ranges.js';
import { proposeShorter, replaceContent } from '../shorter-messages.js';
import { findToolKind } from '../tool-kinds.js';

export default defineStrategy({
  name: 'dedupe',
  summary: 'Replace repeated and outdated results by a reference',
  help:
    'Replaces three kinds of results of older turns by one line, which names the later entry and the entry with the ' +
    'original result:\n\n' +
    '- a result that a later one repeats byte for byte: the same file read again, or the same command with the same ' +
    'output. The last one is kept.\n' +
    '- the content of a file that a later call read again. A partial read (`offset`, `limit`, or a truncated result) ' +
    'replaces another only if it contains all of its lines.\n' +
    '- the content of a file that a later call changed, unless it changed in the newest turn, where the model may ' +
    'still need the old content.\n\n' +
    'Failed calls replace nothing. Two paths are equal if they are spelled alike.',
  propose,
});

/** A result that is kept, or that another one replaces. */
interface Result {
  readonly item: HistoryItem;
  readonly use: ToolUse;
}

interface OutdatedResult extends Result {
  readonly by: Result;
  readonly how: 'repeated' | 'read again' | 'changed';
}

function* propose(history: History): Generator<Proposal> {
  for (const outdated of findOutdated(history).toReversed()) {
    const { item, use, by, how } = outdated;
    const { entryId, line } = by.item.from;
    const later = entryId ?? `line ${line}`;
    const name = `${describeUse(use)}${findToolKind(use.name) === 'read' ? describePart(use) : ''}`;
    const note = `[${name}: ${describeSize(use.result)}; ${DESCRIPTIONS[how]} ${later}; this result: ${describeLocation(item)}]`;
    const change = proposeShorter(item, replaceContent(item.message, note));
    if (change) yield { changes: [change], reason: `${how} at ${later}` };
  }
}

const DESCRIPTIONS: Readonly<Record<OutdatedResult['how'], string>> = {
  repeated: 'repeated at',
  'read again': 'the file was read again at',
  changed: 'the file was changed at',
};

/** Outdated results, newest first. A result that replaces another is kept, so that every named entry still exists. */
function findOutdated(history: History): readonly OutdatedResult[] {
  const found: OutdatedResult[] = [];
  const files = new Map<string, LaterUses>();
  const byContent = new Map<string, Result>();
  for (const use of [...history.uses].toSorted((a, b) => b.resultAt - a.resultAt)) {
    const item = history.items[use.resultAt];
    if (!item) continue;
    const result = { item, use };
    const isNewest = ageOf(history, item) === 0;
    const file = findLaterUses(use, files);
    const key = isUnpruned(item) ? hashContent(item) : null;
    const outdated = isNewest ? null : (findRepeat(result, key, byContent) ?? findNewer(result, file));
    if (file && isChange(result) && !isNewest) file.changed ??= result;
    if (outdated) {
      found.push(outdated);
      continue;
    }
    if (key !== null && !byContent.has(key)) byContent.set(key, result);
    if (file && isUnprunedRead(result)) file.reads.add(findReadRange(use), result);
  }
  return found;
}

interface LaterUses {
  readonly reads: FileReads<Result>;
  changed: Result | null;
}

function findLaterUses(use: ToolUse, files: Map<string, LaterUses>): LaterUses | null {
  const about = findFileUse(use);
  if (!about || use.isError || (about.kind === 'read' && findToolKind(use.name) !== 'read')) return null;
  const path = about.path.replace(/^(?:\.\/)+/, '');
  const laterUses = files.get(path) ?? { reads: new FileReads<Result>(), changed: null };
  files.set(path, laterUses);
  return laterUses;
}

function isChange({ use }: Result): boolean {
  return findFileUse(use)?.kind === 'modified';
}

/** Whether it is the whole of what was read. */
function isUnprunedRead(result: Result): boolean {
  return !isChange(result) && isUnpruned(result.item);
}

/** Whether it is a tool's own words, neither edited nor shortened before. */
function isUnpruned(item: HistoryItem): boolean {
  return !item.isFrozen && !isShortened(item);
}

function findNewer(result: Result, file: LaterUses | null): OutdatedResult | null {
  if (!file || !isUnprunedRead(result)) return null;
  const again = file.reads.findCovering(findReadRange(result.use));
  if (again) return { ...result, by: again, how: 'read again' };
  return file.changed && { ...result, by: file.changed, how: 'changed' };
}

function findRepeat(result: Result, key: string | null, byContent: ReadonlyMap<string, Result>): OutdatedResult | null {
  const by = key === null ? undefined : byContent.get(key);
  return by ? { ...result, by, how: 'repeated' } : null;
}

/** A key that is equal for results with equal text and pictures; null for one that cannot be compared. */
function hashContent({ message }: HistoryItem): string | null {
  const text = formatJson(message.content);
  return text === null ? null : createHash('sha256').update(text).digest('base64');
}
