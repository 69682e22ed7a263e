import {
  columnFrom,
  type ColumnNeed,
  defineTable,
  ENTRY_COLUMNS,
  longTextColumn,
  nullableColumn,
  SESSION_COLUMNS,
  type Table,
  textColumn,
  truthColumn,
  USAGE_COLUMNS,
  wholeColumn,
} from './define.js';

const sessions = defineTable({
  name: 'sessions',
  about: 'a session file',
  columns: {
    ...SESSION_COLUMNS,
    title: textColumn('name of the session, else the first words of the user'),
    version: nullableColumn.whole('version of the format; 1 if the header has none'),
    parent_session: nullableColumn.text('session that it was forked from, from the header'),
    first_time: nullableColumn.time('earliest time of an entry, UTC'),
    last_time: nullableColumn.time('latest time of an entry, UTC'),
    entries: wholeColumn('number of entries on all branches'),
    shared_entries: wholeColumn('number of entries that are `shared`'),
    context_tokens_estimated: columnFrom(
      'replay',
      wholeColumn(
        'size of the context at the leaf, as in `ctx show`: the last recorded request, plus a calibrated estimate of later entries',
      ),
    ),
    tokenizer: textColumn('tokenizer of all other estimates, in this and all other tables'),
    preamble_known: columnFrom(
      'replay',
      truthColumn('whether the session records its system prompt and tools; if not, other estimates exclude them'),
    ),
    problems: wholeColumn('number of damaged places in the file; `ctx check` lists them'),
  },
});

const entries = defineTable({
  name: 'entries',
  about: 'an entry of any branch and type',
  columns: {
    ...ENTRY_COLUMNS,
    parent_id: nullableColumn.text('id of the parent entry'),
    type: nullableColumn.text('type of the entry, such as `message` or `compaction`'),
    role: nullableColumn.text('role of a `message`'),
    custom_type: columnFrom('outline', nullableColumn.text('type that an extension gave its own entry')),
    target_id: nullableColumn.text('target of a label or an edit, or the first entry that a compaction keeps'),
    bytes: wholeColumn('length of the line, including the newline'),
    in_context: columnFrom(
      'replay',
      truthColumn('whether its message is in the context at the leaf, unchanged or edited'),
    ),
    turn: nullableColumn.whole('number of turns begun on the active path so far; null outside that path'),
    request: nullableColumn.whole('number of answered requests on the active path so far; null outside that path'),
    provider: columnFrom('outline', nullableColumn.text('provider of the answer, or of a model change')),
    model: columnFrom('outline', nullableColumn.text('model of the answer, or of a model change')),
    tool_name: columnFrom('outline', nullableColumn.text('tool of a tool result')),
    is_error: columnFrom('outline', nullableColumn.truth('whether the tool of a tool result failed')),
    stop_reason: columnFrom('outline', nullableColumn.text('stop reason of an answer')),
    error: columnFrom('outline', nullableColumn.text('error message of an answer')),
    tokens_estimated: columnFrom(
      'contents',
      wholeColumn('tokens that the entry adds to the context; 0 if it adds none'),
    ),
    preview: columnFrom('contents', textColumn('description of the entry, at most 240 characters')),
  },
});

