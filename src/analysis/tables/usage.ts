import { defineTable, maybe, OF_ENTRY, RECORDED, text } from './define.js';

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
