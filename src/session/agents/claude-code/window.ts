import { NONE, type ClaudeRecords } from './records.js';

/** The larger of the two context windows that models of Claude have, in tokens. */
const LARGE_WINDOW = 1_000_000;
const SMALL_WINDOW = 200_000;

/** The context window, if a file reveals it: by a model's name, or by a context that exceeds the small window. */
export function windowIn(records: ClaudeRecords): number | null {
  const isLarge =
    [...records.boundaries.values()].some(({ tokensBefore }) => (tokensBefore ?? 0) > SMALL_WINDOW) ||
    modelsIn(records).some((model) => model.endsWith('[1m]'));
  return isLarge ? LARGE_WINDOW : null;
}

function modelsIn(records: ClaudeRecords): readonly string[] {
  const models = new Set<number>();
  let last = NONE;
  for (const line of records.order) {
    const model = records.model(line);
    if (model !== last && model !== 0) models.add(model);
    last = model;
  }
  return Array.from(models, (model) => records.table.text(model));
}
