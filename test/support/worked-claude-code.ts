import { call, ClaudeCodeLog, textBlock } from './claude-code.js';
import { Random } from './random.js';

/**
 * A session as Claude Code writes it: parallel calls, whose results follow their own lines; attachments of hooks beside
 * results; reminders; subagents; turns that were rewound; and several compactions.
 * `hasHooksOfTools`: hooks add words beside calls and results, which older versions record in another way.
 */
export function generateWorkedClaudeCode(seed: number, hasHooksOfTools = true): string {
  return new WorkedSession(new Random(seed), seed, hasHooksOfTools).run();
}

class WorkedSession {
  private readonly log: ClaudeCodeLog;
  /** Chooses the kind of each compaction. */
  private readonly kinds: Random;
  private answers = 0;
  /** The ends of turns since the last compaction. */
  private ends: string[] = [];
  /** The records of the last turn. */
  private lastTurn: string[] = [];
  /** Whether it has calls at once: a client that keeps such a turn names all of its records. */
  private isParallel = false;

  constructor(
    private readonly random: Random,
    seed: number,
    private readonly hasHooksOfTools: boolean,
  ) {
    this.log = new ClaudeCodeLog(seed.toString(16));
    this.kinds = new Random(seed + 1_000_003);
  }

  run(): string {
    const { random } = this;
    this.log.other({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} });
    const turns = random.int(3, 8);
    for (let turn = 0; turn < turns; turn += 1) {
      if (turn > 1 && random.chance(0.2)) this.rewind();
      if (turn > 1 && random.chance(0.25)) this.compact();
      this.turn();
    }
    // A user who goes back, and writes nothing more.
    if (this.kinds.chance(0.15))
      this.log.other({ type: 'last-prompt', leafUuid: this.kinds.pick(this.ends), explicit: true, rewound: true });
    return this.log.text;
  }

  private turn(): void {
    const { log, random } = this;
    const reminder = random.chance(0.2) ? '\n<system-reminder>\nMind the gap.\n</system-reminder>' : '';
    const prompt = `Prompt ${log.lines.length} ${'x'.repeat(random.int(0, 400))}${reminder}`;
    this.isParallel = false;
    this.lastTurn = [log.user(random.chance(0.3) ? [textBlock(prompt)] : prompt)];
    if (random.chance(0.3)) this.hook('UserPromptSubmit', 'UserPromptSubmit', `prompt-${log.lines.length}`);
    for (let round = random.int(0, 4); round > 0; round -= 1) this.round();
    this.answers += 1;
    const id = `msg_${this.answers}`;
    if (random.chance(0.4)) this.answer(id, { type: 'thinking', thinking: 'Done?', signature: `s${id}` });
    this.ends.push(this.answer(id, textBlock(`Answer ${this.answers}.`)));
    if (random.chance(0.6)) log.record('system', { subtype: 'turn_duration', durationMs: 5, isMeta: false });
  }

  /** An answer with one call or several at once, and their results. */
  private round(): void {
    const { random } = this;
    this.answers += 1;
    const id = `msg_${this.answers}`;
    if (random.chance(0.4)) this.answer(id, { type: 'thinking', thinking: 'Hm.', signature: `s${id}` });
    if (random.chance(0.5)) this.answer(id, textBlock('I look.'));
    const lines = Array.from({ length: random.pick([1, 1, 2, 3, 4]) }, (_, at) => {
      const isAgent = random.chance(0.1);
      const input = isAgent ? { description: 'Look', prompt: 'Look.' } : { command: `seq ${at} ${this.answers}` };
      return this.answer(id, call(`toolu_${id}_${at}`, isAgent ? 'Agent' : 'Bash', input));
    });
    if (this.hasHooksOfTools && random.chance(0.2)) this.hook('PreToolUse', 'PreToolUse:Bash', `toolu_${id}_0`);
    this.isParallel ||= lines.length > 1;
    for (const [at, line] of lines.entries()) this.result(`toolu_${id}_${at}`, line, at === lines.length - 1);
  }

  private result(callId: string, line: string, isLast: boolean): void {
    const { log, random } = this;
    const output = `${callId} ${'0123456789 '.repeat(random.int(0, 1200))}`;
    this.note(log.result(callId, output, line, line));
    if (this.hasHooksOfTools && random.chance(0.25)) this.hook('PostToolUse', 'PostToolUse:Bash', callId, isLast);
  }

  /** What a hook adds, beside the record before it or before the next one. */
  private hook(hookEvent: string, hookName: string, toolUseID: string, isFollowed = false): void {
    const { log, random } = this;
    const { leaf } = log;
    const content = [`Hook ${log.lines.length}`];
    const attachment = { type: 'hook_additional_context', content, hookName, toolUseID, hookEvent };
    log.record('attachment', { attachment });
    if (random.chance(0.5) && hookEvent !== 'UserPromptSubmit' && !isFollowed) log.leaf = leaf;
  }

  private rewind(): void {
    this.log.leaf = this.random.pick(this.ends);
  }

  private compact(): void {
    const { log, random, kinds } = this;
    if (this.ends.length > 1 && kinds.chance(0.3)) {
      const end = kinds.pick(this.ends);
      const path = log.listPath(end);
      const summary = log.summarizeAfter(end, 'This session is being continued from a previous conversation.');
      this.ends = [...this.ends.filter((uuid) => path.includes(uuid)), summary];
      return;
    }
    const [head] = this.lastTurn;
    const tail = this.lastTurn.at(-1);
    const segment = { headUuid: head, anchorUuid: log.uuidAhead(1), tailUuid: tail };
    const { leaf } = log;
    log.boundary(random.chance(0.6) && leaf === tail && !this.isParallel ? { preservedSegment: segment } : {});
    log.summary('This session is being continued from a previous conversation.');
    this.ends = [log.leaf ?? ''];
  }

  private answer(id: string, block: unknown): string {
    return this.note(this.log.answer(id, block, this.log.leaf, { model: 'claude-sonnet-4-5' }));
  }

  private note(uuid: string): string {
    this.lastTurn.push(uuid);
    return uuid;
  }
}
