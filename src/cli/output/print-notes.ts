import { type Problem, shortenForError } from '#base/errors.js';
import { addTo } from '#base/maps.js';
import { toShellWord } from '#base/shell.js';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import type { OutcomeEnd } from '../commands/define.js';
import { shortenPaths } from '../sessions/folders.js';

/** Prints what a command says beside its answer: its notes, the problems of the session, and where to read on. */
export async function printEnd(io: Io, { problems, file, notes = [] }: OutcomeEnd): Promise<void> {
  for (const note of notes) await printNote(io, note);
  const kinds = new Map<string, Problem[]>();
  for (const problem of problems) {
    if (problem.severity !== 'note') addTo(kinds, problem.code, problem);
  }
  for (const [code, found] of kinds) await printSentence(io, `ctx: warning: ${describeProblems(code, found)}\n`);
  if (kinds.size > 0 && file !== undefined)
    await printSentence(io, `ctx: for details: ctx check ${toVisibleLine(toShellWord(file))}\n`);
}

export async function printNote(io: Io, note: string): Promise<void> {
  await printSentence(io, `ctx: ${toVisibleLine(note)}\n`);
}

/** Writes to standard error. If that fails, only the exit code reports it. */
export async function writeToStandardError({ stderr }: Io, text: string): Promise<void> {
  await stderr.write(text).catch(() => false);
}

const MOST_LINES = 5;

/** Describes the problems of one kind: where they are, and the first of them. */
function describeProblems(code: string, problems: readonly Problem[]): string {
  const lines = problems.flatMap(({ line }) => line ?? []);
  const where = lines.length === 0 ? '' : ` on ${describeLines(lines)}`;
  const [first = '', ...others] = problems.map(({ message }) => message);
  const what = others.length === 0 ? first : `${problems.length} problems, the first: ${first}`;
  return `${code}${where}: ${toVisibleLine(shortenForError(what))}`;
}

function describeLines(lines: readonly number[]): string {
  if (lines.length === 1) return `line ${lines[0]}`;
  const more = lines.length > MOST_LINES ? ', …' : '';
  return `lines ${lines.slice(0, MOST_LINES).join(', ')}${more}`;
}

/** Prints a sentence with short paths. On a terminal it is wrapped between words. */
async function printSentence(io: Io, text: string): Promise<void> {
  const { isTerminal, columns } = io.stderr;
  const short = shortenPaths(text, io);
  if (!isTerminal || short.length <= columns) return writeToStandardError(io, short);
  const { nameSessionsById } = await import('../sessions/handles.js');
  const named = shortenPaths(await nameSessionsById(text, io), io);
  const { renderProse } = await import('#ui/doc/text.js');
  await writeToStandardError(io, await renderProse(named, columns));
}
