import { createHash } from 'node:crypto';
import v8 from 'node:v8';
import type { RunningFigures, RunningState } from '#analysis/running/running-figures.js';
import { RunningTally } from '#analysis/running/running-tally.js';
import { CtxError } from '#base/errors.js';
import { isObject, parseJson } from '#base/json.js';
import { buildPriceList } from '#context/models/registry.js';
import type { IndexFolder } from '#platform/files/index-folder.js';
import type { Io } from '#platform/io.js';
import type { RunningReader } from '#session/agents/running-events.js';
import { findRunningReader } from '#session/agents/running-readers.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { findLineStart, readLines } from '#session/scan/lines.js';

/** The outside world of a reading. */
export interface RunningWorld extends Pick<Io, 'files' | 'now'> {
  /** The index that keeps the place of the last reading; null for none. */
  readonly index: IndexFolder | null;
  /** The time zone of days; null for UTC. */
  readonly timezone: string | null;
  /** The time at which reading ends, in milliseconds since 1970. */
  readonly deadline: number;
}

/** Numbers that a caller stores with a reading, by their names. */
export type Notes = ReadonlyMap<string, number>;

/** The figures of a session that an agent is writing. */
export interface RunningReading {
  /** The sums are too low if the deadline came before the end of the file. The context is always that of the end. */
  readonly figures: RunningFigures;
  readonly isWhole: boolean;
  readonly notes: Notes;
  /** Stores the place of this reading, if it is worth it, and the notes, if they differ. */
  keep(notes?: Notes): void;
}

/** A reading as it is stored. */
interface Checkpoint {
  /** The position after the last line that was read, and the number of lines before it. */
  readonly end: number;
  readonly lines: number;
  /** The bytes before that position: where they differ, the file was replaced. */
  readonly last: Uint8Array;
  readonly state: RunningState | null;
  readonly notes: Notes;
}

const START: Checkpoint = { end: 0, lines: 0, last: new Uint8Array(), state: null, notes: new Map() };

const FIRST_BYTES = 1 << 14;
const MEMORY_BYTES = 256;
/** Fewer bytes are read again in less time than it takes to store the place. */
const WORTH_BYTES = 1 << 16;
/** A longer line is skipped: a line with recorded usage is shorter. */
const LONGEST_BYTES = 1 << 26;
/** The clock is looked at after this many bytes, so that every reading gets on, also on a busy machine. */
const CLOCK_BYTES = 1 << 19;
const TAIL_BYTES = 1 << 19;

/**
 * Reads what was appended to a session since the last reading, until the deadline; the next reading goes on there. null for
 * a file of an agent that is not known to run `ctx`. Throws a CtxError (input) if the file cannot be read.
 */
export async function readRunningSession(world: RunningWorld, file: string): Promise<RunningReading | null> {
  if (world.files.isPipe(file)) throw new CtxError('input', 'this is a pipe, not a session file', { where: file });
  const source = await world.files.open(file);
  try {
    const reader = findRunningReader(decode(source, 0, FIRST_BYTES));
    if (reader === null) return null;
    const name = nameCheckpoint(world, file);
    const before = (name === null ? null : readCheckpoint(world, source, name)) ?? START;
    const tally = createTally(world, before.state);
    const { end, lines } = readOn(world, { source, reader, tally }, before);
    const isWhole = end === source.size || findLineStart(source, end) === null;
    const figures = tally.figures();
    const last = source.read(Math.max(0, end - MEMORY_BYTES), end).slice();
    return {
      figures: isWhole ? figures : { ...figures, context: readLastContext(world, { source, reader }) },
      isWhole,
      notes: before.notes,
      keep(notes = before.notes) {
        if (name === null || (notes === before.notes && end - before.end < WORTH_BYTES)) return;
        world.index?.write(name, v8.serialize({ end, lines, last, state: tally.state(), notes } satisfies Checkpoint));
      },
    };
  } finally {
    source.close();
  }
}

function createTally({ timezone }: RunningWorld, state: RunningState | null): RunningTally {
  return new RunningTally(buildPriceList(), timezone, state);
}

function nameCheckpoint({ index, timezone }: RunningWorld, file: string): string | null {
  if (index === null) return null;
  return createHash('sha256')
    .update(JSON.stringify(['running', index.program, timezone, file]))
    .digest('hex');
}

/** null without one, and for a file that was replaced since. */
function readCheckpoint({ index }: RunningWorld, source: ByteSource, name: string): Checkpoint | null {
  const bytes = index?.read(name) ?? null;
  if (bytes === null) return null;
  // The sum of the bytes is right, so another run of the same program has written them.
  const checkpoint = v8.deserialize(bytes) as Checkpoint;
  const isSame =
    source.size >= checkpoint.end &&
    isEqual(source.read(checkpoint.end - checkpoint.last.length, checkpoint.end), checkpoint.last);
  return isSame ? checkpoint : null;
}

function isEqual(some: Uint8Array, others: Uint8Array): boolean {
  return Buffer.compare(some, others) === 0;
}

interface Reading {
  readonly source: ByteSource;
  readonly reader: RunningReader;
}

/** Reads complete lines until the deadline, and at least some. Damaged lines are skipped. */
function readOn(
  { now, deadline }: RunningWorld,
  { source, reader, tally }: Reading & { readonly tally: RunningTally },
  from: Pick<Checkpoint, 'end' | 'lines'>,
): Pick<Checkpoint, 'end' | 'lines'> {
  let { end, lines } = from;
  let checked = end;
  for (const { offset, length, terminated } of readLines(source, from.end)) {
    // The rest of a line that is being written comes with the next reading.
    if (!terminated) break;
    takeLine({ source, reader }, { offset, length, line: lines + 1 }, tally);
    end = offset + length;
    lines += 1;
    if (end - checked < CLOCK_BYTES) continue;
    checked = end;
    if (now() >= deadline) break;
  }
  return { end, lines };
}

function takeLine(
  { source, reader }: Reading,
  { offset, length, line }: { readonly offset: number; readonly length: number; readonly line: number },
  tally: RunningTally,
): void {
  if (length > LONGEST_BYTES) return;
  const { buffer, byteOffset } = source.read(offset, offset + length);
  const bytes = Buffer.from(buffer, byteOffset, length);
  if (!reader.mayMatter(bytes)) return;
  const record = parseJson(bytes.toString());
  if (!isObject(record)) return;
  for (const event of reader.listEvents(record, line)) tally.take(event);
}

/** The context at the end of a file whose beginning was not read. */
function readLastContext(world: RunningWorld, { source, reader }: Reading): RunningFigures['context'] {
  const tally = createTally(world, null);
  const start = findLineStart(source, Math.max(0, source.size - TAIL_BYTES)) ?? source.size;
  for (const { offset, length } of readLines(source, start))
    takeLine({ source, reader }, { offset, length, line: 0 }, tally);
  return tally.figures().context;
}

function decode(source: ByteSource, start: number, most: number): string {
  const { buffer, byteOffset, byteLength } = source.read(start, Math.min(source.size, start + most));
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
