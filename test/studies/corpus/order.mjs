import { readFileSync } from 'node:fs';
// The messages of a session in their order, read from the file alone: no code of ctx is used. Only sessions without
// compactions and branches can be compared: for others, and for an agent without an entry in READERS, there is none.

function readRecords(text) {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      // A damaged line has no message.
      return [];
    }
  });
}

/** A turn has its rounds in its metadata, each with the calls of one answer. The results of the calls are beside them. */
function* readVscodeChat(text) {
  for (const { result, response } of JSON.parse(text).requests) {
    yield 'user';
    const { toolCallRounds: rounds = [], toolCallResults: results = {} } = result?.metadata ?? {};
    if (rounds.length === 0 && response?.length > 0) yield 'assistant';
    for (const { response: words, toolCalls } of rounds) {
      // A round that failed before its first word is no answer.
      if (words === '' && toolCalls.length === 0) continue;
      yield 'assistant';
      yield* toolCalls.filter(({ id }) => id in results).map(() => 'toolResult');
    }
  }
}

/** The events of subagents name the call that started them. */
function* readCopilotCli(text) {
  let call;
  for (const { type, data, agentId } of readRecords(text)) {
    if (agentId !== undefined || data?.parentToolCallId !== undefined) continue;
    if (type === 'session.compaction_complete' || type === 'session.context_cleared') return null;
    if (type === 'user.message') yield 'user';
    if (type === 'tool.execution_complete' && data.isUserRequested !== true) yield 'toolResult';
    if (type !== 'assistant.message') continue;
    if (!(data.chunkIndex > 0) || data.apiCallId !== call) yield 'assistant';
    call = data.apiCallId;
  }
  return undefined;
}

const READERS = { 'vscode-chat': readVscodeChat, 'copilot-cli': readCopilotCli };

/**
 * The roles of the messages of a file; null if they cannot be compared.
 * @returns {readonly string[] | null}
 */
export function readOrder(agent, file) {
  const read = READERS[agent];
  if (read === undefined) return null;
  const roles = [];
  const messages = read(readFileSync(file, 'utf8'));
  for (;;) {
    const { value, done } = messages.next();
    if (done) return value === null ? null : roles;
    roles.push(value);
  }
}
