import type { SummarizerIo, SummaryTask } from '#change/compact/summarizers/define.js';
import { runProgram } from '#platform/processes.js';

/** A task of two messages; what is given takes the place of what it says. */
export function taskOf(given: Partial<SummaryTask> = {}): SummaryTask {
  return {
    messages: [
      { role: 'user', content: 'Fix the parser. Never touch src/legacy.js.', timestamp: 0 },
      { role: 'assistant', content: [{ type: 'text', text: 'Fixed.' }], stopReason: 'stop', timestamp: 1 },
    ],
    turnPrefix: [],
    previousSummary: null,
    instructions: null,
    files: { read: [], modified: [] },
    maxTokens: 2000,
    ...given,
  };
}

/** The real world, with what is given in its place. */
export function worldWith(given: Partial<SummarizerIo> = {}): SummarizerIo {
  return {
    env: {},
    signal: new AbortController().signal,
    fetch: globalThis.fetch,
    runProgram,
    readText: () => Promise.reject(new Error('no files')),
    progress: () => {},
    ...given,
  };
}
