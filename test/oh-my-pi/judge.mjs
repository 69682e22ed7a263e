// Prints for each entry of each file: [file, id, messages], as oh-my-pi sends them.
import { readFileSync } from 'node:fs';
import { convertToLlm } from '@oh-my-pi/pi-coding-agent/session/messages';
import { buildSessionContext } from '@oh-my-pi/pi-coding-agent/session/session-context';
import { parseSessionContent } from '@oh-my-pi/pi-coding-agent/session/session-loader';
import { migrateToCurrentVersion } from '@oh-my-pi/pi-coding-agent/session/session-migrations';

for (const file of process.argv.slice(2)) {
  const { entries } = parseSessionContent(readFileSync(file, 'utf8'));
  migrateToCurrentVersion(entries);
  const rows = entries.filter(({ type }) => type !== 'session');
  for (const { id } of rows) {
    const { messages } = buildSessionContext(structuredClone(rows), id);
    console.log(JSON.stringify([file, id, convertToLlm(messages)]));
  }
}
