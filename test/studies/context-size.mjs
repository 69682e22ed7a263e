import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
// How far the size of a context is off, on recorded sessions of any agent: tables for docs/status.md.
//
//   node build.mjs && node test/studies/context-size.mjs FILE-OR-DIR…
//
// At each recorded request the size that was known just before it is compared with the prompt that the provider then
// counted: by four characters a token, and by `contextSize`. Requests after a compaction, an edit, a transform or a
// system message are listed one by one. The first request of a session, before which nothing was counted, is listed
// with the parts of the context that the session does not record.
import { envelopeAt, openSession, pathTo } from '../../dist/index.js';

const percent = (share) => (share === undefined ? '–' : `${(share * 100).toFixed(2)} %`);
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const files = process.argv.slice(2).flatMap((name) =>
  statSync(name).isDirectory()
    ? readdirSync(name)
        .filter((file) => file.endsWith('.jsonl'))
        .map((file) => join(name, file))
    : [name],
);

/** Each recorded request of a session, with what the file had before its answer. */
async function predicted(file) {
  const session = await openSession(file);
  const bytes = readFileSync(file);
  const requests = [];
  let before = null;
  const { leaf } = session.tree;
  for (const head of leaf ? pathTo(session.tree, leaf) : []) {
    const prompt = promptOf(session, head);
    if (prompt > 0 && before) {
      const earlier = session.foreign ? session : await openSession(bytes.subarray(0, head.offset));
      const { meta, tools, system } = envelopeAt(earlier, before, { lenient: true });
      const recorded = [...(system.parts.length > 0 ? ['prompt'] : []), ...(tools.length > 0 ? ['tools'] : [])];
      requests.push({ prompt, estimate: meta.tokens.total, size: meta.size, recorded });
    }
    before = head.id;
  }
  session.close();
  return requests;
}

function promptOf(session, head) {
  if (head.role !== 'assistant' || head.usageLength === 0) return 0;
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = session.usage(head) ?? {};
  return input + cacheRead + cacheWrite;
}

const errorOf = (value, prompt) => Math.abs(value - prompt) / prompt;
console.log('| session | requests | chars/4, median | 90 % | `contextSize`, median | 90 % |');
console.log('| --- | --: | --: | --: | --: | --: |');
const changes = [];
const firsts = [];
for (const file of files) {
  const all = await predicted(file);
  const first = all.find(({ size }) => size.recorded === 0);
  if (first) firsts.push({ file, ...first });
  const known = all.filter(({ size }) => size.recorded > 0);
  const appended = known.filter(({ size }) => size.method !== 'changed');
  for (const each of known) if (each.size.method === 'changed') changes.push({ file, ...each });
  if (appended.length === 0) continue;
  const plain = appended.map(({ estimate, prompt }) => errorOf(estimate, prompt));
  const own = appended.map(({ size, prompt }) => errorOf(size.tokens, prompt));
  const cells = [plain, own].flatMap((errors) => [quantile(errors, 0.5), quantile(errors, 0.9)].map(percent));
  console.log(`| ${[basename(file), appended.length, ...cells].join(' | ')} |`);
}
listed('after a change', changes, ({ file }) => [basename(file)]);
listed('first request | recorded', firsts, ({ file, recorded }) => [basename(file), recorded.join(', ') || 'neither']);

function listed(title, requests, cellsOf) {
  console.log(`\n| ${title} | counted | chars/4 | \`contextSize\` |`);
  console.log(
    `|${title
      .split('|')
      .map(() => ' --- |')
      .join('')} --: | --: | --: |`,
  );
  for (const { prompt, estimate, size, ...rest } of requests) {
    const off = [estimate, size.tokens].map((value) => percent((value - prompt) / prompt));
    console.log(`| ${[...cellsOf(rest), prompt, ...off].join(' | ')} |`);
  }
}
