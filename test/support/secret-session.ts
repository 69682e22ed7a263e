import { diceOf } from './seeded-secrets.js';

/** A session that holds a token in every place that it has, each another one. */
export function secretSession(): { readonly text: string; readonly tokens: readonly string[] } {
  const dice = diceOf(5);
  const tokens: string[] = [];
  const token = (): string => {
    const made = `ghp_${dice('A-Za-z0-9', 36)}`;
    tokens.push(made);
    return made;
  };
  /** Previews of any length end somewhere in one. */
  const prose = (): string => `${token()} and, then ${token()}\nand a line with ${token()}`;
  const texts = (): object[] => [{ type: 'text', text: prose() }];
  const ids: string[] = [];
  const lines: object[] = [];
  const add = (type: string, rest: object, parent = ids.at(-1) ?? null): string => {
    const id = (0xa0000000 + ids.length).toString(16);
    const timestamp = new Date(Date.UTC(2026, 0, 5, 9, 0, ids.length)).toISOString();
    lines.push({ type, id, parentId: parent, timestamp, ...rest });
    ids.push(id);
    return id;
  };
  const say = (message: object): string => add('message', { message: { ...message, timestamp: 1_767_603_600_000 } });
  const usage = { input: 900, output: 30, cacheRead: 0, cacheWrite: 0, totalTokens: 930, cost: { total: 0.01 } };
  const assistant = (content: object[]): string =>
    say({ role: 'assistant', content, provider: 'anthropic', model: 'claude-sonnet-4-5', usage, stopReason: 'stop' });
  const tool = (): object => ({ name: 'deploy', description: prose(), parameters: { properties: { [token()]: {} } } });
  lines.push({
    type: 'session',
    version: 3,
    id: 'a-session-with-secrets',
    timestamp: '2026-01-05T09:00:00.000Z',
    cwd: `/home/ada/${token()}`,
    parentSession: `/home/ada/${token()}.jsonl`,
  });
  say({ role: 'system', content: prose(), sections: { [token()]: prose() }, toolsAdded: [tool()] });
  const first = say({ role: 'user', content: prose() });
  assistant([
    { type: 'thinking', thinking: prose() },
    { type: 'text', text: prose() },
    { type: 'toolCall', id: 'call_1', name: 'deploy', arguments: { command: prose(), [token()]: [token()] } },
  ]);
  const result = { toolCallId: 'call_1', toolName: 'deploy', isError: true, details: { path: token() } };
  const answered = say({ role: 'toolResult', content: texts(), ...result });
  say({ role: 'bashExecution', command: prose(), output: prose(), fullOutputPath: `/tmp/${token()}`, exitCode: 1 });
  add('context_edit', { targetId: answered, replacement: { content: texts() } });
  add('custom_message', { customType: token(), content: prose(), display: true, details: { x: token() } });
  add('custom', { customType: token(), data: { [token()]: prose() } });
  add('label', { targetId: first, label: token() });
  add('session_info', { name: prose() });
  add('ephemeral', { messages: [{ role: 'user', content: prose() }] });
  const part = {
    op: 'system_part_set',
    scope: 'cached',
    partName: token(),
    text: prose(),
    invalidateCacheReason: token(),
  };
  add('context_transform', {
    schemaVersion: 1,
    transformerName: token(),
    patch: [part, { op: 'tools_replace', scope: 'cached', tools: [tool()], invalidateCacheReason: token() }],
    display: { title: token(), summary: token(), markdown: prose() },
  });
  const kept = say({ role: 'user', content: texts() });
  say({
    role: 'assistant',
    content: texts(),
    provider: token(),
    model: token(),
    usage,
    stopReason: 'error',
    errorMessage: token(),
  });
  add('compaction', {
    summary: prose(),
    firstKeptEntryId: kept,
    tokensBefore: 5000,
    details: { readFiles: [token()] },
  });
  say({ role: 'user', content: prose() });
  assistant(texts());
  add('branch_summary', { fromId: kept, summary: prose() }, first);
  say({ role: 'user', content: prose() });
  assistant(texts());
  const damaged = `{"type":"message","id":"torn","message":{"role":"user","content":"${token().slice(0, 30)}`;
  return { text: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n${damaged}`, tokens };
}
