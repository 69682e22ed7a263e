import {
  type ColumnNeed,
  defineTable,
  from,
  longText,
  maybe,
  OF_ENTRY,
  OF_SESSION,
  RECORDED,
  type Table,
  text,
  truth,
  whole,
} from './define.js';

const sessions = defineTable({
  name: 'sessions',
  about: 'a session file',
  columns: {
    ...OF_SESSION,
    title: text('name of the session, else the first words of the user'),
    version: maybe.whole('version of the format; 1 if the header has none'),
    parent_session: maybe.text('session that it was forked from, from the header'),
    first_time: maybe.time('earliest time of an entry, UTC'),
    last_time: maybe.time('latest time of an entry, UTC'),
    entries: whole('number of entries on all branches'),
    shared_entries: whole('number of entries that are `shared`'),
    context_tokens_estimated: from(
      'replay',
      whole(
        'size of the context at the leaf, as in `ctx show`: the last recorded request, plus a calibrated estimate of later entries',
      ),
    ),
    tokenizer: text('tokenizer of all other estimates, in this and all other tables'),
    preamble_known: from(
      'replay',
      truth('whether the session records its system prompt and tools; if not, other estimates exclude them'),
    ),
    problems: whole('number of damaged places in the file; `ctx check` lists them'),
  },
});

const entries = defineTable({
  name: 'entries',
  about: 'an entry of any branch and type',
  columns: {
    ...OF_ENTRY,
    parent_id: maybe.text('id of the parent entry'),
    type: maybe.text('type of the entry, such as `message` or `compaction`'),
    role: maybe.text('role of a `message`'),
    custom_type: from('outline', maybe.text('type that an extension gave its own entry')),
    target_id: maybe.text('target of a label or an edit, or the first entry that a compaction keeps'),
    bytes: whole('length of the line, including the newline'),
    in_context: from('replay', truth('whether its message is in the context at the leaf, unchanged or edited')),
    turn: maybe.whole('number of turns begun on the active path so far; null outside that path'),
    request: maybe.whole('number of answered requests on the active path so far; null outside that path'),
    provider: from('outline', maybe.text('provider of the answer, or of a model change')),
    model: from('outline', maybe.text('model of the answer, or of a model change')),
    tool_name: from('outline', maybe.text('tool of a tool result')),
    is_error: from('outline', maybe.truth('whether the tool of a tool result failed')),
    stop_reason: from('outline', maybe.text('stop reason of an answer')),
    error: from('outline', maybe.text('error message of an answer')),
    tokens_estimated: from('contents', whole('tokens that the entry adds to the context; 0 if it adds none')),
    preview: from('contents', text('description of the entry, at most 240 characters')),
  },
});

export const messages = defineTable({
  name: 'messages',
  about: 'an entry that adds to the context: a message, a summary or a system message, with its whole text',
  columns: {
    ...OF_ENTRY,
    type: maybe.text('type of the entry'),
    role: maybe.text('role as it is stored, including roles that Pi does not know'),
    category: text('category of its text in `ctx stats`, such as `user` or `tool results`'),
    provider: maybe.text('who answered'),
    model: maybe.text('model that answered'),
    tool_name: maybe.text('tool of a tool result'),
    tool_call_id: maybe.text('id of the call that a tool result answers'),
    is_error: maybe.truth('whether the tool of a tool result failed'),
    stop_reason: maybe.text('stop reason of an answer'),
    error: maybe.text('error message of an answer'),
    tool_calls: from('contents', whole('number of tool calls')),
    images: from('contents', whole('number of images')),
    tokens_estimated: from('contents', whole('tokens that it adds to the context: the sum of the next six columns')),
    text_tokens_estimated: from('contents', whole('tokens of text, which count for `category`')),
    thinking_tokens_estimated: from('contents', whole('of thinking')),
    tool_call_tokens_estimated: from('contents', whole('tokens of tool calls with their arguments')),
    image_tokens_estimated: from('contents', whole('tokens of images, 1,200 each')),
    system_tokens_estimated: from('contents', whole('tokens of the system parts that it declares')),
    tool_definition_tokens_estimated: from('contents', whole('tokens of the tool definitions that it declares')),
    text: from(
      'contents',
      longText('text as it is sent, or its system parts; blocks are joined by a newline, without images'),
    ),
    thinking: from('contents', longText('thinking; empty if there is none')),
  },
});

const toolCalls = defineTable({
  name: 'tool_calls',
  about: 'a tool call in an answer, with its result',
  columns: {
    ...OF_ENTRY,
    call: whole('index among the calls of the answer, from 0'),
    tool_call_id: maybe.text('id of the call'),
    tool_name: text('name of the tool; `?` if there is none'),
    arguments: from('contents', longText('arguments as JSON; `{}` if they are nested too deeply')),
    provider: maybe.text('who answered'),
    model: maybe.text('model that made the call'),
    tokens_estimated: from('contents', whole('tokens of the call with its arguments')),
    result_line: from('result', maybe.whole('line of its result; null if there is none')),
    result_entry_id: from('result', maybe.text('id of the entry of its result')),
    result_time: from('result', maybe.time('time of its result, UTC')),
    is_error: from('result', maybe.truth('whether the tool failed')),
    result_tokens_estimated: from('result contents', maybe.whole('tokens of its result')),
  },
});

