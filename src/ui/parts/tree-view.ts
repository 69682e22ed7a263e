import { pluralize } from '#base/numbers.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Forest, ROOT } from '#session/tree/forest.js';
import { type Block, cutLine, type Doc, gap, line, span } from '../doc/doc.js';
import type { Tone } from '../doc/tone.js';

/** An entry in its place, with the fields known before parsing. */
export interface TreeRow {
  readonly head: Head;
  readonly name: string;
  readonly label: string | null;
  readonly isActive: boolean;
  readonly isLeaf: boolean;
  /** The reason why it is at the margin although it names a parent. */
  readonly strayed: 'orphan' | 'cycle' | null;
  /** The number of children that are too deep to be shown. */
  readonly cut: number;
}

/** Whether an entry is a root although it names a parent: one that is not there, or one below itself. */
export function findStray({ tree, header }: Session, { parents }: Forest, head: Head): TreeRow['strayed'] {
  if (parents[head.index] !== ROOT) return null;
  if (tree.heads.parentAt(head.index) !== ROOT) return 'cycle';
  // Some writers name the header as the parent of the first entry: a root all the same.
  return head.parentId && head.parentId !== header.id ? 'orphan' : null;
}

/** An entry on one line, after the connector to its parent. */
export function renderTreeRow(row: TreeRow, preview: string, connector: string, format: string): Block {
  const { head, name, label } = row;
  const spans = [
    span(row.isActive ? '• ' : '  ', 'messages'),
    span(connector, 'faint'),
    span(formatId(head.id) ?? `line ${head.line}`, 'id'),
    span(row.isLeaf ? ' ← HEAD' : '', 'good'),
    span(label === null ? '' : ` [${label}]`, 'warning'),
    span(describeStray(row), 'error'),
    span(row.cut === 0 ? '' : ` (${pluralize(row.cut, 'child', 'children')} below)`, 'faint'),
    span(' '),
    span(name, nameTone(head)),
    span(preview === '' ? '' : `: ${preview}`, previewTone(head)),
  ];
  return format === 'markdown' ? { kind: 'bullets', items: [spans] } : cutLine(...spans);
}

/** The last line of a listing: that there is nothing, or that more is there than is shown. */
export function renderTreeEnd(all: number, hidden: number): Doc {
  if (all === 0) return [line(span('no entries', 'faint'))];
  if (hidden === 0) return [];
  return [
    gap,
    line(span(`${pluralize(hidden, 'entry is', 'entries are')} hidden: use --filter all to show them`, 'faint')),
  ];
}

function describeStray({ strayed, head }: TreeRow): string {
  if (strayed === 'orphan') return ` (its parent ${formatId(head.parentId)} is not in the file)`;
  return strayed === 'cycle' ? ' (its parents form a cycle)' : '';
}

/**
 * The emphasis of an entry's name: an entry that changes the context beyond adding a message is bold, one outside of it
 * is dim.
 */
export function nameTone(entry: Pick<Head, 'type' | 'role'>): Tone {
  const name = entry.role ?? entry.type ?? '';
  return (Object.hasOwn(TONES, name) ? TONES[name] : undefined) ?? previewTone(entry);
}

/** The tone of an entry's preview. */
export function previewTone({ type }: Pick<Head, 'type'>): Tone {
  return type === 'message' || type === 'custom_message' ? 'plain' : 'faint';
}

const TONES: Readonly<Record<string, Tone>> = {
  user: 'messages',
  system: 'system',
  assistant: 'strong',
  toolResult: 'tools',
  compaction: 'warning',
  branch_summary: 'warning',
  context_transform: 'warning',
  context_edit: 'warning',
};
