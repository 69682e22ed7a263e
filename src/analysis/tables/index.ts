import { defineTable, maybe, OF_ENTRY, OF_SESSION, RECORDED, type Table, text, truth, whole } from './define.js';

const sessions = defineTable({
  name: 'sessions',
  about: 'a session file',
  columns: {
    ...OF_SESSION,
    title: text('its name, else the first words of its user'),
    version: maybe.whole('the version of the format; 1 where the header does not say'),
    parent_session: maybe.text('the session that it was forked from, as the header names it'),
    first_time: maybe.time('the earliest time of an entry, UTC'),
    last_time: maybe.time('the latest time of an entry, UTC'),
    entries: whole('entries of all branches'),
    shared_entries: whole('how many of them are `shared`'),
    context_tokens_estimated: whole(
      'how full the context is at the leaf, as `ctx show` states it: the last recorded request, and a calibrated estimate of what came since',
    ),
    tokenizer: text('how all other tokens were estimated, in this and all other tables'),
    preamble_known: truth('the session records its system prompt and tools; else other estimates are without them'),
    problems: whole('damaged places of the file, which `ctx check` names'),
  },
});

const entries = defineTable({
  name: 'entries',
  about: 'an entry, of any branch and any type',
  columns: {
    ...OF_ENTRY,
    parent_id: maybe.text('the id of the entry above it'),
    type: maybe.text('the type of the entry, such as `message` or `compaction`'),
    role: maybe.text('of a `message`, its role'),
    custom_type: maybe.text('what an extension calls its own entry'),
    target_id: maybe.text('the entry that a label or an edit is about, or the first one that a compaction keeps'),
    bytes: whole('of the line, newline included'),
    in_context: truth('a message of it is shown to the model at the leaf, as it is or edited'),
    turn: maybe.whole('turns begun on the active path up to here; null off that path'),
    request: maybe.whole('requests answered on the active path up to here; null off that path'),
    provider: maybe.text('who answered, or who was changed to'),
    model: maybe.text('the model that answered, or that was changed to'),
    tool_name: maybe.text('of a tool result'),
    is_error: maybe.truth('of a tool result: the tool failed'),
    stop_reason: maybe.text('why an answer ended'),
    error: maybe.text('what an answer says went wrong'),
    tokens_estimated: whole('of what the entry brings in; 0 for one that brings in nothing itself'),
    preview: text('at most 240 characters that say what it holds'),
  },
});

export const messages = defineTable({
  name: 'messages',
  about:
    'an entry that brings something into the context: a message, a summary or a system message, with its whole text',
  columns: {
    ...OF_ENTRY,
    type: maybe.text('the type of the entry'),
    role: maybe.text('the role as it is stored; a `role` that Pi does not know is kept'),
    category: text('what its text counts for in `ctx stats`, such as `user` or `tool results`'),
    provider: maybe.text('who answered'),
    model: maybe.text('the model that answered'),
    tool_name: maybe.text('of a tool result'),
    tool_call_id: maybe.text('the call that a tool result answers'),
    is_error: maybe.truth('of a tool result: the tool failed'),
    stop_reason: maybe.text('why an answer ended'),
    error: maybe.text('what an answer says went wrong'),
    tool_calls: whole('tools that it calls'),
    images: whole('images in it'),
    tokens_estimated: whole('of all that it brings in: the six columns below together'),
    text_tokens_estimated: whole('of text, which counts for `category`'),
    thinking_tokens_estimated: whole('of thinking'),
    tool_call_tokens_estimated: whole('of tool calls with their arguments'),
    image_tokens_estimated: whole('of images, 1,200 each'),
    system_tokens_estimated: whole('of system parts that it declares'),
    tool_definition_tokens_estimated: whole('of tool definitions that it declares'),
    text: text('its text as it is sent, or its system parts; blocks are joined by a newline, images left out'),
    thinking: text('its thinking; empty where there is none'),
  },
});

