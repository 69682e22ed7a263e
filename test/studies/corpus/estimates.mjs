import { readFileSync } from 'node:fs';
import { envelopeAt, openSession, pathTo } from '../../../dist/index.js';
import {
  count,
  drawBars,
  groupBy,
  listSessions,
  median,
  NOTE,
  percent,
  quantile,
  spread,
  sum,
  table,
  write,
  writeFinding,
} from './support.mjs';
// Compares the estimates of tokens with the counts that sessions record, by the model.
//
//   node build.mjs && node test/studies/corpus/estimates.mjs FOLDER
//
// FOLDER is that of fetch.mjs. Each session is read as it was before some of its recorded answers, so that no count is
// known that is to be estimated.

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/estimates.mjs FOLDER');

/** The agents whose sessions have a line for each message. */
const AGENTS_BY_LINE = new Set(['claude-code', 'codex', 'pi', 'qwen-code']);
/** The requests of a session that are read, evenly spread: the more, the longer it takes. */
const MOST_REQUESTS = 4;
/** The sessions of a model that are read, evenly spread over those of the list. */
const MOST_SESSIONS = 12;
/** A smaller session does not grow by that much. */
const LEAST_BYTES = 100_000;
/** In estimated tokens: a smaller growth is mostly what the agent adds to messages. */
const LEAST_GROWTH = 5000;

function readPrompt(session, head) {
  if (head.role !== 'assistant' || head.usageLength === 0) return 0;
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = session.usage(head) ?? {};
  return input + cacheRead + cacheWrite;
}

/** The recorded requests of the active path before its first compaction, and their model; null if there are few. */
async function openRecorded({ file }) {
  const bytes = readFileSync(file);
  const session = await openSession(bytes);
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  const end = path.findIndex(({ type }) => type === 'compaction' || type === 'context_transform');
  const before = end === -1 ? path : path.slice(0, end);
  // Before the first answer of a file that begins with it, there is no context.
  const requests = before.filter((head, at) => at > 0 && readPrompt(session, head) > 0);
  if (requests.length < 4) return null;
  const models = new Set(requests.map((head) => session.entry(head).message.model));
  const [model] = models;
  return models.size === 1 && typeof model === 'string' ? { bytes, session, requests, model } : null;
}

/** What is estimated before an answer, and what the provider counted. */
async function estimate({ bytes, session }, head) {
  const earlier = await openSession(bytes.subarray(0, head.offset));
  const { leaf } = earlier.tree;
  if (leaf === null) return null;
  const { meta } = envelopeAt(earlier, leaf.id, { lenient: true });
  return { prompt: readPrompt(session, head), estimated: meta.tokens.total, size: meta.size };
}

