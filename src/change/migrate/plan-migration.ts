import { readPatch } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build.js';
import { isSameContent } from '#context/replay/hash.js';
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
import { contextChangedError } from './same-context.js';

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
  /** In the order of the file. */
  readonly conversions: readonly Conversion[];
  /** The lost bytes, which are not in the new file. */
  readonly lost: readonly WithLine<DiscardedBytes>[];
}

/** Whether Pi would rewrite the file when it opens it. */
export function isOld({ header }: Pick<Session, 'header'>): boolean {
  return !(header.version >= CURRENT_VERSION);
}

/**
 * Plans how to bring a session to version 3, as Pi does it on load, but with ids that are the same every time; lines that
 * need no change stay as they are. Throws a CtxError (input) where the context would not stay the same.
 */
export function planMigration(session: Session, { compactions }: MigrationOptions): MigrationPlan {
  const damage = isOld(session) ? damageIn(session) : [];
  const gone = new Set(damage.map(({ span }) => span.offset));
  const parentOf = parentsIn(session, gone);
  const conversions = compactions
    ? convertCompactions(session, { form: compactions, parentOf })
    : new Map<number, Conversion>();
  const editing = new FileEditor(session.source);
  const rewriting: Rewriting = { session, editing, gone, parentOf, conversions, changed: 0 };
  if (isOld(session)) rewriteAll(rewriting, damage);
  else for (const { head } of inOrder(conversions)) rewriteEntry(rewriting, head);
  const { result, lost } = editing.end();
  refuseChange(session, result);
  const withLine = addLineNumbers(session.source, lost);
  return { result, changedLines: rewriting.changed, conversions: inOrder(conversions), lost: lost.map(withLine) };
}

function inOrder(conversions: ReadonlyMap<number, Conversion>): readonly Conversion[] {
  return [...conversions.values()].toSorted((a, b) => a.head.index - b.head.index);
}

/** The parent that an entry names in the new file: lines of version 1 that are no objects are not there any more. */
function parentsIn({ tree: { heads }, header }: Session, gone: ReadonlySet<number>): (head: Head) => unknown {
  return (head) => {
    if (!(header.version < 2)) return head.parentId;
    let parent = heads.at(head.index - 1);
    while (parent && gone.has(parent.offset)) parent = heads.at(parent.index - 1);
    return parent?.id ?? null;
  };
}

interface Rewriting {
  readonly session: Session;
  readonly editing: FileEditor;
  /** The places of the lines that are not in the new file. */
  readonly gone: ReadonlySet<number>;
  readonly conversions: ReadonlyMap<number, Conversion>;
  parentOf(head: Head): unknown;
  changed: number;
}

/** Every line of an old file: headers, damaged lines and entries, in the order of the file. */
function rewriteAll(rewriting: Rewriting, damage: readonly Damage[]): void {
  const { session, editing, gone } = rewriting;
  const { headerSpan, repeatedHeaders } = session.scan;
  const headers = [headerSpan, ...repeatedHeaders].map((span) => ({ span, code: null }));
  const others = [...headers, ...damage].toSorted((a, b) => a.span.offset - b.span.offset);
  let next = 0;
  const passOthers = (end: number): void => {
    for (let other = others[next]; other && other.span.offset < end; other = others[next]) {
      next += 1;
      if (other.code === null) rewriteHeader(rewriting, other.span);
      else {
        editing.keepTo(other.span.offset);
        editing.loseTo(other.span.offset + other.span.length, other.code);
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
  const { session, editing } = rewriting;
  changeMembers(editing, { source: session.source, at, changes: { version: CURRENT_VERSION } });
  rewriting.changed += 1;
}

function rewriteEntry(rewriting: Rewriting, head: Head): void {
  const { session, editing } = rewriting;
  const conversion = rewriting.conversions.get(head.index);
  const change = changeParent(planLineChange(session, head, rewriting.gone), newParent(rewriting, head, conversion));
  if (!conversion && !change) return;
  rewriting.changed += 1;
  editing.keepTo(head.offset);
  if (conversion) editing.add(`${JSON.stringify(conversion.entry)}\n`);
  if (conversion?.place === 'instead') editing.leaveOutTo(head.offset + head.length);
  else if (change) changeMembers(editing, { source: session.source, at: head, ...change });
}

/** undefined: it stays as it is. */
function newParent(
  { session, parentOf }: Rewriting,
  head: Head,
  conversion: Conversion | undefined,
): RawId | undefined {
  if (conversion?.place === 'above') return conversion.entry['id'] as RawId;
  return session.header.version < 2 ? (parentOf(head) as RawId) : undefined;
}

/** Reads the new file before anybody writes it. */
function refuseChange(session: Session, result: ByteSource): void {
  const after = readSession(result, session.file);
  const options = { lenient: true };
  const old = buildEnvelope(session, session.tree.leaf, readPatch, options);
  if (isSameContent(old, buildEnvelope(after, after.tree.leaf, readPatch, options))) return;
  throw contextChangedError(session);
}

interface Damage {
  readonly span: LineSpan;
  /** The rule of `ctx check` that finds it. */
  readonly code: string;
}

/**
 * The lines that a session of an old version loses when Pi rewrites it: damaged ones, and in version 1 also those that
 * are JSON but not an object, which cannot be given an id.
 */
function damageIn({ scan, header }: Session): readonly Damage[] {
  const codes = new Map(scan.problems.map(({ code, offset }) => [offset, code]));
  const lost = scan.damaged.map((span) => ({ span, code: codes.get(span.offset) ?? 'split-line' }));
  if (!(header.version < 2)) return lost;
  const isLost = new Set(lost.map(({ span }) => span.offset));
  const values = scan.problems.flatMap(({ code, line, offset, length }) =>
    code === 'not-an-object' && offset !== undefined && length !== undefined && !isLost.has(offset)
      ? [{ span: { line: line ?? 0, offset, length }, code }]
      : [],
  );
  return [...lost, ...values];
}