export const usage = defineTable({
  name: 'usage',
  about: 'a model call with reported usage, as Pi adds them up: on any branch, including failed calls',
  columns: {
    ...OF_ENTRY,
    turn: maybe.whole('number of turns begun on the active path so far; null outside that path'),
    request: maybe.whole('number of answered requests on the active path so far; null outside that path'),
    source: text(
      'purpose of the call: `requests`, `compactions`, `branch summaries`, `tools`, `side calls`, `cache warming`, `other`',
    ),
    model: text('`provider/model`, as `ctx stats` groups it; `Tools/summaries` if none is recorded'),
    ...RECORDED,
    cache_write_1h_recorded: maybe.whole(
      'part of `cache_write_recorded` that is kept for an hour, not for five minutes; null if the split is not recorded',
    ),
    cost_listed: maybe.money('cost in dollars at the listed price of the model, if no cost is recorded; else null'),
  },
});

export const envelopes = defineTable({
  name: 'envelopes',
  about: 'a request of the active path: its context, its cost, and its cache reads',
  columns: {
    ...OF_ENTRY,
    request: whole('number on the path, from 1; `line` and `entry_id` are those of the answer'),
    turn: whole('number of turns begun so far'),
    provider: maybe.text('who answered'),
    model: maybe.text('model that answered'),
    thinking_level: maybe.text('as the session last set it; `off` if it never did'),
    stop_reason: maybe.text('stop reason of the answer'),
    error: maybe.text('error message of the answer'),
    system_parts: whole('number of recorded system parts'),
    tools: whole('number of recorded tool definitions'),
    system_tokens_estimated: whole('tokens of the system parts'),
    tools_tokens_estimated: whole('tokens of the tool definitions'),
    messages_tokens_estimated: whole('tokens of the messages'),
    total_tokens_estimated: whole('sum of all three'),
    prompt_tokens_recorded: maybe.whole(
      'prompt tokens that the provider reported: input, cache read and cache write; null if it reported none',
    ),
    input_recorded: maybe.whole('tokens that were neither read from a cache nor written to one'),
    cache_read_recorded: maybe.whole('tokens that were read from the cache'),
    cache_write_recorded: maybe.whole('tokens that were written to the cache'),
    cache_write_1h_recorded: maybe.whole('part of them that is kept for an hour; null if the split is not recorded'),
    cache_retention_minutes: maybe.whole(
      'lifetime in minutes of the cache that the request left; 5 where none is recorded',
    ),
    cache_expired_recorded: maybe.whole('tokens of the previous prompt whose lifetime had ended'),
    output_recorded: maybe.whole('tokens of the answer'),
    cost_recorded: maybe.money('cost in dollars; null if no cost is recorded'),
    compactions: whole('number of earlier compactions on the path'),
    transforms: whole('number of earlier transforms on the path'),
    edits: whole('number of earlier edits on the path'),
    unbilled: truth('whether it failed before anything was billed; such requests are not compared'),
    prefix_tokens_estimated: maybe.whole(
      'tokens of the prefix that it shares with the previous request; null for the first',
    ),
    cache_read_expected_estimated: maybe.whole(
      'tokens that the cache could provide; null if no earlier request is recorded',
    ),
    idle_ms: maybe.whole('milliseconds since the previous request'),
    cache_break: maybe.text('cause of a cache break, as in `ctx cache`; null if there is none'),
    break_entry_id: maybe.text('id of the entry that broke the cache'),
    break_undeclared: maybe.truth('whether the break is a change that should give a reason, and does not'),
    rebilled_tokens_recorded: maybe.whole('tokens of the previous request that were billed again at full price'),
    rebilled_tokens_estimated: maybe.whole('estimate of the re-billed tokens, if no tokens are recorded'),
    rebilled_cost: maybe.money('cost of the re-billed tokens in dollars, at the recorded rates'),
    rebilled_cost_listed: maybe.money('the same, with listed prices where no rates are recorded'),
    pi_miss_tokens_recorded: maybe.whole("missed tokens by Pi's own rule"),
  },
});

/** All tables, in the order of the documentation. */
export const tables = [sessions, entries, messages, toolCalls, usage, envelopes] as const satisfies readonly Table[];

export type TableName = (typeof tables)[number]['name'];

/** The columns of each table that are asked for, at least one each; a table that is missing needs no rows. */
export type QueriedColumns = ReadonlyMap<TableName, ReadonlySet<string>>;

/** All columns of all tables, or of some. */
export function allColumns(names: readonly TableName[] = tables.map(({ name }) => name)): QueriedColumns {
  return new Map(names.map((name) => [name, new Set(Object.keys(tableNamed(name).columns))]));
}

export function tableNamed(name: TableName): Table {
  return tables.find((one) => one.name === name) as Table;
}

export function hasNeed(wanted: QueriedColumns, name: TableName, need: ColumnNeed): boolean {
  const { columns } = tableNamed(name);
  return [...(wanted.get(name) ?? [])].some((column) => columns[column]?.needs === need);
}

/** Incremented when a column changes its meaning or type, or is removed. */
export const TABLES_VERSION = 2;
