import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toLenient } from '#context/lenient.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { walkEnvelopes } from '#context/replay/walk-envelopes.js';
import { recordedDefinition } from '#lab/builtin/recorded.js';
import type { DriveSource } from '#lab/drive/drive-options.js';
import { pathTo } from '#session/tree/tree.js';
import { driveAll, sourceIn, sourceOf } from '../support/engines.js';
import { fixtures, triedRecordings } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { runs } from '../support/runs.js';

/** A number for each message by its JSON, as sessions are long and messages are many. */
const numbers = new Map<string, number>();
const known = new WeakMap<object, number>();
function numberOf(message: object): number {
  const found = known.get(message);
  if (found !== undefined) return found;
  const json = JSON.stringify(message);
  const number = numbers.get(json) ?? numbers.size;
  numbers.set(json, number);
  known.set(message, number);
  return number;
}

/** The messages of a request, as a text to compare. */
function numbered(messages: readonly object[]): string {
  return messages.map(numberOf).join(' ');
}

interface Sent {
  readonly system: EnvelopeContent['system'];
  readonly tools: EnvelopeContent['tools'];
  readonly options: EnvelopeContent['options'];
  readonly messages: string;
}

/** What each request of the active path has sent, by the replay that everything else goes by. */
function recordedIn(source: DriveSource): readonly Sent[] {
  const { leaf } = source.tree;
  const along = leaf ? pathTo(source.tree, leaf) : [];
  const sent: Sent[] = [];
  let before = buildEnvelope(source, null) as EnvelopeContent;
  for (const { head, content } of walkEnvelopes(toLenient(source), along)) {
    if (head.role === 'assistant') {
      const { system, tools, options, messages } = before;
      sent.push({ system, tools, options, messages: numbered(messages.cached) });
    }
    before = content;
  }
  return sent;
}

async function drivenIn(source: DriveSource): Promise<readonly Sent[]> {
  const { requests } = await driveAll(source, (setup) => recordedDefinition.create(setup), { tokenBudget: 1 });
  return requests.map(({ assembled: { system, tools, options, messages } }) => ({
    system,
    tools,
    options,
    messages: numbered(messages),
  }));
}

describe('the engine recorded', () => {
  it.each([...fixtures, ...triedRecordings].map((file) => [path.basename(file), file]))(
    'gives the envelopes of %s at every request',
    async (_, file) => {
      const source = await sourceOf(file);
      if (source) expect(await drivenIn(source)).toEqual(recordedIn(source));
    },
  );

  it('gives those of generated sessions with transforms, edits and compactions', async () => {
    for (let seed = 0; seed < runs(40); seed += 1) {
      const shape = { seed, entries: 40, transforms: 0.1, compactions: 0.1, edits: 0.1 };
      const plain = generateSession(shape)
        .split('\n')
        .filter((line) => !line.includes('"ephemeral"'));
      const source = sourceIn(plain.join('\n'));
      expect(await drivenIn(source), `seed ${seed}`).toEqual(recordedIn(source));
    }
  });

  it('sends what was logged for a request behind everything else, and only there', async () => {
    const source = sourceIn(generateSession({ seed: 3, entries: 60, transforms: 0.3 }));
    const { requests } = await driveAll(source, (setup) => recordedDefinition.create(setup));
    const expected = requests.map(({ at }) => {
      const { cached, uncached } = buildEnvelope(toLenient(source), at, { ephemeral: true }).messages;
      return [...cached, ...uncached];
    });
    expect(requests.map(({ assembled }) => assembled.messages)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });
});
