import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  AGENTS,
  compareVersions,
  count,
  dollars,
  drawBars,
  groupBy,
  listed,
  median,
  millions,
  nameVersions,
  NOTE,
  percent,
  readLines,
  sum,
  table,
  write,
  writeFinding,
} from './support.mjs';
// Writes the pages about totals, compactions and caches from the output of measure.mjs. It computes every figure on them.
//
//   node test/studies/corpus/write.mjs FOLDER

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/write.mjs FOLDER');
const sessions = readLines(path.join(folder, 'measured.jsonl'));

// ---- The corpus

/** A link to the file in its repository. */
function linkFile({ sha256 }) {
  const { repository, commit, path: file } = listed.find((row) => row.sha256 === sha256);
  return `[${path.basename(file)}](https://github.com/${repository}/blob/${commit}/${file})`;
}

function formatEqual(rows) {
  if (rows.length === 0) return 'not compared';
  return `${rows.filter(({ totals }) => totals).length} of ${rows.length}`;
}

/** What became of the commands that commands.mjs ran; nothing if it has not run. */
function describeCommands() {
  if (!existsSync(path.join(folder, 'commands.jsonl'))) return '';
  const runs = readLines(path.join(folder, 'commands.jsonl'));
  const names = [...new Set(runs.map(({ command }) => command))].toSorted((one, other) => (one < other ? -1 : 1));
  const files = new Set(runs.map(({ sha256 }) => sha256));
  const crashes = runs.filter(({ failure }) => failure !== null);
  const declined = runs.filter(({ status, failure }) => failure === null && status > 1);
  return `- ${count(names.length)} commands (${names.map((name) => `\`${name}\``).join(', ')}) were run on ${files.size === sessions.length ? 'all' : `the smallest ${count(files.size)} of`} ${count(sessions.length)} sessions. ${count(crashes.length)} of ${count(runs.length)} runs crashed, and ${count(declined.length)} ended with a refusal.\n`;
}

const measuredHashes = new Set(sessions.map(({ sha256 }) => sha256));
const notFetched = listed.filter(({ sha256 }) => !measuredHashes.has(sha256));
const missingFrom = [...new Set(notFetched.map(({ repository }) => repository))].join(', ');
const died = sessions.filter((session) => session.died);
const answered = sessions.filter((session) => !session.died);
/** A session whose statistics ctx refused has no totals to compare. */
const hasTotals = ({ totals, failed }) => totals !== null && !failed.some(({ method }) => method === 'get_stats');
const compared = answered.filter(hasTotals);
const unequal = compared.filter(({ totals }) => !totals);
const ordered = sessions.filter(({ order }) => (order ?? null) !== null);
const disordered = ordered.filter(({ order }) => !order);
const withoutUsage = compared.filter(({ totals, requests }) => totals && requests === 0);
const refused = answered.filter(({ failed }) => failed.length > 0);
const versionRows = [...groupBy(answered, ({ agent, version }) => `${agent} ${nameVersions(version)}`)]
  .toSorted(([one], [other]) => compareVersions(one, other))
  .map(([, rows]) => {
    const [{ agent, version }] = rows;
    const comparedRows = rows.filter(hasTotals);
    return [
      AGENTS[agent],
      nameVersions(version),
      count(rows.length),
      (sum(rows, ({ bytes }) => bytes) / 1e6).toFixed(1),
      count(sum(rows, ({ requests }) => requests)),
      count(sum(rows, ({ compactions }) => compactions.length)),
      formatEqual(comparedRows),
    ];
  });
const repositoryRows = [...groupBy(listed, ({ repository }) => repository)]
  .toSorted(([, one], [, other]) => other.length - one.length)
  .map(([repository, rows]) => [
    `[${repository}](https://github.com/${repository})`,
    rows[0].licence ?? 'none found',
    count(rows.length),
    [...new Set(rows.map(({ agent }) => AGENTS[agent]))].join(', '),
  ]);

