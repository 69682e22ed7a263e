import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { describeVersion } from '#session/scan/header.js';
import type { Session } from '#session/session.js';
import { parentOf, pathTo } from '#session/tree/tree.js';

const CURRENT_VERSION = 3;

/** Throws a CtxError (refused) for a session that Pi would rewrite, or that has no place to append to. */
export function assertAppendable({ header, file, tree }: Session): void {
  if (!(header.version >= CURRENT_VERSION)) {
    throw new CtxError('refused', `ctx cannot append to a session of ${describeVersion(header.version)}`, {
      where: file,
      hint: 'convert it first: ctx migrate --output NEW.jsonl (Pi gives its entries new ids when it opens it)',
    });
  }
  const { last } = tree.heads;
  if (last === undefined) return;
  // An entry whose parent is '' is a root for Pi.
  if (typeof last.id !== 'string' || last.id === '')
    throw buildUnfitError('the last entry has no id, so no entry can follow it', `${file}:${last.line}`);
  const [root] = pathTo(tree, last);
  if (root && parentOf(tree, root))
    throw buildUnfitError('the parents of the last entry form a cycle', `${file}:${root.line}`);
}

function buildUnfitError(what: string, where: string): CtxError {
  const hint = 'repair the session first: ctx repair --output NEW.jsonl';
  return new CtxError('refused', what, { where, hint });
}

/** Throws a CtxError (refused) for a session of another agent, whose files are never written to. */
export function refuseAgentFile(session: Session): void {
  if (session.agent) throw buildAgentFileError(session);
}

/** Builds the error for a change of a session of another agent. */
export function buildAgentFileError({ agent, file }: Pick<Session, 'agent' | 'file'>): CtxError {
  const output = `${file.replace(/^.*[\\/]/, '').replace(/\.jsonl?$/, '')}.pi.jsonl`;
  return new CtxError('refused', `a session of ${agent?.title ?? 'another agent'} is never written to`, {
    where: file,
    hint: `convert it first: ctx convert ${toShellWord(file)} --output ${toShellWord(output)}`,
  });
}
