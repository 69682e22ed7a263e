import { traceWords } from '#analysis/loss/trace.js';
import { readWordQuery, type WordQuery } from '#analysis/search/word-query.js';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { findCopier } from '#change/copy/copy-draft.js';
import { resolvePath } from '#session/tree/revision.js';
import { defineCommand } from '../define.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import { renderWhy } from './view.js';

export default defineCommand({
  name: 'why',
  summary: 'Explain why the model forgot something',
  description:
    'Finds words on the path, and whether the model still sees them. If not, it names the compaction, edit or transform that ' +
    'took them out of the context, what the summary has of them, and what you can do. All words must be in one text; a ' +
    'phrase is in double quotes, and compact* is any word that begins so. Changes nothing. The exit code is 1 if the ' +
    'words are nowhere on the path.',
  args: [{ name: 'words', help: 'the words that the model should know' }, sessionArgument, revisionArgument],
  flags: {},
  takesRedact: true,
  examples: ["ctx why 'regression test'", 'ctx why files latest:claude', 'ctx why forecast session.jsonl'],
  async run(input) {
    const { args } = input;
    const query = readQuery(args[0]);
    const session = await openNamedSession(input, args[1]);
    const { path } = resolvePath(session, args[2]);
    const data = traceWords(session, path, query);
    const name = toShellWord(args[1] ?? 'latest');
    const view = { name, words: toShellWord(args[0] ?? ''), isCopied: findCopier(session) !== null };
    return {
      kind: 'single',
      item: { data, doc: () => renderWhy(data, view) },
      file: session.file,
      problems: session.problems,
      exitCode: data.statements.length > 0 ? 0 : 1,
    };
  },
});

function readQuery(typed = ''): WordQuery {
  const query = readWordQuery(typed);
  if (query) return query;
  throw new CtxError('usage', 'there are no words to look for', { hint: "try: ctx why 'use tabs'" });
}
