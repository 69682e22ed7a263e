import { Random } from './random.js';

type Row = { readonly [key: string]: unknown };

/** A generated rollout, its lines, and whether each of them is intact. */
export function generateRollout(seed: number): string {
  const random = new Random(seed);
  const lines: string[] = [];
  let clock = Date.parse('2026-03-02T09:00:00Z');
  let calls = 0;
  const total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const counts = random.chance(0.85);
  const exact = counts && random.chance(0.2);
  const write = (type: string, payload: Row): void => {
    clock += random.int(1, 9000);
    lines.push(JSON.stringify({ timestamp: new Date(clock).toISOString(), type, payload }));
  };
  const item = (payload: Row): void => write('response_item', payload);
  const words = (): string => Array.from({ length: random.int(1, 9) }, () => random.pick(WORDS)).join(' ');
  const text = (type: string): Row => ({ type, text: words() });
  const message = (role: string, texts: readonly string[]): Row => ({
    type: 'message',
    role,
    content: texts.map((each) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text: each })),
  });

  const context = (): void => {
    if (random.chance(0.3)) item(message('developer', [`<permissions instructions>${words()}`]));
    if (random.chance(0.3)) item(message('developer', [words()]));
    if (random.chance(0.4)) item(message('user', [`<environment_context>${words()}</environment_context>`]));
  };
  const callOf = (id: string): readonly [Row, Row] => {
    switch (random.int(0, 4)) {
      case 0:
        return [
          { type: 'custom_tool_call', call_id: id, name: 'apply_patch', input: words() },
          { type: 'custom_tool_call_output', call_id: id, output: [text('input_text')] },
        ];
      case 1:
        return [
          { type: 'local_shell_call', call_id: id, status: 'completed', action: { type: 'exec', command: [words()] } },
          { type: 'function_call_output', call_id: id, output: { content: words(), success: random.chance(0.5) } },
        ];
      case 2:
        return [
          { type: 'tool_search_call', call_id: id, arguments: { query: words() } },
          { type: 'tool_search_output', call_id: id, tools: [{ name: words() }] },
        ];
      default:
        return [
          {
            type: 'function_call',
            call_id: id,
            name: 'shell',
            arguments: random.chance(0.9) ? `{"cmd":"${words()}"}` : words(),
          },
          { type: 'function_call_output', call_id: id, output: random.chance(0.9) ? words() : null },
        ];
    }
  };
  const count = (): void => {
    const input = random.int(900, 4000);
    const usage = { input_tokens: input, cached_input_tokens: random.int(0, input), output_tokens: random.int(1, 300) };
    if (exact) write('token_usage_record', { response_id: `resp_${lines.length}`, usage });
    total.input_tokens += input;
    const info = { total_token_usage: { ...total }, last_token_usage: usage, model_context_window: 258_400 };
    for (let times = random.int(1, 2); times > 0; times -= 1) write('event_msg', { type: 'token_count', info });
  };
  /** One request: an answer, whose results come after its count, or between its calls. */
  const request = (): boolean => {
    if (random.chance(0.6)) item({ type: 'reasoning', summary: [text('summary_text')], encrypted_content: words() });
    if (random.chance(0.5)) item(message('assistant', [words()]));
    if (random.chance(0.1))
      item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: words() } });
    const pairs = Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () => callOf(`call_${(calls += 1)}`));
    const mixed = random.chance(0.3);
    const pending: Row[] = [];
    for (const [call, result] of pairs) {
      item(call);
      if (random.chance(0.05)) continue;
      if (mixed && random.chance(0.6)) item(result);
      else pending.push(result);
    }
    const after = random.chance(0.8);
    if (counts && after) count();
    if (random.chance(0.1)) item(message('developer', [words()]));
    for (const result of random.chance(0.2) ? pending.toReversed() : pending) item(result);
    if (counts && !after && random.chance(0.9)) count();
    return pairs.length > 0;
  };
  const compact = (): void => {
    if (random.chance(0.5)) {
      const history = [
        message('user', [words()]),
        ...(random.chance(0.5) ? [message('assistant', [words()])] : []),
        ...(random.chance(0.5) ? callOf(`kept_${lines.length}`) : []),
        ...(random.chance(0.5) ? [message('user', [words(), words()])] : []),
        ...(random.chance(0.7) ? [{ type: 'compaction', encrypted_content: words() }] : []),
      ];
      write('compacted', { message: '', replacement_history: history });
    } else write('compacted', { message: random.chance(0.9) ? words() : '' });
    write('event_msg', { type: 'context_compacted' });
  };

  write('session_meta', {
    id: `0190${String(seed).padStart(4, '0')}-0000-7000-8000-000000000000`,
    timestamp: new Date(clock).toISOString(),
    cwd: '/work/parts',
    originator: 'codex_cli_rs',
    source: 'cli',
    cli_version: '0.104.0',
    model_provider: 'openai',
    base_instructions: { text: `You are careful. ${words()}` },
  });
  context();
  for (let turn = random.int(1, 8); turn > 0; turn -= 1) {
    context();
    item(message('user', random.chance(0.2) ? [words(), words()] : [words()]));
    write('turn_context', { model: random.chance(0.1) ? 'gpt-6' : 'gpt-5', effort: random.pick(['low', 'high']) });
    for (let most = random.int(1, 5); most > 0 && request(); most -= 1) {
      if (random.chance(0.06)) compact();
    }
    if (random.chance(0.1)) item({ type: 'ghost_snapshot', ghost_commit: { id: words() } });
    if (random.chance(0.1)) item({ type: 'agent_message', author: 'a', recipient: 'b', content: [text('input_text')] });
    if (random.chance(0.05)) item({ type: 'thing_of_tomorrow', text: words() });
    if (random.chance(0.15)) compact();
    if (random.chance(0.25))
      write('event_msg', { type: 'thread_rolled_back', num_turns: random.pick([1, 1, 2, 3, 9]) });
  }
  return `${(random.chance(0.4) ? damaged(lines, random) : lines).join('\n')}${random.chance(0.8) ? '\n' : ''}`;
}

const WORDS = ['bolt', 'ledger', 'north', 'quartz', 'river', 'seven', 'tidy', 'under', 'vast', 'é', '"', '🚀'];

/** Lines as crashes and other programs leave them; the first line stays. */
function damaged([first = '', ...lines]: readonly string[], random: Random): readonly string[] {
  const hurt = lines.flatMap((line) => {
    if (!random.chance(0.06)) return [line];
    switch (random.int(0, 5)) {
      case 0:
        return [line.slice(0, random.int(0, line.length))];
      case 1:
        return ['', line];
      case 2:
        return ['[1,2]', line];
      case 3:
        return [line.replace(/"payload":\{/, '"payload":[{').replace(/\}$/, ']}')];
      case 4:
        return [JSON.stringify({ ...(JSON.parse(line) as object), payload: random.pick([null, 7, 'x', {}]) })];
      default:
        return [line.replaceAll(/"(?:content|call_id|output|summary|name)":/g, '"other":')];
    }
  });
  return [first, ...hurt];
}
