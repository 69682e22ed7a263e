/** Items that are laid out and written at once. */
const USUAL_SIZE = 256;

/** Items in groups, so that no more than one group is in memory. */
export function* batchItems<Item>(items: Iterable<Item>, size = USUAL_SIZE): Generator<readonly Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
