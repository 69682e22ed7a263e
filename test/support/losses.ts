import type { LossDocument } from '#analysis/loss/document.js';
import { type Account, type InputRule, LossAccounts } from '#analysis/loss/ledger.js';
import type { OpenSession } from '#context/open.js';
import { walk } from '#context/walk.js';
import { headAtLine, pathTo } from '#session/tree/tree.js';

/** Every entry above the boundary of an audit, also those that the document only counts. */
export function accountsAt(session: OpenSession, { boundary }: LossDocument, rule?: InputRule): readonly Account[] {
  const { readPatch } = session;
  const path = pathTo(session.tree, headAtLine(session, boundary!.line)!);
  const accounts = new LossAccounts({ session, readPatch, path, rule });
  for (const step of walk(session, path, { readPatch, lenient: true }).steps) accounts.take(step);
  return [...accounts.before(path.at(-1)!)];
}
