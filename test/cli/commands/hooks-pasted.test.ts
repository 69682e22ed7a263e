import { describe, expect, it } from 'vitest';
import type { HookRequestLine } from '#lab/hooks/document.js';
import { waiting } from '../../support/hook-session.js';
import { ctx } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

// The API of other hosts has no types here: what is pasted is used as it is.
// oxlint-disable-next-line typescript/no-explicit-any -- see above
type Any = any;

async function run(hook: (pi: Any) => unknown, ...flags: readonly string[]): Promise<readonly HookRequestLine[]> {
  const argv = ['hooks', 's.jsonl', '--hook', 'pasted.ts', '--each-request', '--json', ...flags];
  const { stdout } = await ctx(argv, {
    files: { 's.jsonl': waiting },
    startPlugin: pluginsHere({ 'pasted.ts': hook }),
  });
  return stdout
    .trim()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as HookRequestLine);
}

const transforms = (requests: readonly HookRequestLine[]): readonly string[] =>
  requests.flatMap(({ boundaries }) =>
    boundaries.flatMap(({ reason, transforms: made }) =>
      made.map(({ transformerName }) => `${reason} ${transformerName}`),
    ),
  );

describe('the examples of the proposal run as they are pasted', () => {
  it('add a persistent marker before every request', async () => {
    const requests = await run((pi) => {
      pi.on('context', async (event: Any) => {
        if (event.reason !== 'before_request') return;
        const marker = { role: 'user', content: '[marker]', timestamp: Date.now() };
        return {
          transformerName: 'marker',
          patch: [
            {
              op: 'messages_cached_replace',
              scope: 'cached',
              messages: [...event.state.envelope.messages.cached, marker],
              invalidateCacheReason: 'add marker',
            },
          ],
        };
      });
    });
    expect(transforms(requests)).toEqual(Array.from({ length: 4 }, () => 'before_request marker'));
  });

  it('inject request-only ephemeral context', async () => {
    const requests = await run((pi) => {
      pi.on('context', async (event: Any) => {
        if (event.reason !== 'ephemeral') return;
        const eph = { role: 'user', content: '[request-only]', timestamp: Date.now() };
        return {
          patch: [{ op: 'messages_uncached_append', scope: 'uncached', messages: [eph] }],
        };
      });
    });
    expect(requests.map(({ boundaries }) => boundaries[1]!.change!.uncached.added)).toEqual([1, 1, 1, 1]);
  });

  it('persist a system prompt part change', async () => {
    const requests = await run((pi) => {
      pi.on('context', async (event: Any) => {
        if (event.reason !== 'turn_end') return;
        return {
          transformerName: 'system-policy',
          patch: [
            {
              op: 'system_part_set',
              scope: 'cached',
              partName: 'policy',
              text: '\n\n# Policy\n\nNever output secrets.',
              invalidateCacheReason: 'add policy section',
            },
          ],
        };
      });
    });
    expect(transforms(requests)).toEqual(Array.from({ length: 3 }, () => 'turn_end system-policy'));
  });
});

describe("the examples of Pi's documentation run as they are pasted", () => {
  it('context', async () => {
    const shouldPrune = (message: Any): boolean => message.role === 'user';
    const requests = await run((pi) => {
      pi.on('context', async (event: Any, _ctx: Any) => {
        // event.messages - deep copy without system messages, safe to modify
        const filtered = event.messages.filter((m: Any) => !shouldPrune(m));
        return { messages: filtered };
      });
    });
    expect(requests[1]!.changes).toEqual([{ kind: 'removed', entryId: 'u1', role: 'user' }]);
  });

  it('turn_end', async () => {
    let replacedResponse = false;
    const requests = await run((pi) => {
      pi.on('turn_end', async (event: Any, _ctx: Any) => {
        // event.turnIndex, event.message, event.toolResults
        // event.entries contains the structural entries proposed so far.
        if (replacedResponse || event.outcome !== 'completed' || event.toolResults.length > 0) return;
        replacedResponse = true;
        return {
          entries: [
            ...event.entries,
            { type: 'context_edit', targetId: event.messageEntryId, replacement: null },
            {
              type: 'custom_message',
              customType: 'replacement-instruction',
              content: 'Answer again using the persisted user request.',
              display: false,
            },
          ],
          continue: true,
        };
      });
    });
    expect(requests[1]!.appended).toMatchObject([{ type: 'context_edit', targetId: 'a2' }, { type: 'custom_message' }]);
    expect(requests[1]!.events!.at(-1)!.what).toContain('asks for one more request');
  });

  it('agent_before_settle', async () => {
    let addedReviewReminder = false;
    const requests = await run((pi) => {
      pi.on('agent_before_settle', async (event: Any, _ctx: Any) => {
        if (addedReviewReminder) return;
        addedReviewReminder = true;
        return {
          entries: [
            ...event.entries,
            {
              type: 'custom_message',
              customType: 'review-reminder',
              content: 'Review the final diff before replying.',
              display: false,
            },
          ],
          continue: true,
        };
      });
    });
    expect(requests[1]!.appended).toMatchObject([{ customType: 'review-reminder' }]);
    expect(requests[2]!.replayed.messages).toBe(6);
  });
});
