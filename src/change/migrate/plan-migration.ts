import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { isSameContent } from '#context/replay/equality.js';
import type { Head, RawId } from '#session/heads/head.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { LineSpan } from '#session/scan/lines.js';
import { type Session } from '#session/session.js';
import { type DiscardedBytes, FileEditor } from '../bytes/file-editor.js';
import { addLineNumbers, type WithLine } from '../bytes/line-numbers.js';
import { changeMembers } from '../bytes/member-edits.js';
import { type Conversion, type ConversionForm, convertCompactions } from './convert-compactions.js';
import { changeParent, CURRENT_VERSION, planLineChange } from './migrated-line.js';
import { buildContextChangedError } from './same-context.js';

export interface MigrationOptions {
  /** The form that replaces compactions; null leaves them as they are. */
  readonly compactions: ConversionForm | null;
}

/** A file of version 3 that is not written yet. Offsets, lengths and lines are those of the old file. */
export interface MigrationPlan {
  /** The new file; the old one itself where there is nothing to migrate. */
  readonly result: ByteSource;
  /** Lines that are not in the new file as they were. */
  readonly changedLines: number;
  /** The conversions in the order of the file. */
  readonly conversions: readonly Conversion[];
  /** Bytes that are not in the new file. */
  readonly lost: readonly WithLine<DiscardedBytes>[];
}

/** Whether Pi would rewrite the file when it opens it. */
export function isOld({ header }: Pick<Session, 'header'>): boolean {
  return !(header.version >= CURRENT_VERSION);
}

/**
 * Plans how to bring a session to version 3, as Pi does on load, but with the same ids every time. Lines that need no
 * change stay byte for byte. Throws a CtxError (input) if the context would change.
 */
export function planMigration(session: Session, { compactions }: MigrationOptions): MigrationPlan {
  const damage = isOld(session) ? listDamage(session) : [];
  const gone = new Set(damage.map(({ span }) => span.offset));
  const parentOf = buildParentMap(session, gone);
  const conversions = compactions
    ? convertCompactions(session, { form: compactions, parentOf })
    : new Map<number, Conversion>();
  const editor = new FileEditor(session.source);
  const rewriting: Rewriting = { session, editor, gone, parentOf, conversions, changed: 0 };
  if (isOld(session)) rewriteAll(rewriting, damage);
  else for (const { head } of orderConversions(conversions)) rewriteEntry(rewriting, head);
  const { result, discarded } = editor.finish();
  refuseChange(session, result);
  return {
    result,
    changedLines: rewriting.changed,
    conversions: orderConversions(conversions),
    lost: addLineNumbers(session.source, discarded),
  };
}

function orderConversions(conversions: ReadonlyMap<number, Conversion>): readonly Conversion[] {
  return [...conversions.values()].toSorted((a, b) => a.head.index - b.head.index);
}

/** The parent that an entry names in the new file, which lacks the lines of version 1 that are no objects. */
function buildParentMap({ tree: { heads }, header }: Session, gone: ReadonlySet<number>): (head: Head) => unknown {
  return (head) => {
    if (!(header.version < 2)) return head.parentId;
    let parent = heads.at(head.index - 1);
    while (parent && gone.has(parent.offset)) parent = heads.at(parent.index - 1);
    return parent?.id ?? null;
  };
}

interface Rewriting {
  readonly session: Session;
  readonly editor: FileEditor;
  /** The offsets of the lines that the new file lacks. */
  readonly gone: ReadonlySet<number>;
  readonly conversions: ReadonlyMap<number, Conversion>;
  parentOf(head: Head): unknown;
  changed: number;
}

/** Rewrites the headers, damaged lines and entries of an old file, in the order of the file. */
function rewriteAll(rewriting: Rewriting, damage: readonly Damage[]): void {
  const { session, editor, gone } = rewriting;
  const { headerSpan, repeatedHeaders } = session.scan;
  const headers = [headerSpan, ...repeatedHeaders].map((span) => ({ span, code: null }));
  const others = [...headers, ...damage].toSorted((a, b) => a.span.offset - b.span.offset);
  let next = 0;
  const passOthers = (end: number): void => {
    for (let other = others[next]; other && other.span.offset < end; other = others[next]) {
      next += 1;
      if (other.code === null) rewriteHeader(rewriting, other.span);
      else {
        editor.keepTo(other.span.offset);
        editor.discardTo(other.span.offset + other.span.length, other.code);
      }
    }
  };
  for (const head of session.tree.heads) {
    passOthers(head.offset);
    if (!gone.has(head.offset)) rewriteEntry(rewriting, head);
  }
  passOthers(Infinity);
}

function rewriteHeader(rewriting: Rewriting, at: LineSpan): void {
  const { session, editor } = rewriting;
  changeMembers(editor, { source: session.source, at, changes: { version: CURRENT_VERSION } });
  rewriting.changed += 1;
}

function rewriteEntry(rewriting: Rewriting, head: Head): void {
  const { session, editor } = rewriting;
  const conversion = rewriting.conversions.get(head.index);
  const change = changeParent(
    planLineChange(session, head, rewriting.gone),
    findNewParent(rewriting, head, conversion),
  );
  if (!conversion && !change) return;
  rewriting.changed += 1;
  editor.keepTo(head.offset);
  if (conversion) editor.add(`${JSON.stringify(conversion.entry)}\n`);
  if (conversion?.place === 'instead') editor.skipTo(head.offset + head.length);
  else if (change) changeMembers(editor, { source: session.source, at: head, ...change });
}

/** undefined: the parent stays. */
function findNewParent(
  { session, parentOf }: Rewriting,
  head: Head,
  conversion: Conversion | undefined,
): RawId | undefined {
  if (conversion?.place === 'above') return conversion.entry.id as RawId;
  return session.header.version < 2 ? (parentOf(head) as RawId) : undefined;
}

/** Reads the new file before it is written. */
function refuseChange(session: Session, result: ByteSource): void {
  const after = readSession(result, session.file);
  const old = buildEnvelope(toLenient(attachPatchReader(session)), session.tree.leaf);
  if (isSameContent(old, buildEnvelope(toLenient(attachPatchReader(after)), after.tree.leaf))) return;
  throw buildContextChangedError(session);
}

interface Damage {
  readonly span: LineSpan;
  /** The rule of `ctx check` that finds it. */
  readonly code: string;
}

/**
 * The lines that an old session loses when Pi rewrites it. These are damaged lines, and in version 1 also JSON that is no
 * object, which can have no id.
 */
function listDamage({ scan, header }: Session): readonly Damage[] {
  const codes = new Map(scan.problems.map(({ code, offset }) => [offset, code]));
  const damaged = scan.damaged.map((span) => ({ span, code: codes.get(span.offset) ?? 'split-line' }));
  if (!(header.version < 2)) return damaged;
  const isDamaged = new Set(damaged.map(({ span }) => span.offset));
  const values = scan.problems.flatMap(({ code, line, offset, length }) =>
    code === 'not-an-object' && offset !== undefined && length !== undefined && !isDamaged.has(offset)
      ? [{ span: { line: line ?? 0, offset, length }, code }]
      : [],
  );
  return [...damaged, ...values];
}
