import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  AGENTS,
  askCtx,
  count,
  drawBars,
  groupBy,
  listSessions,
  median,
  NOTE,
  percent,
  readLines,
  table,
  write,
  writeFinding,
} from './support.mjs';
// Asks questions about what the newest compaction of each session removed, and counts those that its summary answers.
//
//   node build.mjs && node test/studies/corpus/questions.mjs FOLDER
//
// FOLDER is that of fetch.mjs, after measure.mjs, which tells the sessions with a compaction. No model is asked: an answer
// counts if its text is in the summary.

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/questions.mjs FOLDER');

const compacted = new Set(
  readLines(path.join(folder, 'measured.jsonl')).flatMap(({ sha256, compactions = [] }) =>
    compactions.length > 0 ? [sha256] : [],
  ),
);
const working = mkdtempSync(path.join(tmpdir(), 'ctx-questions-'));
const examined = listSessions(folder)
  .filter(({ sha256 }) => compacted.has(sha256))
  .flatMap(({ agent, repository, sha256, file }) => {
    const found = askCtx('loss', file, '--questions', path.join(working, `${sha256}.jsonl`));
    return found ? [{ agent, repository, ...found }] : [];
  });
rmSync(working, { recursive: true });

/** Questions for a value that were read by hand, and those that ask for one that was decided or set. */
const READ = { asked: 30, right: 26 };
const KINDS = {
  edit: ['the file of an edit', 'In which file was this line written?'],
  value: ['a value that was decided or set', 'In FILE, NAME was changed from OLD to which value?'],
  instruction: ['a name in an instruction of the user', 'Always run `____` before you commit.'],
  correction: ['a name in a correction of the user', 'No, `____` must stay.'],
  decision: ['a name in a decision of the assistant', 'I will use `____`, because it is small.'],
  error: ['a name in an error of a tool', '____: expected 3, got 4'],
};
const questions = examined.flatMap((each) => each.questions);
const inSummary = (rows) => rows.filter((each) => each.inSummary).length;
const kinds = Object.entries(KINDS)
  .map(([kind, [name, example]]) => ({ name, example, own: questions.filter((each) => each.kind === kind) }))
  .filter(({ own }) => own.length > 0);
const kindRows = kinds.map(({ name, example, own }) => [
  name,
  example.replaceAll('|', '\\|'),
  count(own.length),
  percent(own.length, questions.length),
  count(inSummary(own)),
  percent(inSummary(own), own.length),
]);
const agentRows = [...groupBy(examined, ({ agent }) => agent)].map(([agent, rows]) => {
  const own = rows.flatMap((each) => each.questions);
  return [
    AGENTS[agent],
    count(rows.length),
    count(own.length),
    percent(inSummary(own), own.length),
    percent(median(rows.map((each) => (100 * each.inSummary) / each.asked)), 100),
  ];
});
const none = examined.filter((each) => each.inSummary === 0);
const all = examined.filter((each) => each.inSummary === each.asked);
const teams = groupBy(examined, ({ repository }) => repository);

write(
  'questions.svg',
  drawBars(
    'Questions that the summary alone answers',
    kinds.map(({ name, own }) => ({
      name,
      value: inSummary(own) / own.length,
      label: `${percent(inSummary(own), own.length)} of ${count(own.length)}`,
    })),
  ),
);
write(
  'questions.md',
  `# What summaries answer

${NOTE}

[\`ctx loss --questions\`](../use/loss.md#score-a-summary-by-questions) makes questions from the messages that a compaction removed, by rule: up to five of each kind, none of which the kept messages answer. Here no model is asked. A question counts as answered if an answer is a text of the summary, so the figures are what a perfect reader could answer.

In ${count(examined.length)} sessions of ${count(teams.size)} repositories, the newest summary answers ${percent(inSummary(questions), questions.length)} of ${count(questions.length)} questions. It answers all in ${count(all.length)} sessions, and none in ${count(none.length)}.

![Questions that the summary answers, by kind](questions.svg)

${table(['Asked for', 'Example', 'Questions', 'Of all', 'Answered', 'Share'], ['---', '---', '--:', '--:', '--:', '--:'], kindRows)}

${table(['Agent', 'Sessions', 'Questions', 'Answered', 'Median of a session'], ['---', '--:', '--:', '--:', '--:'], agentRows)}

## Limits

- An answer may be in the summary for another reason than the question. A model that reads the summary answers fewer: score yours with \`--model-command\`.
- A summary need not answer everything: a corrected error or a finished edit may be rightly left out.
- Rules make the questions. Of ${READ.asked} questions for a value, taken at random and read by hand, ${READ.right} ask for one that was decided or set. The others ask for a fact, an example or an offer.
- The questions need exact names. What a summary says in other words is not counted.
- Summaries that the provider encrypts cannot be read, and are left out.
`,
);
/** A kind with fewer questions says little. */
const often = kinds
  .filter(({ own }) => own.length >= 30)
  .map(({ name, own }) => ({ name, share: inSummary(own) / own.length }))
  .toSorted((one, other) => other.share - one.share);
const [most, least] = [often[0], often.at(-1)].map((each) => `${percent(each?.share ?? 0, 1)} for ${each?.name ?? ''}`);
writeFinding(
  folder,
  'questions',
  `**Summaries keep files better than names.** Questions were made by rule from what a compaction removed. The summary has the answer to ${percent(inSummary(questions), questions.length)} of ${count(questions.length)}. It has ${most}, but ${least}. See [what summaries answer](questions.md).`,
);
