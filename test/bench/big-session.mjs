// Writes session files like those of Pi, of any size: the same options give the same bytes.
//
//   node test/bench/big-session.mjs --out FILE [--size 100MB] [--shape scattered] [--active 0.2]
//        [--compact-every 400] [--seed 1]
//
// --active is the share of the bytes on the active path. Where the rest lies depends on the shape:
//   scattered  on many short side branches
//   tail       on one long branch just before the end, the worst case for a reader that starts at the end
//   linear     nowhere: everything is on the active path
// --compact-every counts entries of a path; 0 means that nothing is ever compacted.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { MadeUp } from './made-up.mjs';

const UNITS = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 };
const TAIL = 150e3;
const CHUNK = 4e6;

const MODELS = [
  ['anthropic-messages', 'anthropic', 'claude-opus-4-5'],
  ['anthropic-messages', 'anthropic', 'claude-sonnet-4-5'],
  ['openai-responses', 'openai', 'gpt-5.1-codex'],
];
const TOOLS = ['bash', 'bash', 'bash', 'read', 'read', 'edit', 'edit', 'write', 'grep'];

class Session {
  bytes = 0;
  lines = 0;
  activeBytes = 0;
  isActive = true;
  script = 'ascii';
  /** What is true at the entry that the next one follows; a side branch gives it back as it was. */
  at = { leaf: null, sinceCompaction: 0, turns: [], result: null, model: MODELS[0], thinkingLevel: 'medium' };

  constructor({ compactEvery, seed, header }, write) {
    this.compactEvery = compactEvery;
    this.dice = new MadeUp(seed);
    this.seed = seed;
    this.clock = Date.parse('2026-03-02T09:00:00.000Z');
    this.write = write;
    const id = `019cad3e-0000-7000-8000-${this.dice.hex(12)}`;
    this.put({ type: 'session', version: 3, id, timestamp: this.now(), cwd: '/home/ada/weather', ...header });
    const [, provider, modelId] = this.at.model;
    this.add('model_change', { provider, modelId });
    this.add('thinking_level_change', { thinkingLevel: this.at.thinkingLevel });
    this.addMessage(this.systemMessage());
  }

  put(value) {
    const line = `${JSON.stringify(value)}\n`;
    const bytes = Buffer.byteLength(line);
    this.bytes += bytes;
    this.lines += 1;
    if (this.isActive) this.activeBytes += bytes;
    this.write(line);
  }

