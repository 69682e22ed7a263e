import type { Example } from '../define.js';
import { assistant, HEADER, QUESTION, toolCall, toolResult } from '../example.js';

/** A session that runs one command. */
export function runCommandOnce(command: string): Example {
  return [HEADER, QUESTION, ...addCommandRun(command, 'a1', 'u1')];
}

export function addCommandRun(command: string, id: string, parentId: string): Example {
  const result = id.replace('a', 'r');
  return [
    assistant(id, parentId, [toolCall(`call-${id}`, 'bash', { command })]),
    toolResult(result, id, `call-${id}`, 'done', { toolName: 'bash' }),
  ];
}
