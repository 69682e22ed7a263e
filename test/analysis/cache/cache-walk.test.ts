import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findDivergence } from '#analysis/cache/divergence.js';
import { buildPreamble, type Prompt } from '#analysis/cache/prompt.js';
import { reportCache } from '#analysis/cache/report-cache.js';
import { asText, isObject, listObjects } from '#base/json.js';
import { eachEnvelope } from '#context/envelope-at.js';
import { openSession, type OpenSession } from '#context/open.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { omitTools } from '#context/replay/system-messages.js';
import { readTarget, WireMessages } from '#context/request/wire-messages.js';
import { pathTo } from '#session/tree/tree.js';
import { fixtures, NO_SAMPLES, orNoSamples, recordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

/** Prompt tokens and common prefix of every request, each prompt made anew from its envelope. */
function plainly(session: OpenSession): readonly (readonly [prompt: number, prefix: number | null])[] {
  const found: (readonly [number, number | null])[] = [];
  let before: Prompt | null = null;
  let content = EMPTY_ENVELOPE;
  /** Tools that the session declares: others are not sent. */
  const names = new Set<string>();
  for (const step of eachEnvelope(session, 'HEAD', { lenient: true })) {
    const { message } = step.head.role === 'assistant' ? session.entry(step.head) : {};
    if (isObject(message)) {
      const list = WireMessages.to(readTarget(message));
      const from = { entryId: null, line: 0, origin: 'entry' } as const;
      list.append(content.messages.cached.map((one) => ({ message: one, from })));
      const [made, preamble] = [list.buildMissingResults(), buildPreamble(content)];
      const tokens = [...list.messages, ...made].reduce((sum, one) => sum + one.tokens, preamble.tokens);
      const { messages } = list;
      const prompt: Prompt = {
        preamble,
        messages,
        length: messages.length,
        generated: made,
        tokens,
        images: 0,
        firstImage: null,
      };
      found.push([tokens, before && (findDivergence(before, prompt)?.prefixTokensEstimated ?? before.tokens)]);
      const usage = isObject(message['usage']) ? message['usage'] : {};
      const billed = [usage['input'], usage['cacheRead'], usage['cacheWrite']].some((count) => Number(count ?? 0) > 0);
      const isFailed = message['stopReason'] === 'error' || message['stopReason'] === 'aborted';
      if (billed || !isFailed) before = prompt;
    }
    const entry = session.entry(step.head);
    for (const declaring of [entry['message'], entry['systemMessage']])
      if (isObject(declaring) && declaring['role'] === 'system')
        for (const tool of listObjects(declaring['toolsAdded'])) names.add(asText(tool['name'] ?? ''));
    const unimplemented = step.content.tools
      .map(({ name }) => name)
      .filter((name) => names.size > 0 && !names.has(name));
    content = omitTools(step.content, unimplemented);
  }
  return found;
}

async function compare(bytes: Uint8Array): Promise<number> {
  const session = await openSession(bytes);
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  const { requests } = reportCache({ session, path, baseline: {} });
  expect(requests.map(({ promptTokensEstimated: prompt, prefixTokensEstimated: prefix }) => [prompt, prefix])).toEqual(
    plainly(session),
  );
  return requests.length;
}

describe('prompts that are followed along a path', () => {
  it('equal those that are built for each request alone, in generated sessions', async () => {
    let requests = 0;
    for (let seed = 1; seed <= runs(300); seed += 1)
      requests += await compare(
        Buffer.from(
          generateSession({
            seed,
            entries: 80,
            edits: 0.3,
            transforms: (seed % 2) * 0.1,
            odd: seed % 3 === 0 ? 0.2 : 0,
          }),
        ),
      );
    expect(requests).toBeGreaterThan(runs(1000));
  });

  it.each(fixtures)('prompts along a path equal those that are built for each request alone in %s', async (file) => {
    const bytes = readFileSync(file);
    if (await openSession(bytes).catch(() => null)) await compare(bytes);
  });

  it.for(orNoSamples(recordings.filter((file) => !file.includes('pi-mono'))))(
    'prompts along a path equal those that are built for each request alone in %s',
    async (file, { skip }) => {
      skip(file === NO_SAMPLES, NO_SAMPLES);
      await compare(readFileSync(file));
    },
  );
});
