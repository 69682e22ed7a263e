import * as z from 'zod/mini';
import { textOf } from '#analysis/facts/text.js';
import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { isObject } from '#base/json.js';
import { defineStrategy, type Proposal } from '../define.js';
import { excerptOf } from '../excerpts.js';
import { ageOf, type History, type Item } from '../history.js';
import { hashOf, isShortened, shorter, sizeOf, turnsOld, whereIs, withText } from '../notes.js';
import { nameOfUse, partOf, toolKind } from '../tool-kinds.js';

const NOT_BELOW = 'must be a folder below the working directory; use --side-files for any other';

const options = z.strictObject({
  afterTurns: z
    ._default(z.int().check(z.positive()), 1)
    .register(z.globalRegistry, { description: 'Minimum age of a result in turns (the newest turn is 0)' }),
  overCharacters: z._default(z.int().check(z.minimum(500)), 1500).register(z.globalRegistry, {
    description: 'Maximum characters of a result; lower as the context fills',
  }),
  spill: z
    ._default(z.nullable(z.string().check(z.minLength(1), z.refine(isBelow, NOT_BELOW))), null)
    .register(z.globalRegistry, {
      description: 'Folder below the working directory for the full results, one file each; null: none',
    }),
});

/** Whether a folder is below the working directory. A policy may come from a foreign repository, so it may write nowhere else. */
function isBelow(folder: string): boolean {
  return !/^(?:[/\\~]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(folder);
}

type Options = z.infer<typeof options>;

export default defineStrategy<Options>({
  name: 'compress',
  summary: 'Shorten long results of older turns, by the kind of tool',
  help:
    'Shortens the text of each tool result that is at least `afterTurns` turns old and longer than `overCharacters`, ' +
    'to two thirds of that length or less. The tool and its output decide what is kept:\n\n' +
    '- searches (`grep`, `find`, `ls`, `web_search`, …): the first 20 entries; for hits in JSON, their title, ' +
    'address and snippet\n' +
    '- files (`read`, …): the first 10 lines\n' +
    '- JSON of other tools: its fields, with short values as they are and the size of longer ones\n' +
    '- commands (`bash`, …): the first and last lines, twice as many from the end, and the exit code if it is known\n' +
    '- anything else: as much of the beginning as of the end\n\n' +
    'A line before the text names the call, the lines, bytes and SHA-256 of the full result, and the entry that ' +
    'contains it. With `spill`, the full result is also written to a file in that folder, which the line names. ' +
    'Images are kept.\n\n' +
    '**The threshold depends on the free space.** It is `overCharacters` while at least half of the limit is free. ' +
    'Below that it decreases in proportion, down to a third: with a quarter free, it is half of `overCharacters`. If ' +
    'the limit is unknown, it stays `overCharacters`.',
  options,
  *propose(history, wanted) {
    const uses = new Map(history.uses.map((use) => [use.resultAt, use]));
    const threshold = thresholdFor(history, wanted.overCharacters);
    for (const item of history.items) {
      const use = uses.get(item.at);
      if (!use || item.isFrozen || ageOf(history, item) < wanted.afterTurns) continue;
      const proposal = compressed({ item, use, threshold, age: ageOf(history, item) }, wanted);
      if (proposal) yield proposal;
    }
  },
});

/** How long a result may be before it is shortened, in UTF-16 code units: less where less of the limit is free. */
export function thresholdFor({ tokens, limit }: Pick<History, 'tokens' | 'limit'>, base: number): number {
  if (limit === null || limit <= 0) return base;
  const free = Math.max(0, 1 - tokens / limit);
  return Math.round(base * Math.min(1, Math.max(LEAST, free / ENOUGH)));
}

/** The share of the limit that is room enough, and the least that becomes of the threshold. */
const ENOUGH = 1 / 2;
const LEAST = 1 / 3;

interface Long {
  readonly item: Item;
  readonly use: ToolUse;
  readonly threshold: number;
  readonly age: number;
}

function compressed({ item, use, threshold, age }: Long, { spill }: Options): Proposal | null {
  const text = textOf(item.message);
  if (text.length <= threshold || isShortened(item)) return null;
  const file = spill === null ? null : fileFor(item, spill);
  const kind = toolKind(use.name);
  const name = `${nameOfUse(use)}${kind === 'read' ? partOf(use) : ''}`;
  const about = [name, sizeOf(text), ...exitCode(item, text), hashOf(text)].join(', ');
  const where = file === null ? whereIs(item) : `${whereIs(item)} and in ${file}`;
  const room = Math.floor((threshold * 2) / 3) - about.length - where.length - WORDS;
  const excerpt = excerptOf(kind, text, Math.max(LEAST_ROOM, room));
  const lines = [`[${about}; ${excerpt.what}; the full result is in ${where}]`, excerpt.text];
  const change = shorter(item, withText(item.message, lines.join('\n')));
  if (!change) return null;
  const reason = `${text.length} characters in a result ${turnsOld(age)}, more than ${threshold}`;
  return { changes: [file === null ? change : { ...change, spill: { name: file, text } }], reason };
}

/** The characters of the note that say always the same. */
const WORDS = 80;
/** For what stays where the note is long. */
const LEAST_ROOM = 200;

function fileFor({ from: { entryId, line } }: Item, folder: string): string {
  const name = entryId !== null && FILE_NAME.test(entryId) ? entryId : `line-${line}`;
  return `${folder.replace(/\/+$/, '')}/${name}.txt`;
}

/** Names that every file system accepts, and that are no device of Windows. */
const FILE_NAME = /^(?!(?:con|prn|aux|nul|(?:com|lpt|line-)\d+)$)[a-z\d_-]{1,64}$/;

/** Pi writes the code of a command that failed below its output, and fails no other. */
function exitCode({ message }: Item, text: string): readonly string[] {
  const [, written] = /\bCommand exited with code (\d{1,10})\s*$/.exec(text.slice(-LAST_WORDS)) ?? [];
  if (written !== undefined) return [`exit code ${written}`];
  const { details, toolName, isError } = message;
  const recorded = isObject(details) ? details['exitCode'] : undefined;
  if (typeof recorded === 'number') return [`exit code ${recorded}`];
  return toolName === 'bash' && isError === false ? ['exit code 0'] : [];
}

const LAST_WORDS = 200;
