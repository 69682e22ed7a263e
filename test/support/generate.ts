import { PIXEL } from '#analysis/check/provider/image-example.js';
import { Random } from './random.js';

/** What a generated session may hold. Probabilities are by entry. */
export interface Shape {
  readonly seed: number;
  readonly entries?: number;
  readonly version?: 1 | 2 | 3;
  /** Oddities that only hand-written or broken files have: missing parents, null content, repeated ids, torn lines. */
  readonly odd?: number;
  /** `context_transform` and `ephemeral` entries. */
  readonly transforms?: number;
  readonly compactions?: number;
  readonly edits?: number;
  /** Only what providers take: results follow their calls, no entry parts them, and pictures are pictures. */
  readonly sound?: boolean;
}

type Json = Record<string, unknown>;

const START = Date.UTC(2026, 0, 5, 9);
const WORDS = [
  'fix',
  'the',
  'parser',
  'naïve',
  '日本語',
  '🙂',
  '𝒳',
  '`code`',
  '"quoted"',
  '\\',
  '\n',
  '\u2028',
  '<tag>',
  'src/a.ts',
  '\ud800',
];
const TOOLS = ['read', 'bash', 'edit', 'write', 'grep'];
const SECTIONS = ['preamble', 'rules', 'content', 'skills', '7', '10', 'cwd'];
const MODELS = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5'],
  ['local/lab', 'some/model:7b'],
] as const;

const MESSAGE_OPS: ReadonlySet<unknown> = new Set(['messages_cached_replace', 'compaction_apply']);

/** The text of a random session file. The same shape always gives the same bytes. */
export function generateSession(shape: Shape): string {
  return new SessionWriter(shape).write();
}

class SessionWriter {
  private readonly random: Random;
  private readonly shape: Required<Shape>;
  private readonly entries: Json[] = [];
  private leaf: string | null = null;
  private clock = START;
  private calls: { id: string; name: string }[] = [];

  constructor(shape: Shape) {
    this.shape = {
      entries: 40,
      version: 3,
      odd: 0,
      transforms: 0,
      compactions: 0.05,
      edits: 0.08,
      sound: false,
      ...shape,
    };
    this.random = new Random(shape.seed);
  }

