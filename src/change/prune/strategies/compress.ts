import * as z from 'zod/mini';
import { readMessageText } from '#analysis/facts/text.js';
import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { isObject } from '#base/json.js';
import { option } from '#base/schema.js';
import { defineStrategy, type Proposal } from '../define.js';
import { describeUse } from '../describe-use.js';
import { buildExcerpt, type ExcerptSize } from '../excerpts.js';
import { ageOf, type History, type HistoryItem } from '../history.js';
import { describeAge, describeHash, describeLocation, describeSize, isShortened } from '../message-notes.js';
import { describePart } from '../read-ranges.js';
import { proposeShorter, replaceTexts } from '../shorter-messages.js';
import { findToolKind, type ToolKind } from '../tool-kinds.js';

const NOT_BELOW = 'must be a folder below the working directory; use --side-files for any other';

const countOption = (value: number, description: string, least = 1): z.ZodMiniDefault<z.ZodMiniInt> =>
  option(z.int().check(z.minimum(least)), value, description);

/** The options. The engine `three-phase` has its own defaults for them. */
export const compressOptions = z.strictObject({
  afterTurns: countOption(1, 'Minimum age of a result in turns (the newest turn is 0)'),
  overCharacters: countOption(1500, 'Maximum characters of a result; lower as the context fills', 500),
  searchCharacters: countOption(2000, 'Characters kept of a search'),
  searchResults: countOption(5, 'Results kept of a search; of one without titles, four times as many lines'),
  fileCharacters: countOption(1000, 'Characters kept of a file'),
  fileLines: countOption(10, 'First lines kept of a file'),
  commandCharacters: countOption(1500, 'Characters kept of the output of a command'),
  commandLines: countOption(50, 'Lines kept of the output of a command'),
  commandTail: countOption(40, 'How many of these lines are the last ones; 0: only first lines', 0),
  otherCharacters: countOption(1000, 'Characters kept of JSON and of all other results'),
  spill: option(
    z.nullable(z.string().check(z.minLength(1), z.refine(isBelowWorkingFolder, NOT_BELOW))),
    null,
    'Folder below the working directory for the full results, one file each; null: none',
  ),
});

/**
 * Whether a folder is below the working directory. A policy may come from a foreign repository, so it may write nowhere
 * else.
 */