/** The factor for a session of a model without recorded counts. */
async function readFamilyFactor(model) {
  const lines = [
    { type: 'session', version: 3, id: 'f', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' },
    {
      type: 'model_change',
      id: 'm',
      parentId: null,
      timestamp: '2026-01-01T00:00:00.000Z',
      provider: 'p',
      modelId: model,
    },
    {
      type: 'message',
      id: 'u',
      parentId: 'm',
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: 'x'.repeat(400), timestamp: 0 },
    },
  ];
  const session = await openSession(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  return envelopeAt(session, 'u').meta.size;
}

/** The model of the first answer, read without parsing the session. */
function findModel({ file }) {
  const [, model] = /"model": ?"([\w./-]+\d[\w./:-]*)"/.exec(readFileSync(file, 'utf8')) ?? [];
  return model ?? null;
}

const candidates = listSessions(folder).flatMap((row) => {
  const model = AGENTS_BY_LINE.has(row.agent) && row.bytes >= LEAST_BYTES ? findModel(row) : null;
  return model === null ? [] : [{ ...row, model }];
});

const models = [];
for (const [model, all] of groupBy(candidates, (each) => each.model)) {
  const factor = await readFamilyFactor(model);
  const sessions = [];
  for (const row of spread(all, MOST_SESSIONS)) {
    const recorded = await openRecorded(row).catch(() => null);
    if (recorded?.model !== model) continue;
    const samples = [];
    for (const head of spread(recorded.requests, MOST_REQUESTS)) {
      const sample = await estimate(recorded, head).catch(() => null);
      if (sample) samples.push(sample);
    }
    if (samples.length < 2) continue;
    const [first] = samples;
    const last = samples.at(-1);
    const growth = { counted: last.prompt - first.prompt, estimated: last.estimated - first.estimated };
    sessions.push({
      samples: samples.slice(1),
      growth: growth.estimated >= LEAST_GROWTH && growth.counted > 0 ? growth : null,
    });
  }
  models.push({ model, factor, sessions });
}

const errorOf = (value, counted) => Math.abs(value - counted) / counted;
const studied = models
  .map(({ model, factor, sessions }) => {
    const growths = sessions.flatMap(({ growth }) => growth ?? []);
    const samples = sessions.flatMap((session) => session.samples).filter(({ size }) => size.recorded > 0);
    return {
      model,
      factor,
      sessions: sessions.length,
      growths,
      factors: growths.map(({ counted, estimated }) => counted / estimated),
      plain: growths.map(({ counted, estimated }) => errorOf(estimated, counted)),
      family: growths.map(({ counted, estimated }) => errorOf(factor.factor * estimated, counted)),
      sizes: samples.map(({ size, prompt }) => errorOf(size.tokens, prompt)),
    };
  })
  .filter(({ growths }) => growths.length > 0)
  .toSorted((one, other) => other.growths.length - one.growths.length);

const rows = studied.map(({ model, factor, growths, factors, plain, family, sizes }) => [
  model,
  count(growths.length),
  `${median(factors).toFixed(2)} (${quantile(factors, 0.1).toFixed(2)} to ${quantile(factors, 0.9).toFixed(2)})`,
  `${factor.factor.toFixed(2)}${factor.method === 'median' ? ', of all' : ''}`,
  percent(median(plain), 1),
  percent(median(family), 1),
  count(sizes.length),
  percent(median(sizes), 1),
  percent(quantile(sizes, 0.9), 1),
]);
const allPlain = studied.flatMap(({ plain }) => plain);
const allFamily = studied.flatMap(({ family }) => family);
const allSizes = studied.flatMap(({ sizes }) => sizes);
const sessionCount = sum(studied, ({ growths }) => growths.length);

write(
  'estimates.svg',
  drawBars(
    'Counted tokens for each estimated one (chars/4), median',
    studied.map(({ model, factors }) => ({ name: model, value: median(factors), label: median(factors).toFixed(2) })),
  ),
);
write(
  'estimates.md',
  `# How far estimates of tokens are off

${NOTE}

Where no provider has counted a prompt, \`ctx\` estimates: four characters for each token, times a factor of the model's family. Where a request was counted, only what follows it is estimated: [how](../lab/sizes.md).

The first comparison is of growth: how many tokens a session grew between two requests, as the provider counted and as \`ctx\` estimates it. In ${count(sessionCount)} sessions, four characters a token are off by ${percent(median(allPlain), 1)} in the median, and the factor of the family by ${percent(median(allFamily), 1)}. The second is of the size that \`ctx\` prints before a request, when earlier ones were counted: it is off by ${percent(median(allSizes), 1)} in the median of ${count(allSizes.length)} requests.

![Counted tokens for each estimated one](estimates.svg)

${table(['Model', 'Sessions', 'Counted for each estimated token, median (10 % to 90 %)', 'Factor of `ctx`', 'chars/4, median error', 'With the factor', 'Requests', 'Size, median error', '90 %'], ['---', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:'], rows)}

"Of all": the family was not measured before, so that the factor is the median of the others.

## Limits

- At most ${count(MOST_SESSIONS)} sessions of a model and ${count(MOST_REQUESTS)} requests of a session are read, before its first compaction. Sessions with several models, and those that grew by less than ${count(LEAST_GROWTH)} estimated tokens, are left out.
- An agent sends texts that it does not record, such as reminders, and drops others, such as old thinking. So the factor is of an agent and its model, not of a tokenizer.
- The factors of some families were measured on sessions of this kind, though not on these. That of \`claude-opus-4-6\` is a median of this table, so its error does not show how well it predicts.
`,
);
writeFinding(
  folder,
  'estimates',
  `**Estimates by characters are far off, counted sizes are not.** Four characters a token miss the growth of a session by ${percent(median(allPlain), 1)} in the median. The size after a counted request is off by ${percent(median(allSizes), 1)}: [estimates of tokens](estimates.md).`,
);