export const toolCalls = defineTable({
  name: 'tool_calls',
  about: 'a call of a tool in an answer, with the result that came back',
  columns: {
    ...OF_ENTRY,
    call: whole('its place among the calls of the answer, from 0'),
    tool_call_id: maybe.text('the id of the call'),
    tool_name: text('the name of the tool; `?` where there is none'),
    arguments: text('its arguments as JSON; `{}` where they are nested too deeply'),
    provider: maybe.text('who answered'),
    model: maybe.text('the model that called'),
    tokens_estimated: whole('of the call with its arguments'),
    result_line: maybe.whole('the line of its result; null where none follows'),
    result_entry_id: maybe.text('the id of the entry of its result'),
    result_time: maybe.time('when its result was written, UTC'),
    is_error: maybe.truth('its result says that the tool failed'),
    result_tokens_estimated: maybe.whole('of its result'),
  },
});

export const usage = defineTable({
  name: 'usage',
  about: 'a call whose tokens a provider reported, as Pi adds them up: of any branch, and failed ones too',
  columns: {
    ...OF_ENTRY,
    turn: maybe.whole('turns begun on the active path up to here; null off that path'),
    request: maybe.whole('requests answered on the active path up to here; null off that path'),
    source: text(
      'what the call was for: `requests`, `compactions`, `branch summaries`, `tools`, `cache warming`, `other`',
    ),
    model: text('`provider/model`, as `ctx stats` groups it; `Tools/summaries` where none is named'),
    ...RECORDED,
  },
});

export const envelopes = defineTable({
  name: 'envelopes',
  about:
    'a request of the active path: what the model was shown, what was billed for it, and what the cache made of it',
  columns: {
    ...OF_ENTRY,
    request: whole('its number on the path, from 1; `line` and `entry_id` are those of the answer'),
    turn: whole('turns begun up to it'),
    provider: maybe.text('who answered'),
    model: maybe.text('the model that answered'),
    thinking_level: maybe.text('as the session last set it; `off` where it never did'),
    stop_reason: maybe.text('why the answer ended'),
    error: maybe.text('what the answer says went wrong'),
    system_parts: whole('system parts that are known'),
    tools: whole('tools whose definition is known'),
    system_tokens_estimated: whole('of the system parts'),
    tools_tokens_estimated: whole('of the tool definitions'),
    messages_tokens_estimated: whole('of the messages'),
    total_tokens_estimated: whole('of all three'),
    prompt_tokens_recorded: maybe.whole(
      'what the provider counted: input, cache read and cache write; null where it reported nothing',
    ),
    input_recorded: maybe.whole('tokens that were not read from a cache or written to one'),
    cache_read_recorded: maybe.whole('tokens that were read from the cache'),
    cache_write_recorded: maybe.whole('tokens that were written to the cache'),
    output_recorded: maybe.whole('tokens of the answer'),
    cost_recorded: maybe.number('dollars; null where no cost is recorded'),
    compactions: whole('compactions on the path above it'),
    transforms: whole('transforms on the path above it'),
    edits: whole('edits on the path above it'),
    unbilled: truth('it failed before anything was billed, and is not compared'),
    prefix_tokens_estimated: maybe.whole('of what it and the request before it both begin with; null for the first'),
    cache_read_expected_estimated: maybe.whole('what the cache could give; null where nothing is recorded before it'),
    idle_ms: maybe.whole('milliseconds since the request before it'),
    cache_break: maybe.text('why the cache broke, in the words of `ctx cache`; null where it did not'),
    break_entry_id: maybe.text('the entry that broke it'),
    break_undeclared: maybe.truth('a change that should have said why, and did not'),
    rebilled_tokens_recorded: maybe.whole('tokens of the request before it that had to be read anew'),
    rebilled_tokens_estimated: maybe.whole('the same, where no tokens are recorded'),
    rebilled_cost: maybe.number('dollars, at the rates that the session records'),
    pi_miss_tokens_recorded: maybe.whole("a miss by Pi's own rule"),
  },
});

/** Every table, in the order in which they are documented. */
export const tables = [sessions, entries, messages, toolCalls, usage, envelopes] as const satisfies readonly Table[];

export type TableName = (typeof tables)[number]['name'];

/** Counts up when a column changes what it means, or goes. */
export const TABLES_VERSION = 1;
