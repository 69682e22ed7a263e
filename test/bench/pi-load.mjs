// What real Pi does with a session: loads it and, unless told to load only, builds the context of its leaf.
//
//   node test/bench/pi-load.mjs FILE [--load-only]
//
// Never point it at a session that you want to keep as it is: Pi ends a last line that has no end.
import { existsSync } from 'node:fs';

// Pi exports these only through its bundle, which needs a newer Node.js than reading sessions does.
const pi = '../pi/node_modules/@earendil-works/pi-coding-agent';
const manager = new URL(`${pi}/dist/core/session-manager.js`, import.meta.url);
const [file, only] = process.argv.slice(2);

if (existsSync(manager)) {
  const { buildSessionContext, loadEntriesFromFile, migrateSessionEntries } = await import(manager.href);
  const loaded = loadEntriesFromFile(file);
  // As Pi does when it opens a file, but without writing the result back.
  migrateSessionEntries(loaded);
  const entries = loaded.filter(({ type }) => type !== 'session');
  console.log(only === '--load-only' ? entries.length : buildSessionContext(entries).messages.length);
} else {
  console.error('real Pi is not installed: cd test/pi && npm ci --force --ignore-scripts');
  process.exitCode = 77;
}
