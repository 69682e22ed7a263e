import { describe, expect, it } from 'vitest';
import * as library from '../src/index.js';
import { HEADER, lines, TALK, user } from './support/entries.js';

const bytes = new TextEncoder().encode(lines(HEADER, ...TALK, user('u3', 'gone')));

describe('the library', () => {
  it('checks a session as the command does', async () => {
    const session = await library.openSession(bytes);
    const rules = (await library.loadRules(['tree'])).flatMap((rule) =>
      rule.severity === null ? [] : [{ rule, severity: rule.severity, options: undefined as never }],
    );
    const findings: string[] = [];
    await library.checkSession({
      session,
      rules,
      requests: 'leaf',
      envelope: {},
      report: ({ code }) => findings.push(code),
    });
    expect(findings).toEqual(['orphan', 'abandoned-leaves']);
    expect(library.bytesAccountedFor(session.scan)).toBe(bytes.length);
  });

  it('compares envelopes', async () => {
    const session = await library.openSession(bytes);
    const [before, after] = [library.envelopeAt(session, 'u1'), library.envelopeAt(session, 'a2')];
    const made = library.applyDiff(before, library.diffEnvelopes(before, after));
    expect(made.messages).toEqual(after.messages);
    expect(library.reportDiff(before, after).cached.map(({ kind }) => kind)).toEqual(['added', 'added', 'added']);
    const { patch } = library.patchBetween(before, after, 'a test');
    expect(library.applyPatch(before, patch).envelope.messages).toEqual(after.messages);
  });
});
