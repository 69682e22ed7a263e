import { defineTable, maybe, OF_SESSION, text, truth, whole } from './define.js';

export const sessions = defineTable({
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
