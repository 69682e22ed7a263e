import { CtxError } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import { lengthOf, plural } from '#base/words.js';
import type { Plan } from '#change/plan/plan.js';
import { notesOn } from '#change/write/append.js';
import type { OpenSession } from '#context/open.js';
import { titleOf } from '#context/words/message-text.js';
import type { Io } from '#platform/io.js';
import { prose } from '#ui/doc/prose.js';

interface Asking {
  readonly session: OpenSession;
  readonly plan: Plan;
  /** Sentences that the user should read first. */
  readonly remarks: readonly string[];
}

/**
 * On a terminal, asks the user whether to append a plan. Returns the notes printed before the question. Throws a
 * CtxError (refused) for any answer but yes.
 */
export async function confirmAppend(io: Io, { session, plan, remarks }: Asking): Promise<readonly string[]> {
  const { file } = plan.session;
  const age = io.now() - io.files.modified(file);
  const watchers = await io.files.processesWith(file);
  const notes = [...remarks, ...notesOn({ recovered: 'none', watchers, age })];
  const question = questionOf(session, plan, age);
  const said = [...notes.map((note) => `note: ${note}`), question].map(visibleLine).join('\n');
  const answer = await io.ask(`${(await prose(said, io.stderr.columns)).trimEnd()} `);
  if (answer === null) return [];
  if (/^y(es)?$/i.test(answer.trim())) return notes;
  throw new CtxError('refused', 'not confirmed; nothing was written', {
    where: file,
    hint: 'answer y, or pass --yes',
  });
}

function questionOf(session: OpenSession, { entries }: Plan, age: number): string {
  const { cwd } = session.header;
  const about = [`${lengthOf(age / 1000)} old`, ...(cwd === null ? [] : [cwd])];
  return `Append ${plural(entries.length, 'entry', 'entries')} to "${titleOf(session)}" (${about.join(', ')})? [y/N]`;
}