function isBelowWorkingFolder(folder: string): boolean {
  return !/^(?:[/\\~]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(folder);
}

type Options = z.infer<typeof compressOptions>;

export default defineStrategy<Options>({
  name: 'compress',
  summary: 'Shorten long results of older turns, by the kind of tool',
  help:
    'Shortens the text of each tool result that is at least `afterTurns` turns old and longer than `overCharacters`. ' +
    'The tool and its output decide what is kept:\n\n' +
    '- searches (`grep`, `find`, `web_search`, …): the number of results, and the first `searchResults` of them with ' +
    'title, address and snippet, up to `searchCharacters`; of results that are lines, four times as many\n' +
    '- files (`read`, …): the first `fileLines` lines, up to `fileCharacters`\n' +
    '- commands (`bash`, …): `commandLines` lines, up to `commandCharacters`: the last `commandTail` and the first of ' +
    'the others, because a command reports errors and totals at its end; and the exit code if it is known\n' +
    '- JSON of other tools: its fields, with short values as they are and the size of longer ones, up to ' +
    '`otherCharacters`\n' +
    '- anything else: as much of the beginning as of the end, up to `otherCharacters`\n\n' +
    'A line before the text names the call, the lines, bytes and SHA-256 of the full result. A line after it, such as ' +
    '`Full data: ctx cat 019b2f4e-1c3d 3f12b25a`, is the command that prints the full result. With `spill`, the full ' +
    'result is also written to a file in that folder, which the line names. Images are kept.\n\n' +
    '**The sizes depend on the free space.** They are as above while at least half of the limit is free. Below that, ' +
    '`overCharacters` and the characters kept decrease in proportion, down to a third: with a quarter free, they are ' +
    'half. If the limit is unknown, they stay.',
  options: compressOptions,
  *propose(history, options) {
    const uses = new Map(history.uses.map((use) => [use.resultAt, use]));
    const threshold = scaleThreshold(history, options.overCharacters);
    for (const item of history.items) {
      const use = uses.get(item.at);
      if (!use || item.isFrozen || ageOf(history, item) < options.afterTurns) continue;
      const proposal = proposeCompressed({ item, use, threshold, age: ageOf(history, item) }, options);
      if (proposal) yield proposal;
    }
  },
});

/** The longest result that stays whole, in UTF-16 code units: less as less of the limit is free. */
export function scaleThreshold({ tokens, limit }: Pick<History, 'tokens' | 'limit'>, base: number): number {
  if (limit === null || limit <= 0) return base;
  const free = Math.max(0, 1 - tokens / limit);
  return Math.round(base * Math.min(1, Math.max(LEAST, free / ENOUGH)));
}

/** The share of the limit that is room enough, and the least that becomes of the threshold. */
const ENOUGH = 1 / 2;
const LEAST = 1 / 3;

interface Long {
  readonly item: HistoryItem;
  readonly use: ToolUse;
  readonly threshold: number;
  readonly age: number;
}

function proposeCompressed({ item, use, threshold, age }: Long, options: Options): Proposal | null {
  const text = readMessageText(item.message);
  if (text.length <= threshold || isShortened(item)) return null;
  const file = options.spill === null ? null : buildSideFileName(item, options.spill);
  const kind = findToolKind(use.name);
  const name = `${describeUse(use)}${kind === 'read' ? describePart(use) : ''}`;
  const about = `[${[name, describeSize(text), ...describeExitCode(item, text), describeHash(text)].join(', ')}]`;
  const where = `Full data: ${file === null ? describeLocation(item) : `${describeLocation(item)}, or ${file}`}`;
  const room = { share: threshold / options.overCharacters, taken: about.length + where.length + WORDS };
  const excerpt = buildExcerpt(kind, text, scaleSize(kind, options, room), scaleSize('other', options, room));
  const change = proposeShorter(
    item,
    replaceTexts(item.message, [`${about} ${excerpt.what}:`, excerpt.text, where].join('\n')),
  );
  if (!change) return null;
  const reason = `${text.length} characters in a result ${describeAge(age)}, more than ${threshold}`;
  return { changes: [file === null ? change : { ...change, spill: { name: file, text } }], reason };
}

interface Room {
  /** The share of the sizes that there is room for. */
  readonly share: number;
  /** The characters that notes take. */
  readonly taken: number;
}

function scaleSize(kind: ToolKind, options: Options, { share, taken }: Room): ExcerptSize {
  const { characters, lines, tail } = SIZES[kind](options);
  return { characters: Math.max(LEAST_ROOM, Math.floor(characters * share) - taken), lines, tail };
}

const SIZES: Readonly<Record<ToolKind, (options: Options) => ExcerptSize>> = {
  search: ({ searchCharacters: characters, searchResults: lines }) => ({ characters, lines, tail: 0 }),
  read: ({ fileCharacters: characters, fileLines: lines }) => ({ characters, lines, tail: 0 }),
  command: ({ commandCharacters: characters, commandLines: lines, commandTail }) => ({
    characters,
    lines,
    tail: Math.min(commandTail, lines),
  }),
  other: ({ otherCharacters: characters }) => ({ characters, lines: LINES_OF_OTHERS, tail: LINES_OF_OTHERS / 2 }),
};

const LINES_OF_OTHERS = 40;

/** The characters of the notes that are always the same. */
const WORDS = 40;
/** The characters that a result keeps at least, also where the note is long. */
const LEAST_ROOM = 200;

function buildSideFileName({ from: { entryId, line } }: HistoryItem, folder: string): string {
  const name = entryId !== null && FILE_NAME.test(entryId) ? entryId : `line-${line}`;
  return `${folder.replace(/\/+$/, '')}/${name}.txt`;
}

/** Names that every file system accepts, and that are no device of Windows. */
const FILE_NAME = /^(?!(?:con|prn|aux|nul|(?:com|lpt|line-)\d+)$)[a-z\d_-]{1,64}$/;

/** Pi writes the code of a command that failed below its output, and fails no other. */
function describeExitCode({ message }: HistoryItem, text: string): readonly string[] {
  const [, written] = /\bCommand exited with code (\d{1,10})\s*$/.exec(text.slice(-LAST_WORDS)) ?? [];
  if (written !== undefined) return [`exit code ${written}`];
  const { details, toolName, isError } = message;
  const recorded = isObject(details) ? details.exitCode : undefined;
  if (typeof recorded === 'number') return [`exit code ${recorded}`];
  return toolName === 'bash' && isError === false ? ['exit code 0'] : [];
}

const LAST_WORDS = 200;