  add(type, fields) {
    // An odd factor meets every 32-bit number once, so that no list of used ids is needed.
    const id = (Math.imul(this.lines + this.seed, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    this.clock += this.dice.whole(200, 30_000);
    const place = { id, parentId: this.at.leaf, timestamp: this.now() };
    // Pi writes the fields of these two, and only of these, before the id.
    this.put(type.startsWith('custom') ? { type, ...fields, ...place } : { type, ...place, ...fields });
    this.at.leaf = id;
    this.at.sinceCompaction += 1;
    // For all texts of the next entry: about 7 % of the lines of real sessions are not ASCII.
    this.script = this.dice.chance(0.075) ? 'foreign' : 'ascii';
    return id;
  }

  addMessage(message) {
    return this.add('message', { message: { ...message, timestamp: this.clock } });
  }

  now() {
    return new Date(this.clock).toISOString();
  }

  text(kind, median) {
    return this.dice.text(kind, this.script, median);
  }

  systemMessage() {
    const properties = { path: { type: 'string', description: 'Where' } };
    const parameters = { type: 'object', properties, required: ['path'] };
    const toolsAdded = [...new Set(TOOLS)].map((name) => ({ name, description: this.text('prose', 700), parameters }));
    const [preamble, guidelines] = [this.text('prose', 3000), this.text('prose', 5000)];
    const sections = { preamble, guidelines, cwd: '/home/ada/weather' };
    return { role: 'system', content: '', sections, toolsAdded };
  }

  toolCall() {
    const name = this.dice.pick(TOOLS);
    const path = this.dice.path();
    const given = {
      bash: () => ({ command: `npm test -- ${path} | grep "${this.dice.word()}"`, timeout: 120 }),
      read: () => ({ path, offset: this.dice.whole(1, 900), limit: 200 }),
      edit: () => ({ path, edits: [{ oldText: this.text('code', 400), newText: this.text('code', 600) }] }),
      write: () => ({ path, content: this.text('code', 4000) }),
      grep: () => ({ pattern: this.dice.word(), path }),
    };
    return { type: 'toolCall', id: `toolu_01${this.dice.hex(22)}`, name, arguments: given[name]() };
  }

  addAssistant(calls) {
    const content = [];
    if (this.dice.chance(0.55)) {
      const thinkingSignature = this.dice.base64(this.dice.around(180) * 4);
      content.push({ type: 'thinking', thinking: this.text('prose', 700), thinkingSignature });
    }
    if (calls.length === 0 || this.dice.chance(0.5)) content.push({ type: 'text', text: this.text('prose', 400) });
    const [api, provider, model] = this.at.model;
    const stopReason = calls.length > 0 ? 'toolUse' : 'stop';
    const said = { content: [...content, ...calls], api, provider, model, usage: this.dice.usage(), stopReason };
    this.addMessage({
      role: 'assistant',
      ...said,
      responseId: `msg_${this.dice.hex(24)}`,
      thinkingLevel: this.at.thinkingLevel,
    });
  }

  addResult({ id, name }) {
    const kind = name === 'read' ? 'code' : 'output';
    const content = [{ type: 'text', text: this.text(kind, name === 'edit' || name === 'write' ? 600 : 2500) }];
    if (name === 'read' && this.dice.chance(0.018)) content.push(this.dice.image());
    const details = name === 'edit' && { details: { diff: this.text('code', 900), firstChangedLine: 12 } };
    const isError = this.dice.chance(0.05);
    const told = { toolCallId: id, toolName: name, content, ...details, isError };
    this.at.result = this.addMessage({ role: 'toolResult', ...told });
  }

  /** From a message of the user to the last answer: about 20 entries. */
  turn() {
    if (this.compactEvery > 0 && this.at.sinceCompaction >= this.compactEvery) this.compact();
    const content = [{ type: 'text', text: this.text('prose', 250) }];
    if (this.dice.chance(0.022)) content.push(this.dice.image());
    this.at.turns = [...this.at.turns.slice(-1), this.addMessage({ role: 'user', content })];
    for (let steps = this.dice.around(7); steps > 0; steps -= 1) {
      const calls = Array.from({ length: this.dice.chance(0.12) ? 3 : 1 }, () => this.toolCall());
      this.addAssistant(calls);
      for (const call of calls) this.addResult(call);
    }
    this.addAssistant([]);
    this.addRarities();
  }

  compact() {
    const details = { readFiles: this.dice.paths(30), modifiedFiles: this.dice.paths(12) };
    const [firstKeptEntryId] = this.at.turns;
    const summary = `## Goal\n\n${this.text('prose', 4000)}`;
    const told = { summary, firstKeptEntryId, tokensBefore: this.dice.whole(120e3, 190e3), details, fromHook: false };
    const systemMessage = { ...this.systemMessage(), timestamp: this.clock };
    this.add('compaction', { ...told, usage: this.dice.usage(), systemMessage });
    this.at.sinceCompaction = 0;
  }

  addRarities() {
    const { at, dice } = this;
    const [api, provider, model] = dice.pick(MODELS);
    const items = this.dice.paths(12).map((path) => ({ id: dice.hex(8), path, parentId: null }));
    const output = this.text('output', 900);
    const ended = { exitCode: 0, cancelled: false, truncated: false };
    if (dice.chance(0.1)) this.add('custom', { customType: 'to-do', data: { items } });
    if (dice.chance(0.06)) {
      this.add('custom_message', { customType: 'lint', content: output, display: true, details: { id: dice.hex(8) } });
    }
    if (dice.chance(0.04)) this.add('usage', { kind: 'cache_warm', provider, model, usage: this.dice.usage() });
    if (dice.chance(0.05)) this.add('label', { targetId: dice.pick(at.turns), label: `try-${dice.word()}` });
    if (dice.chance(0.01)) this.add('label', { targetId: dice.pick(at.turns) });
    if (dice.chance(0.01)) this.add('session_info', { name: `The ${dice.word()} of a ${dice.word()}` });
    const replacement = { content: this.text('output', 60) };
    if (dice.chance(0.02)) this.add('context_edit', { targetId: at.result, replacement });
    if (dice.chance(0.04)) this.addMessage({ role: 'bashExecution', command: 'git status', output, ...ended });
    if (dice.chance(0.02)) {
      at.model = [api, provider, model];
      this.add('model_change', { provider, modelId: model });
    }
    if (dice.chance(0.015)) {
      at.thinkingLevel = dice.pick(['off', 'low', 'medium', 'high']);
      this.add('thinking_level_change', { thinkingLevel: at.thinkingLevel });
    }
  }

  /** A branch that is left again: what follows it hangs where it began. */
  aside(isEnough) {
    const before = { ...this.at };
    this.isActive = false;
    while (!isEnough()) this.turn();
    const fromId = this.at.leaf;
    this.at = before;
    this.isActive = true;
    if (this.dice.chance(0.35)) {
      const details = { readFiles: this.dice.paths(5), modifiedFiles: [] };
      this.add('branch_summary', { fromId, summary: this.text('prose', 1500), details, fromHook: false });
    }
  }

  writeScattered(size, active) {
    while (this.bytes < size) {
      if (this.activeBytes <= this.bytes * active) {
        this.turn();
      } else {
        const end = this.lines + this.dice.around(45);
        this.aside(() => this.lines >= end || this.bytes >= size);
      }
    }
    this.turn();
  }

  writeTail(size, active) {
    const tail = Math.min(TAIL, (size * active) / 2);
    do this.turn();
    while (this.bytes < size * active - tail);
    // With a compaction after the branch, a reader from the end would stop before it meets the branch.
    if (this.compactEvery > 0) this.compact();
    this.aside(() => this.bytes >= size - tail);
    do this.turn();
    while (this.bytes < size);
  }
}

export function bytesOf(text) {
  const [, number, unit] = /^([\d.]+)(B|KB|MB|GB)$/i.exec(text) ?? [];
  if (number === undefined) throw new Error(`not a size: ${text}; write 10MB or 1GB`);
  return Number(number) * UNITS[unit.toUpperCase()];
}

/** `header` overrides fields of the session line. The last turn is never cut, so the file gets a little bigger than `size`. */
export function writeBigSession(file, options) {
  const { size, shape = 'scattered', active = 0.2, compactEvery = 400, seed = 1, header } = options;
  const descriptor = openSync(file, 'w');
  let waiting = [];
  let waitingLength = 0;
  const flush = () => {
    writeFileSync(descriptor, waiting.join(''));
    waiting = [];
    waitingLength = 0;
  };
  const session = new Session({ compactEvery, seed, header }, (line) => {
    waiting.push(line);
    waitingLength += line.length;
    if (waitingLength > CHUNK) flush();
  });
  if (shape === 'tail') session.writeTail(size, active);
  else session.writeScattered(size, shape === 'linear' ? 1 : active);
  flush();
  closeSync(descriptor);
  return { bytes: session.bytes, lines: session.lines, activeBytes: session.activeBytes };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const text = (value) => ({ type: 'string', default: value });
  const { values } = parseArgs({
    options: {
      out: text(),
      size: text('100MB'),
      shape: text('scattered'),
      active: text('0.2'),
      'compact-every': text('400'),
      seed: text('1'),
    },
  });
  const { out, shape } = values;
  if (out === undefined || !['scattered', 'tail', 'linear'].includes(shape)) {
    throw new Error('usage: big-session.mjs --out FILE [--size 100MB] [--shape scattered|tail|linear] ...');
  }
  const numbers = {
    active: Number(values.active),
    compactEvery: Number(values['compact-every']),
    seed: Number(values.seed),
  };
  console.log(writeBigSession(out, { size: bytesOf(values.size), shape, ...numbers }));
}
