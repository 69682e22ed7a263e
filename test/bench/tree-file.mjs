// A session of many short entries with very many branches.
import { closeSync, openSync, writeSync } from 'node:fs';

/** Turns of six entries; every tenth turn is left for a branch of its own. */
export function writeTree(path, count) {
  const descriptor = openSync(path, 'w');
  const timestamp = '2026-03-02T09:00:00.000Z';
  const lines = [JSON.stringify({ type: 'session', version: 3, id: 'tree', timestamp, cwd: '/home/ada/weather' })];
  const id = (at) => at.toString(16).padStart(8, '0');
  let parent = null;
  for (let at = 0; at < count; at += 1) {
    const usage = { input: 300, output: 20, cacheRead: 1000 + (at % 60_000), cacheWrite: 0, totalTokens: 1320 + at };
    const message =
      at % 6 === 0
        ? { role: 'user', content: `Question ${at}: why does the forecast show the wrong day?` }
        : at % 2 === 1
          ? { role: 'assistant', content: [{ type: 'text', text: `Answer ${at}: a date is read twice.` }], usage }
          : { role: 'toolResult', toolCallId: id(at), toolName: 'bash', content: [{ type: 'text', text: `ok ${at}` }] };
    lines.push(JSON.stringify({ type: 'message', id: id(at), parentId: parent, timestamp, message }));
    const isLeft = at % 60 === 59;
    parent = isLeft ? id(at - 5) : id(at);
    if (lines.length < 5000) continue;
    writeSync(descriptor, `${lines.join('\n')}\n`);
    lines.length = 0;
  }
  writeSync(descriptor, `${lines.join('\n')}\n`);
  closeSync(descriptor);
}
