import { traceWords } from '#analysis/loss/trace.js';
import { readWordQuery, type WordQuery } from '#analysis/search/word-query.js';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { readForCopy } from '#change/copy/session-to-copy.js';
import { findSession } from '#cli/locate.js';
import { describeOverfull, findSessionWindow } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { findCopier } from '#session/agents/index.js';
import { resolvePath } from '#session/tree/revision.js';
import { draftUndoneCopy } from '../../copy/undone-copy.js';
import { defineCommand } from '../define.js';
import { toggleFlag } from '../flags.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import { chooseStatements, findUndoable, renderWhy, type UndoPlace } from './view.js';

export default defineCommand({
  name: 'why',
  summary: 'Explain why the model forgot something',
  description:
    'Finds words on the path, and whether the model still sees them. If not, it names the compaction, edit or transform that ' +
    'took them out of the context, what the summary has of them, and what you can do. All words must be in one text; a ' +
    'phrase is in double quotes, and compact* is any word that begins so. Changes nothing. The exit code is 1 if the ' +
    'words are nowhere on the path.',
  args: [{ name: 'words', help: 'the words that the model should know' }, sessionArgument, revisionArgument],
  flags: { full: toggleFlag('list every place with the words') },
  takesRedact: true,
  examples: ["ctx why 'regression test'", 'ctx why files latest:claude', 'ctx why forecast session.jsonl'],
  async run(input) {
    const { io, args, flags, configuredLimit } = input;
    const { words, session: named } = await orderWords(io, args);
    const query = readQuery(words);
    const session = await openNamedSession(input, named);
    const { path } = resolvePath(session, args[2]);
    const all = traceWords(session, path, query);
    const listed = flags.full ? all.statements : chooseStatements(all.statements);
    const leftOut = all.statements.length - listed.length;
    const data = leftOut === 0 ? all : { ...all, statements: [...listed], leftOut };
    const name = toShellWord(named ?? 'latest');
    const undone = findUndoable(listed);
    const undo = undone === null ? 'none' : await findUndoPlace(session, undone, configuredLimit);
    const view = { name, words: toShellWord(words ?? ''), undo };
    return {
      kind: 'single',
      item: { data, doc: () => renderWhy(all, listed, view) },
      file: session.file,
      problems: session.problems,
      exitCode: all.statements.length > 0 ? 0 : 1,
    };
  },
});

/** Finds where `ctx revert` takes back what an entry did. */
async function findUndoPlace(session: OpenSession, entryId: string, configuredLimit?: number): Promise<UndoPlace> {
  const copier = findCopier(session);
  if (!copier) return 'session';
  if (session.agent?.isSubagent) return 'none';
  try {
    const copied = await readForCopy(session, copier);
    const window = findSessionWindow(copied, { configuredLimit });
    const { before, after } = draftUndoneCopy(copied, entryId);
    const sizes = { before: before.meta.size, after: after.meta.size };
    return describeOverfull(sizes, window, 'COPY') === null ? 'copy' : 'overfull copy';
  } catch (error) {
    if (error instanceof CtxError) return 'none';
    throw error;
  }
}

interface OrderedArguments {
  readonly words: string | undefined;
  readonly session: string | undefined;
}

/** Tells the words from the session: a user may name the session first, as for other commands. */
async function orderWords(io: Io, [first, second]: readonly (string | undefined)[]): Promise<OrderedArguments> {
  const asTyped = { words: first, session: second };
  if (first === undefined || second === undefined || (await findSession(io, second)) !== null) return asTyped;
  return (await findSession(io, first)) === null ? asTyped : { words: second, session: first };
}

function readQuery(typed = ''): WordQuery {
  const query = readWordQuery(typed);
  if (query) return query;
  throw new CtxError('usage', 'there are no words to look for', { hint: "try: ctx why 'use tabs'" });
}
