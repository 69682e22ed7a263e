// The usage totals of real Pi: one JSON line for each path read from stdin.
//
//   ls *.jsonl | node stats.mjs
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileFunction } from 'node:vm';

const core = new URL('./node_modules/@earendil-works/pi-coding-agent/dist/core/', import.meta.url);
const { SessionManager } = await import(new URL('session-manager.js', core).href);
const { addUsageToTotals, createUsageTotals, getUsageCostBreakdown } = await import(
  new URL('usage-totals.js', core).href
);

// The module around it needs a terminal library that is not installed here, so the method is taken out of its text.
const source = readFileSync(new URL('agent-session.js', core), 'utf8');
const method = /^ {4}getSessionStats\(\) \{\n.*?^ {4}\}\n/ms.exec(source)[0];
const parameters = ['addUsageToTotals', 'createUsageTotals'];
const evaluate = compileFunction(`return { ${method.trim()} };`, parameters);
const { getSessionStats } = evaluate(addUsageToTotals, createUsageTotals);

function statsOf(path) {
  const directory = mkdtempSync(join(tmpdir(), 'pi-stats-'));
  const copy = join(directory, 'session.jsonl');
  try {
    copyFileSync(path, copy);
    const sessionManager = SessionManager.open(copy);
    const stats = getSessionStats.call({ sessionManager, getContextUsage: () => undefined });
    const { userMessages, assistantMessages, toolCalls, toolResults, totalMessages, tokens, cost } = stats;
    return {
      messages: { user: userMessages, assistant: assistantMessages, toolResults, total: totalMessages, toolCalls },
      tokens,
      cost,
      models: getUsageCostBreakdown(sessionManager.getEntries()),
    };
  } catch {
    // Pi throws at an answer without usage, and reads no file without a header.
    return null;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

for await (const path of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (path !== '') process.stdout.write(`${JSON.stringify(statsOf(path))}\n`);
}
