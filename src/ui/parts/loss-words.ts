import type { LossDocument } from '#analysis/loss/document.js';

interface FactColumn {
  readonly title: string;
  countOf(counts: LossDocument['classes'][number]): number;
}

/** The columns of a table of removed facts: their number, then those numbers by mention in the summary. */
export const FACT_COLUMNS: readonly FactColumn[] = [
  { title: 'removed', countOf: ({ left }) => left },
  { title: 'quoted', countOf: ({ quoted }) => quoted },
  { title: 'mentioned', countOf: ({ named }) => named },
  { title: 'in part', countOf: ({ partly }) => partly },
  { title: 'missing', countOf: ({ missing }) => missing },
];

/** The reasons why an entry is in no summary. */
export const REASON_TEXTS = {
  'kept-before': 'kept by the previous compaction, never summarised',
  'kept-from-elsewhere': 'the first kept entry is not an ancestor of the compaction',
  'summary-forgotten': 'part of an earlier summary that Pi did not pass on',
} as const;
