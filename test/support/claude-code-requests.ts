import { createHash } from 'node:crypto';
import { call, ClaudeCodeLog, textBlock } from './claude-code.js';

type Fields = Readonly<Record<string, unknown>>;

/** A message of a request to Anthropic. */
export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly Fields[];
}

/** The client's JSON of a value: sorted keys, no blanks. */
function clientJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(clientJson).join()}]`;
  const fields = value as Fields;
  const keys = Object.keys(fields).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${clientJson(fields[key])}`).join()}}`;
}

const blocksOf = (content: WireMessage['content']): readonly Fields[] =>
  typeof content === 'string' ? [textBlock(content)] : content;

function hashOf({ role, content }: WireMessage): string {
  return createHash('sha256')
    .update(clientJson({ role, content: blocksOf(content) }))
    .digest('hex');
}

/**
 * Writes a session of a client that records its requests, as Claude Code 2.1.332 does: each message by its hash, and in
 * full if no lines of the conversation that follow each other have its blocks.
 */
export class RequestLog {
  readonly log = new ClaudeCodeLog();
  /** The messages of each request. Its answer has its place in this list, from 1, in its id. */
  readonly sent: (readonly WireMessage[])[] = [];
  private readonly hashes: (readonly string[])[] = [];
  private readonly blobs = new Set<string>();

  user(content: unknown, fields: Fields = {}): string {
    return this.log.user(content, { version: '2.1.332', ...fields });
  }

  /** An attachment with its words, as the client puts them between tags. */
  attachment(words: string, renderedRole = 'user', type = 'nested_memory'): string {
    const rendered = [{ content: `<system-reminder>\n${words}\n</system-reminder>` }];
    return this.log.record('attachment', { version: '2.1.332', attachment: { type, words }, rendered, renderedRole });
  }

  /** A request of these messages. The first ones may be those of an earlier request. */
  ask(messages: readonly WireMessage[], base = this.sent.length): void {
    const hashes = messages.map(hashOf);
    const before = this.hashes[base - 1] ?? [];
    const differs = hashes.findIndex((hash, at) => hash !== before[at]);
    const keep = differs === -1 ? hashes.length : differs;
    const claimed = this.claimed();
    for (const [at, hash] of hashes.entries())
      if (at >= keep && !claimed.has(hash) && !this.blobs.has(hash)) this.record(hash, messages[at]);
    this.sent.push(messages);
    this.hashes.push(hashes);
    const chained = keep === 0 ? {} : { base: `request-${base}` };
    this.log.other({
      type: 'api-request',
      id: `request-${this.sent.length}`,
      ...chained,
      keep,
      tail: hashes.slice(keep),
    });
  }

  /** The answer to the newest request, one line each block; returns the message that the client sends from now on. */
  answer(...blocks: readonly Fields[]): WireMessage {
    const own = blocks.length === 0 ? [textBlock(`Answer ${this.sent.length}.`)] : blocks;
    for (const block of own) this.log.answer(`msg_${this.sent.length}`, block);
    return { role: 'assistant', content: own };
  }

  private record(hash: string, message: unknown): void {
    this.blobs.add(hash);
    this.log.other({ type: 'api-request-blob', hash, message });
  }

  /** The hashes of messages that lines have: one line, or more of one role or answer that follow each other. */
  private claimed(): ReadonlySet<string> {
    const found = new Set<string>();
    let run: { key: string; content: Fields[] } = { key: '', content: [] };
    for (const line of this.log.lines) {
      const { type, subtype, message } = JSON.parse(line) as { type: string; subtype?: string; message?: WireMessage };
      if (subtype === 'compact_boundary') run = { key: '', content: [] };
      if (!message || (type !== 'user' && type !== 'assistant')) continue;
      const key = `${type} ${String((message as unknown as Fields)['id'])}`;
      if (run.key !== key) run = { key, content: [] };
      run.content.push(...blocksOf(message.content));
      found.add(hashOf({ role: type, content: run.content }));
    }
    return found;
  }
}

export const reminder = (words: string): Fields => textBlock(`<system-reminder>\n${words}\n</system-reminder>`);

export const resultBlock = (id: string, words: string): Fields => ({
  type: 'tool_result',
  tool_use_id: id,
  content: words,
});

/** A session with all ways in which the client joins messages. */
export function requestSession(): RequestLog {
  const session = new RequestLog();
  const first = joinedTurn(session);
  const second = parallelTurn(session, first);
  session.user('[Request interrupted by user]');
  session.user('Which total is right?');
  session.attachment('14,000 tokens left', 'system');
  const [stop, prompt, left] = [
    textBlock('[Request interrupted by user]'),
    textBlock('Which total is right?'),
    '14,000 tokens left',
  ];
  session.ask([...second, { role: 'user', content: [stop, prompt] }, { role: 'system', content: left }]);
  compactedTurn(session, session.answer());
  return session;
}

/** A prompt after reminders, a message of the system, and a result with reminders in it. */
function joinedTurn(session: RequestLog): readonly WireMessage[] {
  session.user('The totals are off by a cent.');
  session.attachment('Today is a Monday.', 'system');
  session.attachment('Use tabs.');
  session.attachment('Be brief.', 'system');
  const prompt = { role: 'user', content: [reminder('Use tabs.'), textBlock('The totals are off by a cent.')] };
  const start = [prompt, { role: 'system', content: 'Today is a Monday.\n\nBe brief.' }];
  session.ask(start);
  const answer = session.answer(textBlock('I will look.'), call('t1', 'Read', { path: 'src/total.js' }));
  session.user([resultBlock('t1', 'sum += item.price')]);
  session.attachment('src/ has rules of its own.');
  const result = resultBlock(
    't1',
    `sum += item.price\n\n<system-reminder>\nsrc/ has rules of its own.\n</system-reminder>`,
  );
  const sent = [...start, answer, { role: 'user', content: [result] }];
  session.ask(sent);
  return [...sent, session.answer()];
}

/** Results of parallel calls, and a request that failed. */
function parallelTurn(session: RequestLog, before: readonly WireMessage[]): readonly WireMessage[] {
  session.user('Run both tests.');
  const asked = [...before, { role: 'user', content: 'Run both tests.' }];
  session.ask(asked);
  const answer = session.answer(call('t2', 'Bash', { command: 'one' }), call('t3', 'Bash', { command: 'two' }));
  session.user([resultBlock('t2', 'ok')]);
  session.user([resultBlock('t3', 'not ok')]);
  session.attachment('15,000 tokens left', 'system');
  const results = { role: 'user', content: [resultBlock('t2', 'ok'), resultBlock('t3', 'not ok')] };
  const sent = [...asked, answer, results, { role: 'system', content: '15,000 tokens left' }];
  session.ask(sent);
  session.log.answer('failed', textBlock('API Error: 529'), session.log.leaf, { model: '<synthetic>' });
  session.user('Go on.');
  // The client removes what it said itself, and joins what the user said.
  const joined = { role: 'user', content: [...results.content, textBlock('Go on.')] };
  const again = [...asked, answer, joined];
  session.ask(again);
  return [...again, session.answer()];
}

/** A compaction that keeps the last answer. */
function compactedTurn(session: RequestLog, kept: WireMessage): void {
  const { log } = session;
  const uuid = log.leaf;
  log.boundary({ preservedMessages: { anchorUuid: log.uuidAhead(1), uuids: [uuid] } });
  const words = 'This session is being continued from a previous conversation. Totals are sums of rounded prices.';
  log.summary(words);
  session.attachment('Contents of src/total.js', 'user', 'file');
  session.user('Fix it.');
  session.attachment('19,000 tokens left', 'system');
  const sent = [
    { role: 'user', content: words },
    kept,
    { role: 'user', content: [reminder('Contents of src/total.js')] },
    { role: 'user', content: 'Fix it.' },
    { role: 'system', content: '19,000 tokens left' },
  ];
  session.ask(sent);
  session.answer();
}
