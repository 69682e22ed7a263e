import { describe, expect, it } from 'vitest';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { PathSizes } from '#context/size/path-sizes.js';
import { activePath } from '#session/tree/tree.js';
import { assistant, type Entry, entry, sessionOf, user } from '../support/entries.js';

/** The sizes of the context before the root and after each entry, read one after the other. */
function listSizes(entries: readonly Entry[]): readonly number[] {
  const session = attachPatchReader(sessionOf(...entries));
  const path = activePath(session.tree);
  const sizes = new PathSizes(session, { path, baseline: {} });
  return [-1, ...path.keys()].map((place) => sizes.after(place).tokens);
}

/** The sizes that `ctx show` has for the same places. */
function listShownSizes(entries: readonly Entry[]): readonly number[] {
  const session = attachPatchReader(sessionOf(...entries));
  const path = activePath(session.tree);
  return [null, ...path].map((head) => buildEnvelope(session, head).meta.size.tokens);
}

describe('sizes along a path', () => {
  it('are counted by the model of the session where oh-my-pi chose another one for a role', () => {
    const entries = [
      entry('model_change', 'm1', null, { model: 'openai/kimi-k2' }),
      entry('model_change', 'm2', 'm1', { model: 'anthropic/claude-haiku-4-5', role: 'smol' }),
      user('u1', 'm2', 'word '.repeat(1000)),
    ];
    expect(listSizes(entries)).toEqual(listShownSizes(entries));
  });

  it('begin without the first entry', () => {
    const entries = [assistant('a1', null, [{ type: 'text', text: 'word '.repeat(1000) }])];
    expect(listSizes(entries)).toEqual(listShownSizes(entries));
  });
});