export const messagesTable = defineTable({
  name: 'messages',
  about: 'an entry that adds to the context: a message, a summary or a system message, with its whole text',
  columns: {
    ...ENTRY_COLUMNS,
    type: nullableColumn.text('type of the entry'),
    role: nullableColumn.text('role as it is stored, including roles that Pi does not know'),
    category: textColumn('category of its text in `ctx stats`, such as `user` or `tool results`'),
    provider: nullableColumn.text('who answered'),
    model: nullableColumn.text('model that answered'),
    tool_name: nullableColumn.text('tool of a tool result'),
    tool_call_id: nullableColumn.text('id of the call that a tool result answers'),
    is_error: nullableColumn.truth('whether the tool of a tool result failed'),
    stop_reason: nullableColumn.text('stop reason of an answer'),
    error: nullableColumn.text('error message of an answer'),
    tool_calls: columnFrom('contents', wholeColumn('number of tool calls')),
    images: columnFrom('contents', wholeColumn('number of images')),
    tokens_estimated: columnFrom(
      'contents',
      wholeColumn('tokens that it adds to the context: the sum of the next six columns'),
    ),
    text_tokens_estimated: columnFrom('contents', wholeColumn('tokens of text, which count for `category`')),
    thinking_tokens_estimated: columnFrom('contents', wholeColumn('of thinking')),
    tool_call_tokens_estimated: columnFrom('contents', wholeColumn('tokens of tool calls with their arguments')),
    image_tokens_estimated: columnFrom('contents', wholeColumn('tokens of images, 1,200 each')),
    system_tokens_estimated: columnFrom('contents', wholeColumn('tokens of the system parts that it declares')),
    tool_definition_tokens_estimated: columnFrom(
      'contents',
      wholeColumn('tokens of the tool definitions that it declares'),
    ),
    text: columnFrom(
      'contents',
      longTextColumn('text as it is sent, or its system parts; blocks are joined by a newline, without images'),
    ),
    thinking: columnFrom('contents', longTextColumn('thinking; empty if there is none')),
  },
});

const toolCalls = defineTable({
  name: 'tool_calls',
  about: 'a tool call in an answer, with its result',
  columns: {
    ...ENTRY_COLUMNS,
    call: wholeColumn('index among the calls of the answer, from 0'),
    tool_call_id: nullableColumn.text('id of the call'),
    tool_name: textColumn('name of the tool; `?` if there is none'),
    arguments: columnFrom('contents', longTextColumn('arguments as JSON; `{}` if they are nested too deeply')),
    provider: nullableColumn.text('who answered'),
    model: nullableColumn.text('model that made the call'),
    tokens_estimated: columnFrom('contents', wholeColumn('tokens of the call with its arguments')),
    result_line: columnFrom('result', nullableColumn.whole('line of its result; null if there is none')),
    result_entry_id: columnFrom('result', nullableColumn.text('id of the entry of its result')),
    result_time: columnFrom('result', nullableColumn.time('time of its result, UTC')),
    is_error: columnFrom('result', nullableColumn.truth('whether the tool failed')),
    result_tokens_estimated: columnFrom('result contents', nullableColumn.whole('tokens of its result')),
  },
});

export const usagesTable = defineTable({
  name: 'usage',
  about: 'a model call with reported usage, as Pi adds them up: on any branch, including failed calls',
  columns: {
    ...ENTRY_COLUMNS,
    turn: nullableColumn.whole('number of turns begun on the active path so far; null outside that path'),
    request: nullableColumn.whole('number of answered requests on the active path so far; null outside that path'),
    source: textColumn(
      'purpose of the call: `requests`, `compactions`, `branch summaries`, `tools`, `side calls`, `cache warming`, `other`',
    ),
    model: textColumn('`provider/model`, as `ctx stats` groups it; `Tools/summaries` if none is recorded'),
    ...USAGE_COLUMNS,
    cache_write_1h_recorded: nullableColumn.whole(
      'part of `cache_write_recorded` that is kept for an hour, not for five minutes; null if the split is not recorded',
    ),
    cost_listed: nullableColumn.money(
      'cost in dollars at the listed price of the model, if no cost is recorded; else null',
    ),
  },
});

