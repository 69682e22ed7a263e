import { readFileSync } from 'node:fs';
import { fixtures } from '../../support/files.js';
import { fuzzedFile, fuzzedLine, spoilt } from '../../support/fuzzed.js';
import { generateSession } from '../../support/generate.js';
import type { Random } from '../../support/random.js';
import { workingSession } from '../../support/working-session.js';

const FIXTURES = fixtures.map((file) => readFileSync(file)).filter((file) => file.length < 60_000);

/** Things that people hand to ctx as JSON. */
const DOCUMENTS: readonly unknown[] = [
  [
    {
      op: 'system_part_set',
      scope: 'cached',
      invalidateCacheReason: 'policy',
      partName: 'rules',
      text: 'Be brief.',
    },
    { op: 'tools_remove', scope: 'cached', invalidateCacheReason: 'policy', toolNames: ['bash'] },
    { op: 'options_set', scope: 'cached', invalidateCacheReason: 'policy', reasoning: 'high', maxTokens: 100 },
    { op: 'messages_uncached_append', scope: 'uncached', messages: [{ role: 'user', content: 'now', timestamp: 1 }] },
  ],
  [{ op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: 'policy', messages: [] }],
  [
    {
      op: 'compaction_apply',
      scope: 'cached',
      invalidateCacheReason: 'full',
      summary: 'What was',
      timestamp: 1,
      firstKeptMessageIndex: 1,
    },
  ],
  {
    system: { parts: [{ name: 'rules', text: 'Be brief.' }] },
    tools: [{ name: 'read', description: 'Reads', parameters: { type: 'object' } }],
    options: { reasoning: 'low' },
    limit: 200_000,
  },
  { rules: { 'torn-tail': 'off' }, limit: 1000, prune: { zones: { yellow: 0.5 } } },
  ['read', 'bash'],
  'no-such-secret-0123456789',
];

/** A session: sound, made of odd but well-formed entries, or damaged. */
export function sessionBytes(random: Random): Uint8Array {
  const kind = random.next();
  if (kind < 0.3) return fuzzedFile(random);
  if (kind < 0.45) return random.pick(FIXTURES);
  const sound = kind < 0.6 ? working(random) : generated(random);
  return random.chance(0.4) ? withOddLines(sound, random) : Buffer.from(sound);
}

function working(random: Random): string {
  return workingSession({ seed: random.int(0, 1e6), turns: random.int(1, 5), summaries: random.chance(0.5) });
}

function generated(random: Random): string {
  return generateSession({
    seed: random.int(0, 1e6),
    entries: random.int(1, 40),
    version: random.pick([1, 2, 3, 3, 3, 3]),
    odd: random.chance(0.3) ? 0.3 : 0,
    transforms: random.chance(0.5) ? 0.15 : 0,
    compactions: 0.08,
    edits: 0.1,
    sound: random.chance(0.3),
  });
}

/** Some lines with wrong values in them, or bytes, in the place of others or between them. */
function withOddLines(text: string, random: Random): Uint8Array {
  const lines: Uint8Array[] = text.split('\n').map((line) => Buffer.from(line));
  for (let times = random.int(1, 3); times > 0; times -= 1) {
    const at = random.int(0, lines.length - 1);
    const own = parsed(Buffer.from(lines[at] ?? '').toString());
    const odd = random.chance(0.7) ? Buffer.from(JSON.stringify(spoilt(own, random)) ?? '') : fuzzedLine(random);
    lines.splice(at, random.int(0, 1), odd);
  }
  return Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [Buffer.from('\n'), line])));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** What may be meant as a patch, a baseline, a configuration, a list or a secret. */
export function someJson(random: Random): Uint8Array {
  const value = random.pick(DOCUMENTS);
  const text = JSON.stringify(random.chance(0.4) ? spoilt(value, random) : value) ?? '';
  return Buffer.from(random.chance(0.05) ? text.slice(0, random.int(0, text.length)) : text);
}
