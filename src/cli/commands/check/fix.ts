import { CtxError } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import { count, plural } from '#base/words.js';
import { planRepair, type RepairPlan } from '#change/repair/repair.js';
import { locateSession } from '#cli/locate.js';
import type { RepairReport } from '#cli/schemas.js';
import { type Part, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { type Block, cell, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { lostFileOf, unchanged, writtenPieces } from '../new-session.js';

interface Flags {
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
}

interface Input {
  readonly io: Io;
  readonly args: readonly (string | undefined)[];
  readonly flags: Flags;
}

/** Mends one session in a new file. Exit code 1 says that something is lost. */
export async function fixed({ io, args, flags }: Input): Promise<Outcome> {
  const file = locateSession(io, onlyOne(args));
  const output = flags['dry-run'] ? null : (flags.output ?? null);
  const check = unchanged(io, file);
  const source = await io.files.open(file);
  try {
    const plan = await planRepair(source, file);
    if (output !== null) await write(io, plan, { file, output, force: flags.force ?? false, check });
    const data = reportOf(plan, source, { file, output });
    const doc = repairDoc(data, flags.output ?? null);
    return { kind: 'report', report: { data, doc: () => doc }, problems: [], exitCode: plan.lost.length > 0 ? 1 : 0 };
  } finally {
    source.close();
  }
}

function onlyOne(args: readonly (string | undefined)[]): string {
  const [name, ...others] = args;
  if (name !== undefined && others.length === 0) return name;
  throw new CtxError('usage', '--fix mends one session at a time', { hint: 'name one session file' });
}

interface Writing {
  readonly file: string;
  readonly output: string;
  readonly force: boolean;
  /** Throws where somebody has written to the old file. */
  check(): void;
}

/** Writes both files, or none of them. */
async function write(io: Io, plan: RepairPlan, { file, output, force, check }: Writing): Promise<void> {
  const options = { force, like: file === '-' ? null : file };
  const parts: Part[] = [{ file: output, options, bytes: writtenPieces(io, plan.result) }];
  if (plan.lost.length > 0) parts.push({ file: lostFileOf(output), options, bytes: allOf(plan.lost) });
  await writeTogether(io.files.createNew, parts, check);
}

function* allOf(lost: RepairPlan['lost']): Generator<Uint8Array> {
  for (const part of lost) yield* part.bytes();
}

function reportOf(
  { result, repairs, lost }: RepairPlan,
  source: ByteSource,
  { file, output }: { readonly file: string; readonly output: string | null },
): RepairReport {
  return {
    schema: 'ctx/repair',
    schemaVersion: 1,
    file,
    output,
    lostFile: output !== null && lost.length > 0 ? lostFileOf(output) : null,
    oldSize: source.size,
    newSize: result.size,
    repairs: repairs.map(({ code: rule, message, entryId, line: at, offset, length }) => {
      return { rule, message, entryId, line: at, offset, length };
    }),
    lost: lost.map(({ code: rule, line: at, offset, length }) => ({ rule, line: at, offset, length })),
  };
}

/** What was mended and what is lost, in the order of the old file. `wanted` is the new file that was asked for. */
function repairDoc(report: RepairReport, wanted: string | null): Doc {
  const items = itemsOf(report);
  const lineCells = items.reduce((most, { at }) => Math.max(most, String(at).length), 0);
  const ruleCells = items.reduce((most, { rule }) => Math.max(most, rule.length), 0);
  const blocks = items.map(({ at, rule, message, isLost }): Block => {
    const place = [cell(String(at), -(INDENT + lineCells), 'faint'), cell(rule, ruleCells, 'strong')];
    return { kind: 'row', isProse: true, cells: [...place, cell(message, 0, isLost ? 'error' : 'plain')] };
  });
  return [heading(2, report.file), ...blocks, ...(items.length > 0 ? [gap] : []), ...endOf(report, wanted)];
}

const INDENT = 2;

interface Item {
  readonly at: number;
  readonly rule: string;
  readonly message: string;
  readonly offset: number;
  readonly isLost: boolean;
}

function itemsOf({ repairs, lost }: RepairReport): readonly Item[] {
  const mended = repairs.map(({ line: at, rule, message, entryId, offset }): Item => {
    const text = entryId === null ? message : `${entryId}: ${message}`;
    return { at, rule, message: visibleLine(text), offset, isLost: false };
  });
  const gone = lost.map(({ line: at, rule, offset, length }): Item => {
    return { at, rule, message: `${plural(length, 'byte')} lost, from byte ${count(offset)} on`, offset, isLost: true };
  });
  return [...mended, ...gone].toSorted((a, b) => a.offset - b.offset);
}

function endOf({ repairs, lost, output, lostFile, newSize }: RepairReport, wanted: string | null): Doc {
  const bytes = lost.reduce((sum, { length }) => sum + length, 0);
  const isClean = repairs.length === 0 && lost.length === 0;
  const mended = plural(repairs.length, 'repair');
  const said = isClean
    ? 'nothing to mend'
    : lost.length === 0
      ? `${mended}, nothing lost`
      : `${mended}, ${plural(bytes, 'byte')} lost`;
  const files =
    output === null
      ? `nothing was written${wanted === null ? '' : ` to ${wanted}`}`
      : `${output}: ${plural(newSize, 'byte')}${isClean ? ', the same as before' : ''}`;
  return [
    line(span(said, lost.length > 0 ? 'warning' : 'good')),
    line(files),
    ...(lostFile === null ? [] : [line(`${lostFile}: ${plural(bytes, 'byte')}, those that are lost`)]),
  ];
}
