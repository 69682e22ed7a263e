import { asObject, type JsonObject } from '#base/json.js';
import { Random } from './random.js';

/** A session of oh-my-pi or OpenClaw with everything that its requests depend on. */
export function generateForkSession(agent: 'oh-my-pi' | 'openclaw', seed: number): string {
  const session = new Writer(new Random(seed), agent);
  const steps = agent === 'oh-my-pi' ? OF_OH_MY_PI : OF_OPENCLAW;
  for (let left = session.random.int(10, 40); left > 0; left -= 1) session.random.pick(steps)(session);
  return session.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

type Step = (session: Writer) => void;

class Writer {
  readonly lines: JsonObject[];
  readonly ids: string[] = [];
  /** Whether words of the user may be excluded from the context. */
  readonly hasExcluded: boolean;
  /** The id that the next entry follows. */
  parent: string | null = null;

  constructor(
    readonly random: Random,
    agent: 'oh-my-pi' | 'openclaw',
  ) {
    this.hasExcluded = random.chance(0.3);
    const header = { type: 'session', version: 3, id: 's', timestamp: this.time(), cwd: '/w' };
    this.lines = [agent === 'oh-my-pi' ? { ...header, title: 'T' } : header];
    if (agent === 'openclaw') this.add('custom', { customType: 'model-snapshot', data: {} });
  }

  add(type: string, fields: JsonObject): string {
    const id = `e${this.ids.length}`;
    this.lines.push({ type, id, parentId: this.parent, timestamp: this.time(), ...fields });
    this.ids.push(id);
    this.parent = id;
    return id;
  }

  message(message: JsonObject): void {
    this.add('message', { message: { timestamp: 1_770_000_000_000 + this.ids.length, ...message } });
  }

  text(): JsonObject[] {
    return [{ type: 'text', text: `Text ${this.ids.length}.` }];
  }

  time(): string {
    return new Date(1_770_000_000_000 + (this.lines?.length ?? 0) * 1000).toISOString();
  }

  answer(stopReason: string, calls: readonly string[] = [], more: JsonObject = {}): void {
    const { random } = this;
    const signed = random.chance(0.5) ? { thinkingSignature: 'c2lnbmVk' } : {};
    const thinking = random.chance(0.4) ? [{ type: 'thinking', thinking: 'Hm.', ...signed }] : [];
    const text = random.chance(0.8) || calls.length === 0 ? this.text() : [];
    const toolCalls = calls.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: id } }));
    const usage = { input: 5, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 7, cost: { total: 0 } };
    const content = [...thinking, ...text, ...toolCalls, ...(random.chance(0.2) ? thinking : [])];
    this.message({ role: 'assistant', content, api: 'a', provider: 'p', model: 'm', usage, stopReason, ...more });
  }

  result(toolCallId: string, more: JsonObject = {}): void {
    this.message({ role: 'toolResult', toolCallId, toolName: 'read', content: this.text(), isError: false, ...more });
  }

  callIds(): readonly string[] {
    return Array.from({ length: this.random.int(1, 3) }, (_, at) => `c${this.ids.length}-${at}`);
  }

  /** An entry at which a compaction may cut, since the last reset: no agent cuts between a call and its result. */
  anyCut(): string {
    const sinceReset = this.lines.slice(this.lines.findLastIndex(({ type }) => type === 'reset') + 1);
    const cuts = sinceReset.filter(
      ({ id, type, message }) =>
        id !== 's' && type !== 'leaf' && type !== 'thing_of_tomorrow' && asObject(message)['role'] !== 'toolResult',
    );
    return cuts.length === 0 ? 'unknown' : String(this.random.pick(cuts)['id']);
  }

  /** A message of the user before. */
  anyWords(): string {
    const said = this.lines.filter(({ message }) => asObject(message)['role'] === 'user');
    return said.length === 0 ? 'unknown' : String(this.random.pick(said)['id']);
  }

  /** An entry before, which need not be on the path. */
  anyId(): string {
    return this.ids.length === 0 || this.random.chance(0.05) ? 'unknown' : this.random.pick(this.ids);
  }
}

const IMAGE = { type: 'image', data: 'AAAA', mimeType: 'image/png' };

const sayWords: Step = (session) => session.message({ role: 'user', content: session.text() });
const sayAnswer: Step = (session) => session.answer('stop');

const callTools: Step = (session) => {
  const calls = session.callIds();
  session.answer('toolUse', calls);
  for (const id of calls) if (session.random.chance(0.85)) session.result(id);
};

const failAnswer: Step = (session) => {
  const calls = session.random.chance(0.4) ? session.callIds() : [];
  session.answer(session.random.pick(['error', 'aborted']), calls);
  for (const id of calls) session.result(id);
};

const runCommand: Step = (session) => {
  const excludeFromContext = session.hasExcluded && session.random.chance(0.5);
  session.message({ role: 'bashExecution', command: 'ls', output: 'a b', exitCode: 0, excludeFromContext });
};

