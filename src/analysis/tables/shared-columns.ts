import { nullableColumn, type RowOf, type Table, textColumn, truthColumn, wholeColumn } from './define.js';

/** The session of a row, in every table. */
export const SESSION_COLUMNS = {
  session_id: textColumn('id of the session, from its header'),
  file: textColumn('the file as it was passed; with `line` it identifies an entry, even if copies share ids'),
  cwd: nullableColumn.text('working directory of the session'),
  agent: textColumn('agent that wrote the session, such as `pi`, `claude-code` or `codex`'),
};

/** The entry of a row. */
export const ENTRY_COLUMNS = {
  ...SESSION_COLUMNS,
  line: wholeColumn('line of the entry in the file, from 1'),
  entry_id: nullableColumn.text('id of the entry'),
  time: nullableColumn.time('time of the entry, UTC'),
  shared: truthColumn('whether an earlier session of the same family has the entry, where `ctx stats` counts it'),
  on_active_path: truthColumn('whether the entry is on the path to the leaf'),
};

/** A recorded `usage` in numbers. */
export const USAGE_COLUMNS = {
  input_recorded: wholeColumn('input tokens that were neither read from a cache nor written to one'),
  output_recorded: wholeColumn('output tokens'),
  cache_read_recorded: wholeColumn('tokens that were read from the cache'),
  cache_write_recorded: wholeColumn('tokens that were written to the cache'),
  total_recorded: wholeColumn('sum of all four'),
  cost_recorded: nullableColumn.money('cost in dollars; null if no cost is recorded'),
};

/** The columns of every row about an entry. */
export type EntryPart = RowOf<Table<typeof ENTRY_COLUMNS>>;
