import type { LossDocument } from '#analysis/loss/document.js';
import { type EntryFate, EntryFates } from '#analysis/loss/fates.js';
import type { InputRule } from '#analysis/loss/input-rule.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { walk } from '#context/walk.js';
import { pathTo } from '#session/tree/tree.js';
import { findHeadAtLine } from '../../src/session/tree/head-at-line.js';

/** Every entry above the boundary of an audit, also those that the document only counts. */
export function accountsAt(session: OpenSession, { boundary }: LossDocument, rule?: InputRule): readonly EntryFate[] {
  const path = pathTo(session.tree, findHeadAtLine(session, boundary!.line)!);
  const accounts = new EntryFates({ session, path, rule });
  for (const step of walk(toLenient(session), path).steps) accounts.take(step);
  return [...accounts.listBefore(path.at(-1)!)];
}
