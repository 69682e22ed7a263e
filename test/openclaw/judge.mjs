// Prints for each record of each file: [file, leaf, messages], as OpenClaw reads the file up to that record.
import { readdirSync, readFileSync } from 'node:fs';

const dist = new URL('node_modules/openclaw/dist/', import.meta.url);

/** Functions of bundles, whose exports have no names of their own. */
async function load(pattern, ...names) {
  const found = {};
  for (const name of readdirSync(dist).filter((each) => pattern.test(each)))
    for (const value of Object.values(await import(new URL(name, dist))))
      if (typeof value === 'function' && names.includes(value.name)) found[value.name] ??= value;
  return found;
}

const { parseSessionEntries } = await load(/^session-manager-codec-.*\.mjs$/, 'parseSessionEntries');
const { scanSessionTranscriptTree: scan, selectSessionTranscriptTreePathNodes: select } = await load(
  /^transcript-tree-.*\.mjs$/,
  'scanSessionTranscriptTree',
  'selectSessionTranscriptTreePathNodes',
);
const { normalizeSessionContextEntryBoundaries: normalize } = await load(
  /^session-entry-navigation-.*\.mjs$/,
  'normalizeSessionContextEntryBoundaries',
);
const { buildSessionContext, convertToLlm } = await load(
  /^session-D9cHHQGH\.mjs$/,
  'buildSessionContext',
  'convertToLlm',
);

for (const file of process.argv.slice(2)) {
  const rows = parseSessionEntries(readFileSync(file, 'utf8'));
  for (let at = 1; at < rows.length; at += 1) {
    const tree = scan(structuredClone(rows.slice(0, at + 1)));
    const path = select(tree, tree.leafId).map(({ entry, parentId }) => ({ ...entry, parentId }));
    const { messages } = buildSessionContext(normalize(path, tree.nodes));
    console.log(JSON.stringify([file, tree.leafId, convertToLlm(messages)]));
  }
}
