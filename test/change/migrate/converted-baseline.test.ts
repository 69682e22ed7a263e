import { describe, expect, it } from 'vitest';
import * as library from '#index.js';
import { bytes, compaction, entry, HEADER, lines, user } from '../../support/entries.js';
import { contextsAt, contextsOf, migrated } from '../../support/migrated.js';

const FORMS = ['both', 'context_transform'] as const;
const BASELINE = { parts: [{ name: 'base', text: 'Baseline prompt.' }], tools: [{ name: 'supplied' }] };
const SYSTEM = entry('message', 's1', null, {
  message: { role: 'system', content: '', sections: { a: 'You are Pi.' } },
});
const checkpoint = (id: string, parentId: string, kept: string, systemMessage: object): object => ({
  ...compaction(id, parentId, kept),
  systemMessage,
});

describe.each(FORMS)('a session whose compactions become transforms (%s), seen with a baseline', (form) => {
  it.each([
    [
      'forgets its prompt where a compaction has no checkpoint',
      [SYSTEM, user('u1', 's1'), user('u2', 'u1'), compaction('k1', 'u2', 'u2'), user('u3', 'k1')],
    ],
    [
      'declares its prompt by a checkpoint that says nothing',
      [user('u1', null), checkpoint('k1', 'u1', 'u1', { role: 'system', content: '', timestamp: 0 }), user('u2', 'k1')],
    ],
    [
      'declares another one after it forgot the first',
      [
        SYSTEM,
        user('u1', 's1'),
        compaction('k1', 'u1', 'u1'),
        entry('message', 's2', 'k1', { message: { role: 'system', content: 'Again.' } }),
      ],
    ],
  ])('%s', (_, entries) => {
    const file = bytes(lines(HEADER, ...(entries as (typeof SYSTEM)[])));
    const before = contextsOf(file, BASELINE);
    expect(contextsAt(migrated(file, form).bytes, before.keys(), BASELINE)).toEqual(before);
  });

  it('is planned by the library, also where it holds no transform yet', async () => {
    const file = bytes(lines(HEADER, user('u1', null), user('u2', 'u1'), compaction('k1', 'u2', 'u2')));
    const { conversions } = library.planMigration(await library.openSession(file), { compactions: form });
    expect(conversions).toHaveLength(1);
  });
});
