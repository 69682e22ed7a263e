import { asObject } from '#base/json.js';
import { Random } from './random.js';

type Fields = Readonly<Record<string, unknown>>;

const SESSION = '0b1c2d3e-0000-4000-8000-00000000abcd';

/** Writes the lines of a Claude Code session, one record after another. */
export class ClaudeCodeLog {
  readonly lines: string[] = [];
  /** The record that the next one follows. */
  leaf: string | null = null;
  private count = 0;

  constructor(private readonly prefix = '') {}

  get text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  /** Appends a record of the chain, and returns its uuid. */
  record(type: string, fields: Fields, parent: string | null = this.leaf): string {
    const uuid = this.newUuid();
    const base = {
      parentUuid: parent,
      isSidechain: false,
      cwd: '/home/ada/app',
      sessionId: SESSION,
      version: '2.1.144',
    };
    this.lines.push(JSON.stringify({ ...base, type, ...fields, uuid, timestamp: this.time() }));
    this.leaf = uuid;
    return uuid;
  }

  other(fields: Fields): void {
    this.lines.push(JSON.stringify({ ...fields, sessionId: SESSION }));
  }

  user(content: unknown, fields: Fields = {}, parent: string | null = this.leaf): string {
    return this.record('user', { message: { role: 'user', content }, ...fields }, parent);
  }

