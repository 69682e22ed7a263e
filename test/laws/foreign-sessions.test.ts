import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '#base/json.js';
import { readAgentSession } from '#session/agents/reader.js';
import { copyHead } from '#session/heads/head.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import type { Session } from '#session/session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { generateRollout } from '../support/codex-rollouts.js';
import { mutated, type Mutation, mutation } from '../support/damaged-files.js';
import { bytes } from '../support/entries.js';

const LONG_TEXT = String.raw`a long text \" \\ \n \u00e9 é 🙂 `.repeat(9);
const TEXTS = /"(text|content|output|arguments|summary|aiTitle|customTitle|thread_name|model)":"(?:[^"\\]|\\.)*/g;

/** A generated file with long texts, and damage anywhere in it. */
const file = fc
  .tuple(
    fc.constantFrom(generateClaudeCode, generateRollout),
    fc.nat({ max: 100_000 }),
    fc.array(fc.tuple(mutation, fc.nat({ max: 1 << 20 })), { maxLength: 4 }),
  )
  .map(([generate, seed, changes]) => {
    const whole = bytes(generate(seed).replaceAll(TEXTS, `$&${LONG_TEXT}`));
    return changes.map(([change, at]): Mutation => ({ ...change, at })).reduce(mutated, whole);
  });

describe('a session of another agent, by the fields of its lines', () => {
  it('is that of its parsed lines, whatever the damage', () => {
    let entries = 0;
    fc.assert(
      fc.property(file, (content) => {
        const source = toByteSource(content);
        const [fast, strict] = [
          readAgentSession(source, 'file'),
          readAgentSession({ ...source, isStrict: true }, 'file'),
        ];
        expect(fast && known(fast)).toEqual(strict && known(strict));
        entries += fast?.tree.heads.length ?? 0;
      }),
    );
    expect(entries).toBeGreaterThan(300);
  });

  it('has messages with the times of their heads', () => {
    let messages = 0;
    fc.assert(
      fc.property(file, (content) => {
        const session = readAgentSession(toByteSource(content), 'file');
        for (const head of session?.tree.heads ?? []) {
          const { message } = session?.entry(head) ?? {};
          if (!isObject(message)) continue;
          messages += 1;
          expect(message['timestamp']).toBe(head.time);
        }
      }),
    );
    expect(messages).toBeGreaterThan(300);
  });
});

function known(session: Session): unknown {
  const { scan, tree, problems, header, agent: foreign } = session;
  return {
    header,
    foreign: foreign && {
      ...foreign,
      branchAt: foreign.branchAt?.(Infinity),
      versionAt: foreign.versionAt?.(Infinity),
    },
    problems,
    blanks: scan.blanks,
    lost: scan.damaged,
    bytes: bytesAccountedFor(scan),
    leaf: tree.leaf?.index,
    heads: Array.from(tree.heads, copyHead),
    entries: Array.from(tree.heads, (head) => session.entry(head)),
  };
}
