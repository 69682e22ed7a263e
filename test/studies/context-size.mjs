import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// How far the size of a context is off, on recorded sessions: tables for docs/status.md.
//
//   node test/studies/context-size.mjs FILE-OR-DIR…
//
// At each recorded request the size that was known just before it is compared with the prompt that the provider then
// counted: by four characters a token, and by `contextSize`. Requests after a compaction, an edit, a transform or a
// system message are listed one by one.
import { build } from 'esbuild';

const entry = `
  export { readSession } from './session/session.js';
  export { bytesIn } from './session/bytes.js';
  export { activePath } from './session/tree.js';
  export { buildOverview } from './context/build.js';
  export { readPatch } from './ops/read-patch.js';
  export { requestAt } from './context/recorded-tail.js';
`;
const { outputFiles } = await build({
  stdin: { contents: entry, resolveDir: fileURLToPath(new URL('../../src', import.meta.url)), loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
  external: ['jiti', 'tinypool'],
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
});
const ctx = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);

const percent = (share) => (share === undefined ? '–' : `${(share * 100).toFixed(2)} %`);
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const files = process.argv.slice(2).flatMap((name) =>
  statSync(name).isDirectory()
    ? readdirSync(name)
        .filter((file) => file.endsWith('.jsonl'))
        .map((file) => join(name, file))
    : [name],
);

/** Each recorded request of a session after its first one, with what was known before it. */
function* predicted(file) {
  const session = ctx.readSession(ctx.bytesIn(readFileSync(file)), file);
  let before = null;
  for (const head of ctx.activePath(session.tree)) {
    const request = ctx.requestAt(session, head);
    if (request && before) {
      const { tokens, size } = ctx.buildOverview(session, before, ctx.readPatch, { lenient: true }).meta;
      if (size.recorded > 0) yield { prompt: request.prompt, estimate: tokens.total, size };
    }
    before = head;
  }
}

const errorOf = (value, prompt) => Math.abs(value - prompt) / prompt;
console.log('| session | requests | chars/4, median | 90 % | `contextSize`, median | 90 % |');
console.log('| --- | --: | --: | --: | --: | --: |');
const changes = [];
for (const file of files) {
  const all = [...predicted(file)];
  const appended = all.filter(({ size }) => size.method !== 'changed');
  for (const each of all) if (each.size.method === 'changed') changes.push({ file, ...each });
  if (appended.length === 0) continue;
  const plain = appended.map(({ estimate, prompt }) => errorOf(estimate, prompt));
  const own = appended.map(({ size, prompt }) => errorOf(size.tokens, prompt));
  const cells = [plain, own].flatMap((errors) => [quantile(errors, 0.5), quantile(errors, 0.9)].map(percent));
  console.log(`| ${[basename(file), appended.length, ...cells].join(' | ')} |`);
}
console.log('\n| after a change | counted | chars/4 | `contextSize` |');
console.log('| --- | --: | --: | --: |');
for (const { file, prompt, estimate, size } of changes) {
  const off = [estimate, size.tokens].map((value) => percent((value - prompt) / prompt));
  console.log(`| ${[basename(file), prompt, ...off].join(' | ')} |`);
}