const addOfExtension: Step = (session) => {
  const { random } = session;
  const customType = random.pick(['note', 'skill-prompt', 'prewalk-plan', 'vibe-mode-context', 'collab-note']);
  const content = random.pick([session.text(), 'A text.', [...session.text(), IMAGE], [IMAGE]]);
  const attribution = random.pick(['user', 'agent', undefined]);
  session.add('custom_message', { customType, content, display: true, attribution });
};

const compact: Step = (session) => {
  if (session.lines.some(({ type, firstKeptEntryId: kept }) => type === 'reset' && kept)) return;
  const firstKeptEntryId = session.anyCut();
  session.add('compaction', { summary: `Summary ${session.ids.length}.`, firstKeptEntryId, tokensBefore: 9 });
};

const summariseBranch: Step = (session) => {
  session.parent = session.anyId();
  session.add('branch_summary', { fromId: session.anyId(), summary: session.random.pick(['', 'A branch.']) });
};

const goBack: Step = (session) => {
  session.parent = session.random.pick([...session.ids, null]);
  sayWords(session);
};

const note: Step = (session) => {
  const [type, fields] = session.random.pick<readonly [string, JsonObject]>([
    ['label', { targetId: session.anyId(), label: 'x' }],
    ['custom', { customType: 'state', data: {} }],
    ['thinking_level_change', { thinkingLevel: 'high' }],
  ]);
  session.add(type, fields);
};

const COMMON: readonly Step[] = [sayWords, sayWords, sayAnswer, callTools, callTools, failAnswer, note];

const OF_OH_MY_PI: readonly Step[] = [
  ...COMMON,
  runCommand,
  addOfExtension,
  compact,
  summariseBranch,
  goBack,
  (session) => session.add('reset_boundary', {}),
  (session) => session.add('model_change', { model: 'p/m', role: session.random.pick([undefined, 'default', 'smol']) }),
  (session) => session.add('mode_change', { mode: 'plan' }),
  (session) => session.message({ role: 'developer', content: session.text() }),
  (session) => {
    const files = [
      { path: 'a.md', content: 'A' },
      { path: 'b.md', content: '' },
      { path: 'c.png', content: '', image: IMAGE },
    ];
    session.message({ role: 'fileMention', files: files.filter(() => session.random.chance(0.6)) });
  },
  (session) => {
    const more = session.random.pick([{}, { cancelled: true }, { exitCode: 2 }, { excludeFromContext: true }]);
    session.message({ role: 'pythonExecution', code: 'print(1)', output: session.random.pick(['', '1']), ...more });
  },
  (session) => {
    session.answer('aborted', [], { errorMessage: 'Interrupted by user' });
    if (session.random.chance(0.6))
      session.add('custom_message', {
        customType: 'interrupted-thinking',
        content: 'Go on from here.',
        display: false,
      });
  },
  (session) => {
    const provider = { provider: 'openai' };
    const items = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Kept.' }] }];
    const preserveData = session.random.pick([
      { openaiRemoteCompaction: { ...provider, replacementHistory: items } },
      { anthropicCompaction: { ...provider, content: 'Native.' } },
    ]);
    const firstKeptEntryId = session.anyCut();
    const through = session.random.chance(0.5) ? { providerReplayThroughEntryId: session.anyWords() } : {};
    session.add('compaction', { summary: 'Remote.', firstKeptEntryId, tokensBefore: 9, preserveData, ...through });
  },
];

const OF_OPENCLAW: readonly Step[] = [
  ...COMMON,
  runCommand,
  compact,
  summariseBranch,
  goBack,
  (session) => session.add('custom_message', { customType: 'note', content: session.text(), display: false }),
  (session) => {
    // What an earlier boundary hid is not kept again.
    const isFirst = !session.lines.some(({ type }) => type === 'reset' || type === 'compaction');
    const keepsSome = isFirst && !session.hasExcluded && session.random.chance(0.6);
    const kept = keepsSome ? { firstKeptEntryId: session.anyCut() } : {};
    session.add('reset', { reason: 'new', ...kept });
  },
  (session) => {
    const { random } = session;
    const appendParentId = random.pick([undefined, session.anyId(), null]);
    session.add('leaf', { targetId: random.pick([session.anyId(), session.anyId(), null]), appendParentId });
  },
  (session) => {
    session.answer('stop', [], { provider: 'openclaw', model: 'gateway-injected' });
    const last = session.lines.at(-1);
    if (last && session.random.chance(0.5)) session.lines.splice(-1, 1, { ...last, appendMode: 'side' });
  },
  // Kept by a reset, such words would be sent after all.
  (session) => {
    if (session.hasExcluded) session.message({ role: 'user', content: session.text(), excludeFromContext: true });
  },
  (session) => session.add('thing_of_tomorrow', { words: 'x' }),
];