write(
  'corpus.md',
  `# The corpus

${count(listed.length)} sessions that ${count(repositoryRows.length)} public repositories contain: transcripts that developers keep beside their commits, and samples of tools that read sessions. [sessions.jsonl](../../test/studies/corpus/sessions.jsonl) names the repository, commit, path, size and SHA-256 of each. The sessions belong to their authors and are not in this repository.

\`npm run corpus -- FOLDER --yes\` fetches them, asks \`ctx rpc\` seven questions about each (\`status\`, \`get_context\`, \`list_entries\`, \`explain_cache\`, \`check_loss\`, \`get_stats\`, \`get_overhead\`), and writes these pages. For Claude Code, Codex and Pi, [a second reader](../../test/studies/corpus/totals.mjs) without code of \`ctx\` adds up the recorded usage. For Copilot CLI and VS Code chat, which record none in most files, [another one](../../test/studies/corpus/order.mjs) lists the messages in their order.

- ${notFetched.length === 0 ? `All ${count(listed.length)} could be fetched when these pages were written.` : `${count(notFetched.length)} of ${count(listed.length)} could not be fetched when these pages were written, from ${missingFrom}. No figure has them.`}
- \`ctx\` crashed on ${count(died.length)} of ${count(sessions.length)} sessions, and refused questions about ${count(refused.length)}${refused.length === 0 ? '' : ` (${refused.map(linkFile).join(', ')}), in a format that it does not read`}.
${describeCommands()}- The totals of ${count(compared.length - unequal.length)} of ${count(compared.length)} sessions equal those of the second reader; ${count(withoutUsage.length)} of these record no usage.${unequal.length === 0 ? '' : ` The others are ${unequal.map(linkFile).join(', ')}.`}
- The messages of ${count(ordered.length - disordered.length)} of ${count(ordered.length)} sessions of Copilot CLI and VS Code chat are those of the second reader, in the same order.${disordered.length === 0 ? '' : ` The others are ${disordered.map(linkFile).join(', ')}.`}

${table(['Agent', 'Versions', 'Sessions', 'MB', 'Requests', 'Compactions', 'Totals equal'], ['---', '---', '--:', '--:', '--:', '--:', '--:'], versionRows)}

## Where the sessions come from

${table(['Repository', 'Licence', 'Sessions', 'Agents'], ['---', '---', '--:', '---'], repositoryRows)}

## Limits

- Most sessions of Claude Code come from three teams, and sessions of other agents are few. Many of these are samples that a tool keeps for its tests. Files of 4 MiB and more are not in the list.
- A transcript that a tool keeps may lack what the agent wrote later, and may have secrets removed.
- The second reader adds up usage. It does not compare messages: [real clients](../contributing/testing.md) do that in the tests.
`,
);

// ---- Compactions

const CLASSES = {
  instructions: 'instructions of the user',
  corrections: 'corrections by the user',
  decisions: 'decisions',
  errors: 'errors of tools',
  edits: 'edited files',
  reads: 'files that were read',
  results: 'results of tools',
  thinking: 'thinking',
};
const compactions = answered.flatMap(({ agent, version, compactions: each }) =>
  each.map((compaction, at) => ({ ...compaction, agent, version, isFirst: at === 0 })),
);

function sumClass(rows, name) {
  const found = rows.flatMap(({ classes }) => classes.filter((each) => each.class === name));
  return { left: sum(found, ({ left }) => left), missing: sum(found, ({ missing }) => missing) };
}

const withMessages = compactions.filter(({ classes }) => classes.some(({ left }) => left > 0));

function nameGroup({ agent, trigger }) {
  if (trigger === null) return AGENTS[agent];
  return `${AGENTS[agent]}, ${trigger === 'auto' ? 'automatic' : trigger}`;
}

const lossRows = [...groupBy(withMessages, nameGroup)].map(([name, rows]) => {
  const share = (which) => {
    const { left, missing } = sumClass(rows, which);
    return left === 0 ? '' : `${percent(missing, left)} of ${count(left)}`;
  };
  return [
    name,
    count(rows.length),
    count(median(rows.map(({ removed }) => removed))),
    share('instructions'),
    share('corrections'),
    share('errors'),
    share('edits'),
    share('reads'),
  ];
});
const orderRows = [
  ['first of a session', withMessages.filter(({ isFirst }) => isFirst)],
  ['later ones', withMessages.filter(({ isFirst }) => !isFirst)],
].map(([name, rows]) => {
  const { left, missing } = sumClass(rows, 'instructions');
  return [name, count(rows.length), count(left), count(missing), percent(missing, left)];
});
const classBars = Object.entries(CLASSES).flatMap(([name, title]) => {
  const { left, missing } = sumClass(withMessages, name);
  if (left < 10) return [];
  return { name: title, value: missing / left, label: `${percent(missing, left)} of ${count(left)}` };
});
const versionCount = new Set(withMessages.map(({ agent, version }) => `${agent} ${version}`)).size;
const instructions = sumClass(withMessages, 'instructions');
const edits = sumClass(withMessages, 'edits');

write('compactions.svg', drawBars('Share of missing facts, by kind', classBars));
write(
  'compactions.md',
  `# What compactions lose

${NOTE}

A compaction replaces messages with a summary. \`ctx loss\` reads facts from the messages that left the context, by rules, and searches each in the summary and in the messages that stay: [how](../lab/facts.md). A fact is missing if neither its text nor its name is there.

In ${count(withMessages.length)} compactions of ${count(versionCount)} versions, ${percent(instructions.missing, instructions.left)} of the user's ${count(instructions.left)} instructions are missing afterwards, and ${percent(edits.missing, edits.left)} of ${count(edits.left)} edited files.

![Share of each kind of fact that is missing](compactions.svg)

${table(['Agent', 'Compactions', 'Messages removed, median', 'Instructions missing', 'Corrections', 'Errors', 'Edited files', 'Files read'], ['---', '--:', '--:', '--:', '--:', '--:', '--:', '--:'], lossRows)}

${table(['Compaction', 'Number', 'Instructions', 'Missing', 'Share'], ['---', '--:', '--:', '--:', '--:'], orderRows)}

## Limits

- A fact in other words counts as missing, so the shares are upper bounds. The agent may not have needed a missing fact.
- Rules decide which sentences of the user are instructions. Their [precision and recall](../lab/facts.md) were measured on other sessions.
- Codex keeps the user's messages, so its instructions stay.
`,
);

