import path from 'node:path';
import { fileURLToPath } from 'node:url';
// How much of what a session says the summaries of `extract` still say, at several bounds: a table for docs/lab/facts.md.
// Run it as `node test/studies/summary-recall.mjs SESSION…`.
import { build } from 'esbuild';

const BOUNDS = [500, 1000, 2000, 4000, 13107];
const source = fileURLToPath(new URL('../../src', import.meta.url));
const entry = `
  export { extractSummary } from './change/compact/summarizers/extract.js';
  export { listMessageFacts } from './analysis/loss/fact-classes.js';
  export { buildMentionFinder } from './analysis/loss/summary-mentions.js';
  export { findFileUse, listToolUses } from './analysis/facts/tool-uses.js';
  export { openSession, envelopeAt } from './context/open.js';
`;
const { outputFiles } = await build({
  stdin: { contents: entry, resolveDir: source, loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
  external: ['jiti', 'tinypool', '@duckdb/node-api'],
});
const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`;
const { extractSummary, listMessageFacts, buildMentionFinder, findFileUse, listToolUses, openSession, envelopeAt } =
  await import(url);

const percent = (part, whole) => (whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`);

console.log('| Session | Messages | Bound | Tokens | Modified files | Instructions | Decisions | Errors |');
console.log('| --- | --: | --: | --: | --: | --: | --: | --: |');
for (const file of process.argv.slice(2)) {
  const session = await openSession(file);
  const messages = envelopeAt(session, 'HEAD', { lenient: true }).messages.cached;
  const files = filesOf(messages);
  for (const maxTokens of BOUNDS) {
    const task = { messages, turnPrefix: [], previousSummary: null, instructions: null, files, maxTokens };
    const text = extractSummary(task);
    const mentionOf = buildMentionFinder(text);
    const facts = listMessageFacts(messages).map((fact) => ({
      ...fact,
      mention: mentionOf({ text: fact.quote, terms: fact.terms }),
    }));
    const lines = new Set(text.split('\n'));
    const share = (...classes) => {
      const own = facts.filter((fact) => classes.includes(fact.class));
      return `${percent(own.filter(({ mention }) => mention === 'quoted').length, own.length)} of ${own.length}`;
    };
    const named = files.modified.filter((each) => lines.has(each)).length;
    const cells = [
      path.basename(file),
      messages.length,
      maxTokens,
      Math.ceil(text.length / 4),
      `${percent(named, files.modified.length)} of ${files.modified.length}`,
      share('instructions', 'corrections'),
      share('decisions'),
      share('errors'),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  session.close();
}

function filesOf(messages) {
  const uses = listToolUses(messages).flatMap((use) => findFileUse(use) ?? []);
  const modified = [...new Set(uses.filter(({ kind }) => kind === 'modified').map((use) => use.path))].toSorted(
    byUnits,
  );
  const read = [...new Set(uses.map((use) => use.path))].filter((each) => !modified.includes(each)).toSorted(byUnits);
  return { read, modified };
}

function byUnits(a, b) {
  return a < b ? -1 : Number(a > b);
}
