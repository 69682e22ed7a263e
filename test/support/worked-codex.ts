import { Random } from './random.js';

type Row = Readonly<Record<string, unknown>>;

/**
 * A rollout as Codex writes it: turns with reasoning and parallel calls, counts after each answer, calls that were
 * interrupted, turns that were rolled back, and several compactions.
 * `isPaginated`: its lines are numbered. Recent versions go back in such rollouts only, and write no turn as rolled back.
 */
export function generateWorkedRollout(seed: number, isPaginated = false): string {
  return new WorkedRollout(new Random(seed), seed, isPaginated).run();
}

class WorkedRollout {
  private readonly lines: string[] = [];
  private clock = Date.UTC(2026, 1, 28, 10);
  private calls = 0;
  private turns = 0;
  private total = 0;

  constructor(
    private readonly random: Random,
    private readonly seed: number,
    private readonly isPaginated: boolean,
  ) {}

  run(): string {
    const { random } = this;
    const id = `019ca000-${this.seed.toString(16).padStart(4, '0')}-7000-8000-000000000001`;
    this.write('session_meta', {
      id,
      timestamp: this.now(),
      cwd: '/work/parts',
      originator: 'codex_exec',
      cli_version: '0.98.0',
      source: 'exec',
      model_provider: 'openai',
      base_instructions: { text: 'Be kind.' },
      ...(this.isPaginated ? { history_mode: 'paginated' } : {}),
    });
    const turns = random.int(3, 8);
    for (let turn = 0; turn < turns; turn += 1) {
      this.turn();
      if (turn > 0 && random.chance(0.15) && !this.isPaginated)
        this.event({ type: 'thread_rolled_back', num_turns: 1 });
      if (turn > 0 && random.chance(0.2)) this.compact();
    }
    return `${this.lines.join('\n')}\n`;
  }

  private turn(): void {
    const { random } = this;
    this.turns += 1;
    const turnId = this.begin();
    if (random.chance(0.3))
      this.message('user', '<environment_context>\n  <cwd>/work/parts</cwd>\n</environment_context>');
    this.write('turn_context', {
      turn_id: turnId,
      cwd: '/work/parts',
      approval_policy: 'never',
      sandbox_policy: { type: 'danger-full-access' },
      model: 'gpt-5.2-codex',
      summary: 'auto',
    });
    const prompt = `Prompt ${this.turns} ${'x'.repeat(random.int(0, 400))}`;
    this.message('user', prompt);
    this.event({ type: 'user_message', message: prompt, images: [], local_images: [], text_elements: [] });
    for (let round = random.int(0, 4); round > 0; round -= 1) this.round();
    if (random.chance(0.15)) {
      this.item(this.newCall());
      this.count();
      this.message('user', '<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>');
      this.event({ type: 'turn_aborted', turn_id: turnId, reason: 'interrupted' });
      return;
    }
    if (random.chance(0.5)) this.reason();
    this.message('assistant', `Answer ${this.turns}.`);
    this.count();
    this.event({ type: 'task_complete', turn_id: turnId, last_agent_message: `Answer ${this.turns}.` });
  }

  /** Begins a task of the client, which is a turn or a compaction. Returns its id. */
  private begin(): string {
    const turnId = `019ca000-0000-7000-8000-${String(this.lines.length).padStart(12, '0')}`;
    this.event({ type: 'task_started', turn_id: turnId, model_context_window: 258_400 });
    return turnId;
  }

  /** An answer with one call or several at once, and their results. */
  private round(): void {
    const { random } = this;
    if (random.chance(0.6)) this.reason();
    if (random.chance(0.3)) this.message('assistant', 'I look.');
    const made = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => this.newCall());
    for (const call of made) this.item(call);
    this.count();
    for (const { type, call_id: id } of made) {
      const output = `${String(id)} ${'0123456789 '.repeat(random.int(0, 700))}`;
      this.item({ type: `${String(type)}_output`, call_id: id, output });
    }
  }

  private newCall(): Row {
    this.calls += 1;
    const id = `call_${this.calls}`;
    return this.random.chance(0.2)
      ? { type: 'custom_tool_call', call_id: id, name: 'apply_patch', input: '*** Begin Patch' }
      : { type: 'function_call', call_id: id, name: 'exec_command', arguments: `{"cmd":"seq ${this.calls}"}` };
  }

  private reason(): void {
    const summary = [{ type: 'summary_text', text: `Thought ${this.lines.length}` }];
    this.item({ type: 'reasoning', summary, encrypted_content: 'c2VjcmV0' });
  }

  private compact(): void {
    const kept = [`Prompt ${this.turns}`, 'Another language model started to solve this problem.'];
    const history = kept.map((text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }));
    const turnId = this.begin();
    this.write('compacted', { message: kept[1], replacement_history: history });
    this.event({ type: 'context_compacted' });
    this.event({ type: 'task_complete', turn_id: turnId, last_agent_message: null });
  }

  private message(role: string, text: string): void {
    this.item({
      type: 'message',
      role,
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    });
  }

  private count(): void {
    this.total += 2000;
    const usage = (tokens: number): Row => ({
      input_tokens: tokens,
      cached_input_tokens: 0,
      output_tokens: 9,
      reasoning_output_tokens: 0,
      total_tokens: tokens + 9,
    });
    const info = { total_token_usage: usage(this.total), last_token_usage: usage(2000), model_context_window: 258_400 };
    this.event({ type: 'token_count', info, rate_limits: null });
  }

  private item(payload: Row): void {
    this.write('response_item', payload);
  }

  private event(payload: Row): void {
    this.write('event_msg', payload);
  }

  private write(type: string, payload: Row): void {
    this.clock += 1000;
    const ordinal = this.isPaginated ? { ordinal: this.lines.length } : {};
    this.lines.push(JSON.stringify({ timestamp: this.now(), ...ordinal, type, payload }));
  }

  private now(): string {
    return new Date(this.clock).toISOString();
  }
}
