import { PIXEL } from '#analysis/check/provider/image-example.js';
import { Random } from './random.js';

interface Work {
  readonly seed: number;
  readonly turns?: number;
  /** Whether Pi has compacted, and left a branch. */
  readonly summaries?: boolean;
}

type Json = Record<string, unknown>;

const FILES = ['src/parser.ts', 'src/lexer.ts', 'README.md', '/home/ada/lab/notes.txt', 'test/parser.test.ts'];
const PROVIDERS = [
  ['anthropic', 'anthropic-messages', 'claude-sonnet-4-5'],
  ['openai', 'openai-responses', 'gpt-5'],
  ['google', 'google-generative-ai', 'gemini-2.5-pro'],
] as const;

/**
 * A session in which an agent works: it reads the same files again, runs commands with long outputs, fails, thinks, and
 * is shown pictures. Providers take every request of it. The same seed always gives the same bytes.
 */
export function workingSession({ seed, turns = 8, summaries = false }: Work): string {
  const random = new Random(seed);
  const entries: Json[] = [];
  /** The length of their JSON, as a list. */
  let size = 1;
  let clock = Date.UTC(2026, 0, 5, 9);
  const add = (entry: Json): string => {
    clock += random.int(1, 40) * 1000;
    const id = (entries.length + 0x10000000).toString(16);
    const parentId = entries.at(-1)?.['id'] ?? null;
    const { type, ...rest } = entry;
    const whole = { type, id, parentId, timestamp: new Date(clock).toISOString(), ...rest };
    entries.push(whole);
    size += JSON.stringify(whole).length + 1;
    return id;
  };
  const say = (message: Json): string => add({ type: 'message', message: { ...message, timestamp: clock } });
  const [provider, api, model] = random.pick(PROVIDERS);
  add({ type: 'model_change', provider, modelId: model });
  const read = (file: string): string => `${file}\n${linesOf(random, random.pick([3, 60, 200]))}`;
  const contents = new Map(FILES.map((file) => [file, read(file)]));
  for (let turn = 0; turn < turns; turn += 1) {
    const asked = add({ type: 'message', message: { role: 'user', content: prompt(random), timestamp: clock } });
    let answered = asked;
    if (random.chance(0.1)) add({ type: 'custom_message', customType: 'note', content: 'A note.', display: true });
    for (let request = random.int(1, 4); request > 0; request -= 1) {
      const uses = request === 1 ? [] : Array.from({ length: random.int(1, 3) }, () => useOf(random, contents));
      const calls = uses.map(({ name, args }, nth) => ({
        type: 'toolCall',
        id: `call_${entries.length}_${nth}`,
        name,
        arguments: args,
      }));
      const content = [
        ...thinking(random, { api, at: entries.length }),
        { type: 'text', text: `Turn ${turn}: ${words(random, 20)}` },
        ...calls,
      ];
      const input = Math.round(size / 5);
      const usage = { input, output: 50, cacheRead: 0, cacheWrite: 0, totalTokens: input + 50, cost: {} };
      const stopReason = calls.length > 0 ? 'toolUse' : 'stop';
      answered = say({ role: 'assistant', content, api, provider, model, usage, stopReason });
      for (const [nth, use] of uses.entries()) {
        const { id, name } = calls[nth]!;
        say({ role: 'toolResult', toolCallId: id, toolName: name, content: use.result, isError: use.isError });
      }
    }
    if (summaries && random.chance(0.2))
      add({
        type: 'compaction',
        summary: `## Goal\nMend the parser.\n\n## Key Decisions\n- **Use a lexer**: it is faster\n\n## Critical Context\n- ${words(random, 300)}`,
        // Pi cuts inside of a turn where that is long.
        firstKeptEntryId: random.chance(0.3) ? answered : asked,
        tokensBefore: 5000,
      });
    if (summaries && random.chance(0.15))
      add({ type: 'branch_summary', fromId: asked, summary: `A try was given up. ${words(random, 1500)}` });
  }
  const header = {
    type: 'session',
    version: 3,
    id: `work-${seed}`,
    timestamp: '2026-01-05T09:00:00.000Z',
    cwd: '/lab',
  };
  return [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

function prompt(random: Random): unknown {
  const text = `${random.pick(['Fix', 'Explain', 'Never change', 'Please test'])} ${random.pick(FILES)} ${words(random, 8)}.`;
  if (random.chance(0.7)) return text;
  return [
    { type: 'text', text },
    ...(random.chance(0.5) ? [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] : []),
  ];
}

/** Every signature is of its own, and of the form that its API has. */
function thinking(random: Random, { api, at }: { readonly api: string; readonly at: number }): Json[] {
  if (random.chance(0.6)) return [];
  const signature = api === 'openai-responses' ? `{"type":"reasoning","id":"rs_${at}","summary":[]}` : `signed-${at}`;
  return [{ type: 'thinking', thinking: words(random, 60), thinkingSignature: signature }];
}

interface Use {
  readonly name: string;
  readonly args: Json;
  readonly result: readonly Json[];
  readonly isError: boolean;
}

function useOf(random: Random, contents: Map<string, string>): Use {
  const path = random.pick(FILES);
  const text = (value: string): readonly Json[] => [{ type: 'text', text: value }];
  const isError = random.chance(0.15);
  switch (random.pick(['read', 'read', 'bash', 'grep', 'edit', 'write', 'look', 'fetch'])) {
    case 'read':
      return { name: 'read', args: { path }, result: text(contents.get(path) ?? ''), isError: false };
    case 'bash':
      return {
        name: 'bash',
        args: { command: random.pick(['npm test', 'git status', 'ls -la src']) },
        result: text(
          isError ? `error: it broke\n${linesOf(random, 40)}\n\nCommand exited with code 1` : linesOf(random, 90),
        ),
        isError,
      };
    case 'grep':
      return {
        name: 'grep',
        args: { pattern: 'parse' },
        result: text(Array.from({ length: 60 }, (_, at) => `${random.pick(FILES)}:${at}: parse(${at})`).join('\n')),
        isError: false,
      };
    case 'edit': {
      const args = { path, edits: [{ oldText: linesOf(random, 20), newText: linesOf(random, 25) }] };
      if (!isError) contents.set(path, `${path}\n${linesOf(random, 80)}`);
      return { name: 'edit', args, result: text(isError ? 'Could not find the text' : `Edited ${path}`), isError };
    }
    case 'write': {
      const content = linesOf(random, 70);
      contents.set(path, content);
      return { name: 'write', args: { path, content }, result: text(`Wrote ${path}`), isError: false };
    }
    case 'look':
      return {
        name: 'read',
        args: { path: 'shot.png' },
        result: [
          { type: 'text', text: 'Read image' },
          { type: 'image', data: PIXEL, mimeType: 'image/png' },
        ],
        isError: false,
      };
    default: {
      const items = Array.from({ length: 40 }, (_, id) => ({ id, name: words(random, 3), tags: ['a', 'b'] }));
      return {
        name: 'fetch',
        args: { url: 'https://example.com/x' },
        result: text(JSON.stringify({ items })),
        isError: false,
      };
    }
  }
}

const WORDS = 'the parser reads tokens and keeps naïve 日本語 words 🙂 of every line in order'.split(' ');

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ');
}

function linesOf(random: Random, count: number): string {
  return Array.from({ length: count }, (_, at) => `${at + 1} ${words(random, 6)}`).join('\n');
}