  write(): string {
    this.add({ type: 'model_change', provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    if (this.random.chance(0.7)) this.addSystem();
    while (this.entries.length < this.shape.entries) this.step();
    return `${this.lines().join('\n')}\n`;
  }

  private step(): void {
    const { random } = this;
    if (this.calls.length > 0 && (this.shape.sound || random.chance(0.9))) return this.addResult(this.calls.shift()!);
    const roll = random.next();
    const { compactions, edits, transforms } = this.shape;
    if (roll < compactions) this.addCompaction();
    else if (roll < compactions + edits) this.addEdit();
    else if (roll < compactions + edits + transforms) this.addCe();
    else this.addOrdinary(random.next());
  }

  private addOrdinary(roll: number): void {
    if (roll < 0.06) this.addSystem();
    else if (roll < 0.17) this.addMetadata();
    else if (roll < 0.22) this.navigate();
    else if (roll < 0.61) this.addAssistant();
    else this.addUserLike();
  }

  private add(entry: Json): string {
    const { random } = this;
    this.clock += random.int(1, 90) * 997;
    const id = random.int(0, 0xffffffff).toString(16).padStart(8, '0');
    const { type, ...rest } = entry;
    this.entries.push({ type, id, parentId: this.leaf, timestamp: new Date(this.clock).toISOString(), ...rest });
    this.leaf = id;
    return id;
  }

  private text(most = 8): string {
    return Array.from({ length: this.random.int(0, most) }, () => this.random.pick(WORDS)).join(' ');
  }

  private image(): Json {
    return { type: 'image', data: this.shape.sound ? PIXEL : 'aGVsbG8=', mimeType: 'image/png' };
  }

  private blocks(): Json[] {
    return [{ type: 'text', text: this.text(20) }, ...(this.random.chance(0.1) ? [this.image()] : [])];
  }

  private content(): unknown {
    return this.random.chance(0.4) ? this.text(20) : this.blocks();
  }

  private addMessage(message: Json): void {
    this.add({ type: 'message', message: { ...message, timestamp: this.clock } });
  }

  private addUserLike(): void {
    const { random } = this;
    const roll = random.next();
    if (roll < 0.7) this.addMessage({ role: 'user', content: this.content() });
    else if (roll < 0.8)
      this.add({ type: 'custom_message', customType: 'note', content: this.content(), display: random.chance(0.5) });
    else if (roll < 0.92) this.addMessage(this.shellCommand());
    else
      this.addMessage({
        role: random.pick(['custom', 'branchSummary', 'compactionSummary', 'mystery']),
        customType: 'x',
        content: this.content(),
        summary: this.text(),
      });
  }

  private shellCommand(): Json {
    const { random } = this;
    return {
      role: 'bashExecution',
      command: this.text(3),
      output: random.chance(0.3) ? '' : this.text(),
      ...(random.chance(0.8) ? { exitCode: random.int(0, 2) } : {}),
      cancelled: random.chance(0.1),
      truncated: random.chance(0.2),
      ...(random.chance(0.3) ? { fullOutputPath: '/tmp/full.log' } : {}),
      ...(random.chance(0.2) ? { excludeFromContext: true } : {}),
    };
  }

  private addAssistant(): void {
    const { random } = this;
    const [provider, model] = random.pick(MODELS);
    const calls = Array.from({ length: random.chance(0.5) ? random.int(1, 2) : 0 }, (_, at) => ({
      id: `call_${this.entries.length}_${at}`,
      name: random.pick(TOOLS),
    }));
    const content: Json[] = [
      ...(random.chance(0.3) ? [{ type: 'thinking', thinking: this.text(), thinkingSignature: 'c2ln' }] : []),
      ...(random.chance(0.8) ? [{ type: 'text', text: this.text(20) }] : []),
      ...calls.map(({ id, name }) => ({
        type: 'toolCall',
        id,
        name,
        arguments: { path: 'src/a.ts', '10': 1.5, n: null, s: this.text(3) },
      })),
    ];
    const stopReason =
      calls.length > 0 ? 'toolUse' : random.pick(['stop', 'stop', 'stop', 'error', 'aborted', 'length']);
    this.addMessage({ role: 'assistant', content, api: 'generated', provider, model, usage: this.usage(), stopReason });
    this.calls = calls;
  }

  private usage(): Json {
    const input = this.random.chance(0.1) ? 0 : this.random.int(10, 5000);
    return {
      input,
      output: input === 0 ? 0 : 20,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: input === 0 ? 0 : input + 20,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    };
  }

  private addResult({ id, name }: { id: string; name: string }): void {
    this.addMessage({
      role: 'toolResult',
      toolCallId: id,
      toolName: name,
      content: this.random.chance(0.1) ? [] : this.blocks(),
      isError: this.random.chance(0.1),
    });
  }

  private addSystem(): void {
    const { random } = this;
    const sections: Json = {};
    for (const name of SECTIONS) if (random.chance(0.4)) sections[name] = random.chance(0.2) ? null : this.text();
    const added = TOOLS.filter(() => random.chance(0.4)).map((name) => ({
      name,
      description: this.text(3),
      parameters: { type: 'object' },
    }));
    const removed = TOOLS.filter(() => random.chance(0.15)).map((name) => ({ name }));
    const content = random.chance(0.6)
      ? ''
      : random.chance(0.5)
        ? this.text()
        : [
            { type: 'text', text: this.text() },
            { type: 'text', text: this.text() },
          ];
    this.addMessage({
      role: 'system',
      content,
      sections,
      toolsAdded: added,
      ...(removed.length > 0 ? { toolsRemoved: removed } : {}),
    });
  }

  private addMetadata(): void {
    const { random } = this;
    const [provider, modelId] = random.pick(MODELS);
    this.add(
      random.pick<Json>([
        { type: 'model_change', provider, modelId },
        { type: 'thinking_level_change', thinkingLevel: random.pick(['off', 'low', 'high']) },
        {
          type: 'label',
          targetId: this.anyId(),
          ...(random.chance(0.7) ? { label: `label ${random.int(1, 3)}` } : {}),
        },
        { type: 'custom', customType: 'state', data: { id: 'not-an-id', parentId: 'neither' } },
        { type: 'session_info', name: this.text(4) },
        { type: 'usage', kind: 'cache_warm', provider, model: modelId, usage: this.usage() },
        { type: 'future_type', message: { role: 'user', content: 'unknown' } },
      ]),
    );
  }

  private navigate(): void {
    const from = this.leaf;
    this.calls = [];
    this.leaf = this.random.chance(0.15) ? null : this.anyId();
    if (this.random.chance(0.5))
      this.add({
        type: 'branch_summary',
        fromId: from ?? 'root',
        summary: this.random.chance(0.2) ? '' : this.text(),
        details: { readFiles: [], modifiedFiles: [] },
      });
  }

  private addCompaction(): void {
    const { random } = this;
    const path = this.pathIds();
    const own = random.chance(0.15);
    const checkpoint = random.chance(0.5)
      ? {
          systemMessage: {
            role: 'system',
            content: this.text(),
            sections: { rules: this.text(), '7': this.text() },
            toolsAdded: [{ name: 'read', description: 'checkpoint' }],
            timestamp: this.clock,
          },
        }
      : {};
    const id = this.add({
      type: 'compaction',
      summary: this.text(20),
      firstKeptEntryId: this.shape.sound
        ? random.pick(path.filter((each) => !this.isResult(each)))
        : random.chance(0.1)
          ? this.anyId()
          : random.pick(path),
      tokensBefore: random.int(100, 9000),
      ...checkpoint,
    });
    if (own) this.entries.at(-1)!['firstKeptEntryId'] = id;
  }

  private addEdit(): void {
    const { random } = this;
    const path = this.pathIds();
    const editable = this.shape.sound ? path.filter((id) => !this.isResult(id) && !this.hasCalls(id)) : path;
    const isAnywhere = !this.shape.sound && random.chance(0.1);
    const targetId = isAnywhere ? this.anyId() : random.pick(editable.length > 0 ? editable : [this.firstId()]);
    const replacement = random.chance(0.5) ? null : { content: this.content() };
    this.add({ type: 'context_edit', targetId, replacement });
  }

  private addCe(): void {
    const { random } = this;
    if (random.chance(0.2))
      return void this.add({
        type: 'ephemeral',
        messages: [{ role: 'user', content: 'for this request', timestamp: this.clock }],
      });
    const isCompaction = !this.shape.sound && random.chance(0.25);
    const ops = isCompaction ? [this.compactionOp()] : Array.from({ length: random.int(1, 3) }, () => this.op());
    const patch = ops.map((op) => ({
      scope: 'cached',
      invalidateCacheReason: random.pick(['policy', 'redact secrets', 'trim']),
      ...op,
    }));
    this.add({
      type: 'context_transform',
      schemaVersion: 1,
      transformerName: isCompaction ? 'compaction' : 'generated',
      patch,
      ...(random.chance(0.5) ? { display: { title: this.text(3) } } : {}),
    });
    if (isCompaction && random.chance(0.7))
      this.add({
        type: 'compaction',
        summary: this.text(),
        firstKeptEntryId: random.pick(this.pathIds()),
        tokensBefore: 1,
      });
  }

  private compactionOp(): Json {
    return {
      op: 'compaction_apply',
      summary: this.text(),
      timestamp: this.clock,
      firstKeptMessageIndex: this.random.int(-1, 12),
      tokensBefore: 5,
    };
  }

  private op(): Json {
    const { random } = this;
    const part = { name: random.pick(SECTIONS), text: this.text() };
    const stored = this.entries.flatMap(({ message }) => {
      const role = (message as Json | undefined)?.['role'];
      return role === 'user' || role === 'toolResult' ? [message] : [];
    });
    const messages = [
      ...stored.filter(() => random.chance(0.4)),
      { role: 'user', content: this.text(), timestamp: this.clock },
    ];
    const ops: readonly Json[] = [
      { op: 'system_part_set', partName: part.name, text: part.text },
      { op: 'system_part_remove', partName: part.name },
      { op: 'system_parts_replace', parts: [part] },
      { op: 'tools_replace', tools: [{ name: random.pick(TOOLS), description: this.text(3) }] },
      { op: 'tools_remove', toolNames: [random.pick(TOOLS)] },
      { op: 'messages_cached_replace', messages },
      {
        op: 'options_set',
        reasoning: random.pick(['low', 'high', null]),
        ...(random.chance(0.5) ? { maxTokens: 1000 } : {}),
      },
      this.compactionOp(),
    ];
    return random.pick(this.shape.sound ? ops.filter((op) => !MESSAGE_OPS.has(op['op'])) : ops);
  }

  private messageOf(id: string): Json | undefined {
    return this.entries.find((entry) => entry['id'] === id)?.['message'] as Json | undefined;
  }

  private isResult(id: string): boolean {
    return this.messageOf(id)?.['role'] === 'toolResult';
  }

  private hasCalls(id: string): boolean {
    return this.messageOf(id)?.['stopReason'] === 'toolUse';
  }

  /** What is there to be named where a branch begins at the root. */
  private firstId(): string {
    return this.entries[0]!['id'] as string;
  }

  private anyId(): string {
    return this.random.pick(this.entries)['id'] as string;
  }

  private pathIds(): string[] {
    const byId = new Map(this.entries.map((entry) => [entry['id'], entry]));
    const ids: string[] = [];
    for (let id: unknown = this.leaf; id !== null && byId.has(id); id = byId.get(id)!['parentId'])
      ids.push(id as string);
    return ids;
  }

  private lines(): string[] {
    const { version, seed } = this.shape;
    const header: Json = {
      type: 'session',
      ...(version > 1 ? { version } : {}),
      id: `generated-${seed}`,
      timestamp: new Date(START).toISOString(),
      cwd: '/home/ada/project',
    };
    const entries =
      version === 1
        ? this.asVersion1()
        : version === 2
          ? this.entries.map((entry) => this.asVersion2(entry))
          : this.entries;
    return [JSON.stringify(header), ...entries.flatMap((entry) => this.damaged(entry))];
  }

  /** v1 knows neither ids nor most types, and counts entries instead. */
  private asVersion1(): Json[] {
    const types = new Set(['message', 'compaction', 'model_change', 'thinking_level_change']);
    const kept = this.entries.filter(({ type }) => types.has(type as string));
    const ids = kept.map(({ id }) => id);
    return kept.map(({ id: _id, parentId: _parent, firstKeptEntryId, systemMessage: _system, ...entry }) =>
      entry['type'] === 'compaction' ? { ...entry, firstKeptEntryIndex: ids.indexOf(firstKeptEntryId) + 1 } : entry,
    );
  }

  private asVersion2(entry: Json): Json {
    const message = entry['message'] as Json | undefined;
    if (message?.['role'] !== 'user' || this.random.chance(0.8)) return entry;
    return { ...entry, message: { ...message, role: 'hookMessage', customType: 'hook', display: true } };
  }

  private damaged(entry: Json): string[] {
    const { random } = this;
    const odd = (): boolean => random.chance(this.shape.odd * 0.15);
    const changed: Json = { ...entry };
    if (odd()) changed['parentId'] = random.pick(['missing', null, '', 0]);
    if (odd() && changed['message']) changed['message'] = { ...(changed['message'] as Json), content: null };
    if (odd() && changed['type'] === 'compaction') changed['firstKeptEntryId'] = random.pick(['missing', undefined, 7]);
    if (odd()) changed['timestamp'] = 'not a date';
    if (odd() && changed['type'] === 'context_edit') changed['replacement'] = {};
    const line = JSON.stringify(changed);
    const before = odd()
      ? [
          random.pick([
            '{broken',
            'null',
            '0',
            '""',
            '   ',
            '{"type":"message"',
            '[]]',
            `${line}${line}`,
            line.slice(0, 30),
            '{"type":"session","id":"again"}',
          ]),
        ]
      : [];
    return odd() ? before : [...before, line];
  }
}
