import { fileURLToPath } from 'node:url';
// Precision and recall of the facts that are found in labelled conversations: `node test/studies/fact-truth.mjs`.
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../analysis/facts/truth', import.meta.url));
const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
const { outputFiles } = await build({
  stdin: { contents: `export * from './measure.js';`, resolveDir: folder, loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
  external: ['jiti', 'tinypool', '@duckdb/node-api'],
});
const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`;
const { measureFacts, precision, recall } = await import(url);

console.log('| Kind | Labelled | Found | Precision | Recall |');
console.log('| --- | --: | --: | --: | --: |');
for (const [kind, score] of Object.entries(await measureFacts(fixtures))) {
  const cells = [kind, score.labelled, score.found, precision(score).toFixed(2), recall(score).toFixed(2)];
  console.log(`| ${cells.join(' | ')} |`);
  if (!process.argv.includes('--all')) continue;
  for (const text of score.wrong) console.log(`  wrong: ${text}`);
  for (const text of score.missing) console.log(`  missing: ${text}`);
}
