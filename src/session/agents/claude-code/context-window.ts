import { asCount, asObject, type JsonObject } from '#base/json.js';
import { NONE } from '../../heads/id-index.js';
import type { LineSpan } from '../../scan/lines.js';
import type { SessionWindow } from '../define.js';
import { buildClaudeAnswer } from './content/content.js';
import type { Boundary } from './records/boundary.js';
import type { ClaudeRecords } from './records/records.js';

/** The two context windows that models of Claude have, in tokens. */
const LARGE_WINDOW = 1_000_000;
const SMALL_WINDOW = 200_000;

/** The context window, if a file reveals it: by a model's name, or by the size at which a compaction began. */
export function findContextWindow(
  records: ClaudeRecords,
  valueOf: (span: LineSpan) => JsonObject,
): SessionWindow | null {
  if (listModels(records).some((model) => model.endsWith('[1m]'))) return { tokens: LARGE_WINDOW, source: 'recorded' };
  const boundaries = [...records.effects.boundaries.values()];
  const isAbove = ({ tokensBefore }: Boundary): boolean => (tokensBefore ?? 0) > SMALL_WINDOW;
  if (boundaries.some(isAbove)) return { tokens: LARGE_WINDOW, source: 'assumed' };
  const isFull = boundaries.some(({ isAutomatic, tokensBefore }) => isAutomatic && tokensBefore);
  const isSmall = isFull || (isSmallByDefault(records) && readLastTokens(records, valueOf) <= SMALL_WINDOW);
  return isSmall ? { tokens: SMALL_WINDOW, source: 'assumed' } : null;
}

/**
 * Whether a version uses the small window for every model of Claude, unless the user chose the large one: before
 * 2.1.75.
 */
function isSmallByDefault(records: ClaudeRecords): boolean {
  const [major = NaN, minor = NaN, patch = NaN] = (records.file.version || '-').split('.').map(Number);
  const isEarly = major < 2 || (major === 2 && (minor < 1 || (minor === 1 && patch < 75)));
  return isEarly && listModels(records).every((model) => model.includes('claude'));
}

/** The recorded size after the last answer of a provider; 0 if there is none. */
function readLastTokens(records: ClaudeRecords, valueOf: (span: LineSpan) => JsonObject): number {
  const { fields, types } = records;
  const last = types.findLastIndex((_, line) => records.isProviderAnswer(line));
  if (last === NONE) return 0;
  const usage = asObject(buildClaudeAnswer([valueOf(fields.span(last))])['usage']);
  return asCount(usage['totalTokens']) ?? 0;
}

function listModels({ models, fields }: ClaudeRecords): readonly string[] {
  return Array.from(models, (model) => fields.text(model));
}
