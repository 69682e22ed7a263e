import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildUuid } from '#base/uuid.js';
import { buildCopy } from '#change/copy/build-copy.js';
import { type SessionToCopy } from '#change/copy/session-to-copy.js';
import { type RedactedCopy, redactForCopy } from '#change/redact/redact-copy.js';
import { Redactor } from '#change/redact/redactor.js';
import { call, ClaudeCodeLog, generateClaudeCode, textBlock } from '../../support/claude-code.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { createIds, openToCopy } from '../../support/copying.js';
import { formsOf, plantSecrets } from '../../support/planted-secrets.js';
import { diceOf } from '../../support/seeded-secrets.js';

const TOKEN = `ghp_${diceOf(5)('A-Za-z0-9', 36)}`;

async function redact(text: string, values: readonly string[] = []): Promise<RedactedCopy & { readonly text: string }> {
  const session = await openToCopy(text);
  const rules = { values: values.map((value) => ({ value, kind: 'value' })), patterns: [] };
  const redactor = new Redactor(rules, session.copier.records.members);
  const redacted = await redactForCopy(session, redactor, { now: () => 0, newId: createIds() });
  const newId = createIds();
  const stamps = {
    sessionId: 'aaaaaaaa-0000-4000-8000-000000000000',
    timestamp: '2026-03-01T10:00:00.000Z',
    newId: () => buildUuid(newId),
  };
  const { bytes } = await buildCopy(redacted.session, redacted.copy, stamps);
  return { ...redacted, text: Buffer.from(bytes).toString() };
}

const countRecords = (session: SessionToCopy): number => [...(session.native?.all() ?? [])].length;

describe.each([
  ['Claude Code', (seed: number) => generateClaudeCode(seed)],
  ['Codex', (seed: number) => generateRollout(seed)],
])('a copy of a session of %s without its secrets', (_agent, generate) => {
  it('holds none of them, in any writing, and has every record', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000_000), async (seed) => {
        const planted = plantSecrets(generate(seed), seed);
        const { text, session, replacements } = await redact(planted.text, planted.values);
        for (const secret of [...planted.tokens, ...planted.values])
          for (const form of formsOf(secret)) expect([form, text.includes(form)]).toEqual([form, false]);
        expect(countRecords(session)).toBe(countRecords(await openToCopy(planted.text)));
        expect(replacements.filter(({ placeholder }) => placeholder === null)).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });
});

describe('a redacted copy of a session of Claude Code', () => {
  function talk(thinking: string): ClaudeCodeLog {
    const log = new ClaudeCodeLog();
    log.user('Deploy it.');
    log.answer('msg_1', { type: 'thinking', thinking, signature: `sig${TOKEN}` });
    log.answer('msg_1', call('t1', 'Bash', { command: `deploy --id ${TOKEN}`, id: TOKEN, [TOKEN]: 1 }));
    log.result('t1', `deployed with ${TOKEN}`);
    log.answer('msg_2', textBlock('Done.'));
    return log;
  }

  it('has none in the input of a tool, whatever the members of that are called', async () => {
    const { text, replacements } = await redact(talk('How?').text);
    expect(text.replaceAll(`sig${TOKEN}`, '')).not.toContain(TOKEN);
    expect(replacements.map(({ place }) => place)).toContain('message.content[0].input.id');
    expect(text).toContain('"id":"t1"');
  });

  it('keeps thinking without a secret, and its signature, byte for byte', async () => {
    const { text, withoutThinking } = await redact(talk('How?').text);
    expect(withoutThinking).toBe(0);
    expect(text).toContain(JSON.stringify({ type: 'thinking', thinking: 'How?', signature: `sig${TOKEN}` }));
  });

  it('has no thinking with a placeholder, which its signature would not fit', async () => {
    const { text, withoutThinking } = await redact(talk(`With ${TOKEN}?`).text);
    expect(withoutThinking).toBe(1);
    expect(text).not.toContain('"thinking"');
  });

  it('has no image and no signature that is changed', async () => {
    const log = new ClaudeCodeLog();
    const source = { type: 'base64', media_type: 'image/png', data: Buffer.from(TOKEN).toString('base64') };
    log.user([{ type: 'image', source }, textBlock(`see ${TOKEN}`)]);
    log.answer('msg_1', textBlock('Yes.'));
    const { text } = await redact(log.text);
    expect(text).toContain(source.data);
    expect(text).not.toContain(TOKEN);
  });

  it('keeps a value where the session hangs on it, and says so', async () => {
    const { replacements, text } = await redact(talk('How?').text, ['tool_use']);
    expect(replacements.filter(({ placeholder }) => placeholder === null).length).toBeGreaterThan(0);
    expect(text).toContain('"type":"tool_use"');
  });
});
