import type { LossDocument } from '#analysis/loss/document.js';
import type { OpenSession } from '#context/open.js';
import { headAtLine, pathTo } from '#session/tree/tree.js';
import { type Account, accountsOf, type InputRule } from '../../src/analysis/loss/ledger.js';

/** Every entry above the boundary of an audit, also those that the document only counts. */
export function accountsAt(session: OpenSession, { boundary }: LossDocument, rule?: InputRule): readonly Account[] {
  const path = pathTo(session.tree, headAtLine(session, boundary!.line)!);
  return accountsOf({ session, readPatch: session.readPatch, path, rule });
}
