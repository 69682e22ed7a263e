import { describe, expect, it } from 'vitest';
import { buildSnapshot, listSnapshotChanges, snapshot } from '#analysis/snapshot.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';

const PART = { name: 'rules', text: 'Be brief and careful, and never push to main.' };
const content: EnvelopeContent = {
  ...setParts(EMPTY_ENVELOPE, [{ name: 'preamble', text: 'You help.' }, PART]),
  tools: [{ name: 'read', description: 'Reads.' }, { name: 'bash' }],
  options: { temperature: 0 },
  messages: {
    cached: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    ],
    uncached: [],
  },
};
const place = { revision: 'HEAD', entryId: 'a1' };
const changes = (after: EnvelopeContent) =>
  listSnapshotChanges(snapshot.parse(JSON.parse(JSON.stringify(buildSnapshot(content, place)))), after);

describe('a snapshot', () => {
  it('agrees with what it was made of', () => {
    expect(changes(structuredClone(content))).toEqual([]);
  });

  it('names a part in which one character is another', () => {
    const flipped = setParts(content, [
      content.system.parts[0]!,
      { ...PART, text: PART.text.replace('never', 'Never') },
    ]);
    expect(changes({ ...content, ...flipped })).toMatchObject([
      { region: 'system part', name: 'rules', kind: 'changed', at: 1 },
    ]);
  });

  it('names tools, options and messages', () => {
    const after: EnvelopeContent = {
      ...content,
      tools: [content.tools[1]!, content.tools[0]!],
      options: {},
      messages: { cached: [...content.messages.cached, { role: 'user', content: 'More' }], uncached: [] },
    };
    expect(changes(after)).toMatchObject([
      { region: 'tool', kind: 'moved' },
      { region: 'option', name: 'temperature', kind: 'removed', at: null },
      { region: 'message', name: 'user', kind: 'added', at: 2 },
    ]);
  });
});

it('a snapshot shows where a text parts from what it was', () => {
  const [change] = changes({
    ...content,
    ...setParts(content, [content.system.parts[0]!, { ...PART, text: PART.text.replace('never', 'Never') }]),
  });
  expect(change?.detail).toBe(
    'text: "ef and careful, and never push to main." is now "ef and careful, and Never push to main." (character 27)',
  );
});