  /** One line of an answer. */
  answer(id: string, block: unknown, parent: string | null = this.leaf, more: Fields = {}): string {
    const usage = { input_tokens: 3, cache_creation_input_tokens: 40, cache_read_input_tokens: 1000, output_tokens: 9 };
    const { model = 'claude-opus-4-6', ...fields } = more;
    const reason = asObject(block)['type'] === 'tool_use' ? 'tool_use' : 'end_turn';
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [block],
      stop_reason: model === '<synthetic>' ? null : reason,
      usage,
      ...fields,
    };
    return this.record('assistant', { message, requestId: `req_${id}` }, parent);
  }

  result(callId: string, text: string, source: string | null = null, parent: string | null = this.leaf): string {
    const fields = source === null ? {} : { sourceToolAssistantUUID: source };
    return this.user([{ type: 'tool_result', tool_use_id: callId, content: text }], fields, parent);
  }

  boundary(metadata: Fields = {}, logicalParent: string | null = this.leaf): string {
    const compactMetadata = { trigger: 'auto', preTokens: 150_000, ...metadata };
    const fields = { subtype: 'compact_boundary', content: 'Conversation compacted', compactMetadata };
    return this.record('system', { ...fields, logicalParentUuid: logicalParent }, null);
  }

  summary(text: string): string {
    return this.user(text, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
  }

  /** What "Summarize from here" writes: all messages up to `end` stay, and the summary follows them. */
  summarizeAfter(end: string, text: string, isSegment = false): string {
    const uuids = this.listPath(end);
    const anchorUuid = this.uuidAhead(0);
    const segment = { headUuid: uuids[0], anchorUuid, tailUuid: end };
    this.boundary(
      {
        preservedSegment: segment,
        ...(isSegment ? {} : { preservedMessages: { anchorUuid, uuids, allUuids: uuids } }),
      },
      end,
    );
    return this.user(text, { isCompactSummary: true, summarizeMetadata: { messagesSummarized: 1, direction: 'from' } });
  }

  /**
   * The uuids from the first record of a conversation to one of its records, in the order of the file: without progress, and
   * with the results of calls at once, which are on forks.
   */
  listPath(end: string): readonly string[] {
    const records = this.lines.map((line) => JSON.parse(line) as Record<string, string | null>);
    const byUuid = new Map(records.map((record) => [record['uuid'] ?? null, record]));
    const path = new Set<string | null | undefined>();
    for (let next: string | null = end; next !== null; next = byUuid.get(next)?.['parentUuid'] ?? null) path.add(next);
    const last = records.findLastIndex(({ uuid }) => uuid === end);
    const kept = records.slice(0, last + 1).filter((record, at) => {
      const isForkedResult = path.has(record['parentUuid']) && this.lines[at]?.includes('"type":"tool_result"');
      return record['type'] !== 'progress' && (path.has(record['uuid']) || isForkedResult);
    });
    return [...new Set(kept.flatMap(({ uuid }) => uuid ?? []))];
  }

  /** The uuid of the record after the next `ahead` ones. */
  uuidAhead(ahead: number): string {
    return this.uuid(this.count + ahead);
  }

  private newUuid(): string {
    const uuid = this.uuid(this.count);
    this.count += 1;
    return uuid;
  }

  private uuid(count: number): string {
    const mixed = (Math.imul(count + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    return `${mixed}-${this.prefix.padStart(4, '0')}-4000-8000-${String(count).padStart(12, '0')}`;
  }

  private time(): string {
    return new Date(Date.UTC(2026, 8, 1) + this.count * 1000).toISOString();
  }
}

export function textBlock(words: string): Fields {
  return { type: 'text', text: words };
}

export function call(id: string, name = 'Bash', input: Fields = { command: 'ls' }): Fields {
  return { type: 'tool_use', id, name, input };
}

/** A session with rewinds, parallel calls, boundaries of all kinds and, if wished, damage. The seed decides all of it. */
export function generateClaudeCode(seed: number, damaged = false): string {
  const log = new Generator(new Random(seed), new Random(seed + 1_000_003)).run();
  return damaged ? damage(log.lines, new Random(seed + 7)) : log.text;
}

class Generator {
  private readonly log: ClaudeCodeLog;
  private answers = 0;
  /** Records that a rewind may go back to, and the newest messages. */
  private ends: string[] = [];
  private newest: string[] = [];
  /** Whether a boundary keeps some of the newest messages: with any of them, the order is one that no client writes. */
  private hasKept = false;

  /** `kinds`: chooses the kind of each compaction. */
  constructor(
    private readonly random: Random,
    private readonly kinds: Random,
  ) {
    this.log = new ClaudeCodeLog(String(random.int(0, 9999)));
  }

  run(): ClaudeCodeLog {
    const steps = this.random.int(3, 25);
    this.log.other({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} });
    for (let step = 0; step < steps; step += 1) this.step();
    return this.log;
  }

  private step(): void {
    const { random, log } = this;
    const dice = random.next();
    if (dice < 0.45) this.turn();
    else if (dice < 0.57) this.rewind();
    else if (dice < 0.65) this.compact();
    else if (dice < 0.7) log.record('attachment', { attachment: { type: 'nested_memory', content: 'Use tabs.' } });
    else if (dice < 0.76) log.record('progress', { data: { type: 'hook_progress' } });
    else if (dice < 0.8) log.record('system', { subtype: 'turn_duration', durationMs: 5 });
    else if (dice < 0.84) this.sidechain();
    else if (dice < 0.88) log.user('Caveat: see above.', { isMeta: true });
    else if (dice < 0.91)
      this.keep(log.answer(`syn${log.lines.length}`, textBlock('API Error: 529'), log.leaf, { model: '<synthetic>' }));
    else if (dice < 0.94) log.other({ type: 'ai-title', aiTitle: 'A title' });
    else if (log.lines.length > 3) this.repeat();
  }

  private turn(): void {
    const { log, random } = this;
    this.keep(log.user(`Prompt ${log.lines.length}`));
    for (let round = random.int(0, 3); round > 0; round -= 1) this.calls();
    this.answers += 1;
    if (random.chance(0.3))
      this.keep(log.answer(`msg_${this.answers}`, { type: 'thinking', thinking: '', signature: 's' }));
    this.keep(log.answer(`msg_${this.answers}`, textBlock(`Answer ${this.answers}`)));
    this.ends.push(log.leaf ?? '');
  }

  /** Calls of one answer: one after another, in parallel with forks, or with results between them. */
  private calls(): void {
    const { log, random } = this;
    this.answers += 1;
    const id = `msg_${this.answers}`;
    if (random.chance(0.5)) this.keep(log.answer(id, textBlock('I look.')));
    const count = random.int(1, 4);
    const isBetween = random.chance(0.3);
    const uuids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      uuids.push(this.keep(log.answer(id, call(`${id}_${at}`))));
      if (isBetween) this.keep(log.result(`${id}_${at}`, `out ${at}`, random.chance(0.5) ? uuids[at] : null));
      if (random.chance(0.2)) log.record('progress', { data: {} });
    }
    if (isBetween) return;
    for (let at = 0; at < count; at += 1) {
      if (random.chance(0.04)) continue;
      const own = uuids[at] ?? null;
      const isLinked = random.chance(0.8);
      this.keep(log.result(`${id}_${at}`, `out ${at}`, isLinked ? null : own, isLinked ? own : log.leaf));
    }
  }

  private rewind(): void {
    if (this.ends.length === 0) return;
    this.log.leaf = this.random.pick(this.ends);
    this.turn();
  }

  private compact(): void {
    const { log, random, kinds } = this;
    if (this.ends.length > 1 && !this.hasKept && kinds.chance(0.25)) {
      const end = kinds.pick(this.ends);
      const path = log.listPath(end);
      this.newest.push(log.summarizeAfter(end, 'This session is being continued.', kinds.chance(0.2)));
      this.ends = [...this.ends.filter((uuid) => path.includes(uuid)), log.leaf ?? ''];
      return;
    }
    const keeps = random.chance(0.5);
    const summaryUuid = log.uuidAhead(1);
    const kept = keeps ? this.newest.slice(-random.int(1, 4)) : [];
    this.hasKept ||= keeps;
    const [head, tail] = [kept[0], kept.at(-1)];
    const segment = { headUuid: head, anchorUuid: summaryUuid, tailUuid: tail };
    const metadata = {
      ...(kept.length > 0 && random.chance(0.8) ? { preservedSegment: segment } : {}),
      ...(kept.length > 0 && random.chance(0.8) ? { preservedMessages: { anchorUuid: summaryUuid, uuids: kept } } : {}),
    };
    log.boundary(metadata, random.chance(0.9) ? log.leaf : 'gone');
    if (random.chance(0.97)) this.newest.push(log.summary('This session is being continued.'));
    if (!keeps) this.ends = [];
    this.newest = [...kept, log.leaf ?? ''];
    this.ends.push(log.leaf ?? '');
  }

  private sidechain(): void {
    const { log } = this;
    const { leaf } = log;
    log.user('A task', { isSidechain: true }, null);
    log.record('assistant', {
      isSidechain: true,
      message: { id: `side${log.lines.length}`, role: 'assistant', model: 'm', content: [] },
    });
    log.leaf = leaf;
  }

  /** A resumed session repeats records. */
  private repeat(): void {
    const { log, random } = this;
    log.lines.push(log.lines[random.int(1, log.lines.length - 1)] ?? '');
  }

  private keep(uuid: string): string {
    this.newest.push(uuid);
    return uuid;
  }
}

function damage(lines: readonly string[], random: Random): string {
  const damaged = lines.flatMap((line) => {
    const dice = random.next();
    if (dice < 0.04) return [];
    if (dice < 0.06) return [line.slice(0, random.int(1, line.length - 1))];
    if (dice < 0.07) return ['', line];
    if (dice < 0.08) return ['null', line];
    if (dice < 0.09) return [line.replace(/"parentUuid":("[^"]*"|null)/, '"parentUuid":7')];
    return [line];
  });
  const cut = random.chance(0.3) ? random.int(1, 30) : 0;
  const text = damaged.map((line) => `${line}\n`).join('');
  return text.slice(0, text.length - cut);
}