export const envelopesTable = defineTable({
  name: 'envelopes',
  about: 'a request of the active path: its context, its cost, and its cache reads',
  columns: {
    ...ENTRY_COLUMNS,
    request: wholeColumn('number on the path, from 1; `line` and `entry_id` are those of the answer'),
    turn: wholeColumn('number of turns begun so far'),
    provider: nullableColumn.text('who answered'),
    model: nullableColumn.text('model that answered'),
    thinking_level: nullableColumn.text('as the session last set it; `off` if it never did'),
    stop_reason: nullableColumn.text('stop reason of the answer'),
    error: nullableColumn.text('error message of the answer'),
    system_parts: wholeColumn('number of recorded system parts'),
    tools: wholeColumn('number of recorded tool definitions'),
    system_tokens_estimated: wholeColumn('tokens of the system parts'),
    tools_tokens_estimated: wholeColumn('tokens of the tool definitions'),
    messages_tokens_estimated: wholeColumn('tokens of the messages'),
    total_tokens_estimated: wholeColumn('sum of all three'),
    prompt_tokens_recorded: nullableColumn.whole(
      'prompt tokens that the provider reported: input, cache read and cache write; null if it reported none',
    ),
    input_recorded: nullableColumn.whole('tokens that were neither read from a cache nor written to one'),
    cache_read_recorded: nullableColumn.whole('tokens that were read from the cache'),
    cache_write_recorded: nullableColumn.whole('tokens that were written to the cache'),
    cache_write_1h_recorded: nullableColumn.whole(
      'part of them that is kept for an hour; null if the split is not recorded',
    ),
    cache_retention_minutes: nullableColumn.whole(
      'lifetime in minutes of the cache that the request left; 5 where none is recorded',
    ),
    cache_expired_recorded: nullableColumn.whole('tokens of the previous prompt whose lifetime had ended'),
    output_recorded: nullableColumn.whole('tokens of the answer'),
    cost_recorded: nullableColumn.money('cost in dollars; null if no cost is recorded'),
    compactions: wholeColumn('number of earlier compactions on the path'),
    transforms: wholeColumn('number of earlier transforms on the path'),
    edits: wholeColumn('number of earlier edits on the path'),
    unbilled: truthColumn('whether it failed before anything was billed; such requests are not compared'),
    prefix_tokens_estimated: nullableColumn.whole(
      'tokens of the prefix that it shares with the previous request; null for the first',
    ),
    cache_read_expected_estimated: nullableColumn.whole(
      'tokens that the cache could provide; null if no earlier request is recorded',
    ),
    idle_ms: nullableColumn.whole('milliseconds since the previous request'),
    cache_break: nullableColumn.text('cause of a cache break, as in `ctx cache`; null if there is none'),
    break_entry_id: nullableColumn.text('id of the entry that broke the cache'),
    break_undeclared: nullableColumn.truth('whether the break is a change that should give a reason, and does not'),
    rebilled_tokens_recorded: nullableColumn.whole(
      'tokens of the previous request that were billed again at full price',
    ),
    rebilled_tokens_estimated: nullableColumn.whole('estimate of the re-billed tokens, if no tokens are recorded'),
    rebilled_cost: nullableColumn.money('cost of the re-billed tokens in dollars, at the recorded rates'),
    rebilled_cost_listed: nullableColumn.money('the same, with listed prices where no rates are recorded'),
    pi_miss_tokens_recorded: nullableColumn.whole("missed tokens by Pi's own rule"),
  },
});

/** All tables, in the order of the documentation. */
export const tables = [
  sessions,
  entries,
  messagesTable,
  toolCalls,
  usagesTable,
  envelopesTable,
] as const satisfies readonly Table[];

export type TableName = (typeof tables)[number]['name'];

/** The columns of each table that are asked for, at least one each; a table that is missing needs no rows. */
export type QueriedColumns = ReadonlyMap<TableName, ReadonlySet<string>>;

/** All columns of all tables, or of some. */
export function listAllColumns(names: readonly TableName[] = tables.map(({ name }) => name)): QueriedColumns {
  return new Map(names.map((name) => [name, new Set(Object.keys(findTable(name).columns))]));
}

export function findTable(name: TableName): Table {
  return tables.find((one) => one.name === name) as Table;
}

export function hasNeed(wanted: QueriedColumns, name: TableName, need: ColumnNeed): boolean {
  const { columns } = findTable(name);
  return [...(wanted.get(name) ?? [])].some((column) => columns[column]?.needs === need);
}

/** Incremented when a column changes its meaning or type, or is removed. */
export const TABLES_VERSION = 2;