// ---- Caches

/** Words for the causes of `ctx cache`; the others are printed as they are. */
const CAUSES = {
  ttl: 'a pause beyond the lifetime',
  floor: 'nothing recorded: only prompt and tools were read',
  unexplained: 'nothing recorded',
  compaction: 'a compaction',
  resume: 'a resumed session',
  edit: 'changed messages',
  'model switch': 'another model',
  'task notification': 'a notification of a task',
};
const readRebilledCost = ({ rebilledCost, rebilledCostListed }) => rebilledCost ?? rebilledCostListed ?? 0;
const cached = answered.filter(({ cache }) => cache && cache.requests > 0 && cache.cacheRead > 0);
const allCauses = cached.flatMap(({ cache }) => cache.byClass);
const sumRebilled = (rows) => sum(rows, ({ rebilledTokens }) => rebilledTokens);
const allRebilled = sumRebilled(allCauses);
const causes = [...groupBy(allCauses, (each) => each.class)]
  .map(([name, rows]) => ({ name: CAUSES[name] ?? name, rows, rebilled: sumRebilled(rows) }))
  .toSorted((one, other) => other.rebilled - one.rebilled);
const causeRows = causes.map(({ name, rows, rebilled }) => [
  name,
  count(sum(rows, ({ breaks }) => breaks)),
  millions(rebilled),
  percent(rebilled, allRebilled),
  dollars(sum(rows, readRebilledCost)),
]);
const cacheRows = [...groupBy(cached, ({ agent, version }) => `${agent} ${nameVersions(version)}`)]
  .toSorted(([one], [other]) => compareVersions(one, other))
  .map(([, rows]) => {
    const prompts = sum(rows, ({ cache }) => cache.promptTokens);
    const cacheRead = sum(rows, ({ cache }) => cache.cacheRead);
    const rebilled = sum(rows, ({ cache }) => sumRebilled(cache.byClass));
    return [
      AGENTS[rows[0].agent],
      nameVersions(rows[0].version),
      count(rows.length),
      count(sum(rows, ({ cache }) => cache.requests)),
      millions(prompts),
      percent(cacheRead, prompts),
      percent(rebilled, prompts),
    ];
  });
const causeBars = causes.map(({ name, rebilled }) => ({
  name,
  value: rebilled,
  label: `${millions(rebilled)}, ${percent(rebilled, allRebilled)}`,
}));
const allPrompts = sum(cached, ({ cache }) => cache.promptTokens);
const allCacheRead = sum(cached, ({ cache }) => cache.cacheRead);
const allCost = sum(allCauses, readRebilledCost);
const [mainCause] = causes;

write('cache.svg', drawBars('Re-billed tokens, by cause', causeBars));
write(
  'cache.md',
  `# What breaks the prompt cache

${NOTE}

\`ctx cache\` compares each request with the one before. Where the provider read less from its cache than the two have in common, the rest was re-billed: [how](../use/cache.md).

In ${count(cached.length)} sessions with ${millions(allPrompts)} tokens of prompts, ${percent(allCacheRead, allPrompts)} were read from the cache. ${millions(allRebilled)} (${percent(allRebilled, allPrompts)}) were re-billed, for about ${dollars(allCost)} at list prices. The main cause is ${mainCause.name}.

![Tokens by cause](cache.svg)

${table(['Cause', 'Breaks', 'Re-billed tokens', 'Share', 'Cost, list prices'], ['---', '--:', '--:', '--:', '--:'], causeRows)}

${table(['Agent', 'Versions', 'Sessions', 'Requests', 'Prompts', 'From the cache', 'Re-billed'], ['---', '---', '--:', '--:', '--:', '--:', '--:'], cacheRows)}

## Limits

- "Nothing recorded" means that the file shows the same request and no pause. The cause may be the provider's cache, or a change that the agent does not record.
- Prices are list prices, without discounts. A subscription has no price for each token.
`,
);

writeFinding(
  folder,
  'corpus',
  `**\`ctx\` reads what is there.** It crashed on ${count(died.length)} of ${count(sessions.length)} sessions, and refused ${count(refused.length)}. A second program, without code of \`ctx\`, added up the recorded tokens of ${count(compared.length)} sessions, and its totals of ${count(compared.length - unequal.length)} are equal: [the corpus](corpus.md).`,
);
writeFinding(
  folder,
  'compactions',
  `**Compactions forget instructions.** ${percent(instructions.missing, instructions.left)} of the user's instructions are neither in the summary nor in the messages that stay. Of the edited files, ${percent(edits.missing, edits.left)} are not: [what compactions lose](compactions.md).`,
);
writeFinding(
  folder,
  'cache',
  `**Pauses break caches.** ${percent(mainCause.rebilled, allRebilled)} of the tokens that a cache should have had, and that were billed again, follow ${mainCause.name}: [what breaks the prompt cache](cache.md).`,
);
