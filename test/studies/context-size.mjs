import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
// How far the size of a context is off, on recorded sessions of any agent: tables for docs/lab/sizes.md.
//
//   node build.mjs && node test/studies/context-size.mjs FILE-OR-DIR…
//
// For each recorded request, the file is read as it was before the answer. The size that was known then is compared
// with the prompt that the provider counted: by four characters a token, and by `contextSize`. Requests after a
// compaction, an edit, a transform or a system message are listed one by one. The first request of a session, before
// which nothing was counted, is listed with the parts of the context that the session records.
import { envelopeAt, openSession, pathTo } from '../../dist/index.js';

const percent = (share) => (share === undefined ? '–' : `${(share * 100).toFixed(2)} %`);
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const files = process.argv.slice(2).flatMap((name) =>
  statSync(name).isDirectory()
    ? readdirSync(name)
        .filter((file) => /\.jsonl?$/.test(file))
        .map((file) => join(name, file))
    : [name],
);

/** Each recorded request of a session, with what the file had before its answer. */
async function predicted(file) {
  const { session, bytesBefore } = await opened(file);
  const requests = [];
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  for (const [at, head] of path.entries()) {
    const prompt = promptOf(session, head);
    if (prompt === 0) continue;
    const earlier = await openSession(bytesBefore(head));
    // The change of the model may be read from the line of the answer.
    const before = path.slice(0, at).findLast(({ id }) => earlier.tree.heads.find(id));
    if (!before) continue;
    const { meta, tools, system } = envelopeAt(earlier, before.id, { lenient: true });
    const recorded = [...(system.parts.length > 0 ? ['prompt'] : []), ...(tools.length > 0 ? ['tools'] : [])];
    requests.push({ prompt, estimate: meta.tokens.total, size: meta.size, recorded });
  }
  session.close();
  return requests;
}

/** A session, and its bytes before the line or the message of an answer. */
async function opened(file) {
  const { source, foreign } = await openSession(file);
  const bytes = restored(source.read(0, source.size));
  const session = await openSession(bytes);
  source.close();
  const document = foreign && documentIn(bytes);
  if (!document) return { session, bytesBefore: ({ offset }) => bytes.subarray(0, offset) };
  // A document is one line: an entry belongs to the first message with which it appears.
  const cutAt = (end) => Buffer.from(JSON.stringify({ ...document, messages: document.messages.slice(0, end) }));
  const places = new Map();
  for (let end = 1; end <= document.messages.length; end += 1)
    for (const { id } of (await openSession(cutAt(end))).tree.heads) if (!places.has(id)) places.set(id, end - 1);
  return { session, bytesBefore: ({ id }) => cutAt(places.get(id)) };
}

function documentIn(bytes) {
  try {
    const value = JSON.parse(Buffer.from(bytes).toString());
    return Array.isArray(value.messages) ? value : null;
  } catch {
    return null;
  }
}

/** Gives texts that were replaced by their lengths these lengths again, and images a data URL. */
function restored(bytes) {
  if (!Buffer.from(bytes).includes('[REDACTED_')) return bytes;
  const text = Buffer.from(bytes).toString();
  const textOf = (kind, length) => `${kind === 'IMAGE_URL' ? 'data:image/png;base64,' : ''}${'x'.repeat(length)}`;
  return Buffer.from(
    text.replaceAll(/\[REDACTED_(\w+) len=(\d+) sha=\w+\]/g, (_, kind, length) => textOf(kind, Number(length))),
  );
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
  const all = await predicted(file).catch(({ message }) => (console.error(`${file}: ${message}`), []));
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
