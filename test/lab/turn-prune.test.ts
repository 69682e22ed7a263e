import { describe, expect, it } from 'vitest';
import { listObjects } from '#base/json.js';
import { PACKET_TITLE } from '#change/prune/packet.js';
import { readPolicy } from '#change/prune/policy.js';
import { noneDefinition } from '#lab/builtin/none.js';
import turnPrune from '#lab/builtin/turn-prune.js';
import type { DriveOptions } from '#lab/drive/drive-options.js';
import type { Driven } from '#lab/drive/driven-request.js';
import { driveAll, type Drove, sourceIn, type Talked, talkOf } from '../support/engines.js';
import { isAccepted, type PairMessage } from '../support/pairs.js';
import { tried } from '../support/runs.js';
import { workingSession } from '../support/working-session.js';

const byPolicy = (setup: Parameters<typeof turnPrune.create>[0]): ReturnType<typeof turnPrune.create> =>
  turnPrune.create(setup);

const LIMIT = 1000;

async function pruned(turns: readonly Talked[], options: Partial<DriveOptions> = {}): Promise<Drove> {
  const settings = { enabled: true, reserveTokens: 100, keepRecentTokens: 30 };
  return driveAll(talkOf(turns), byPolicy, { tokenBudget: LIMIT, settings, ...options });
}

/** What happened between the requests: `prune` or `compaction`. */
function deedsOf({ requests, end }: Drove): readonly string[] {
  return [...requests, end].map(({ deeds, compactions }) =>
    [...deeds.map(({ kind }) => kind), ...compactions.map(({ why }) => `compaction by ${why}`)].join(' '),
  );
}

const turn = (billed: number): Talked => ({ asked: 30, billed: [billed, billed] });

describe('the engine turn-prune', () => {
  it('leaves a context alone that has room', async () => {
    const drove = await pruned([turn(100), turn(200), turn(499)]);
    expect(deedsOf(drove).join('')).toBe('');
  });

  it('prunes in the yellow zone, for good, and spares the newest turn', async () => {
    const policy = readPolicy({ zones: { yellow: ['turns'] }, recentTurns: { yellow: 1 } }, '');
    const drove = await pruned([turn(100), turn(520), turn(530)], { policy });
    expect(deedsOf(drove)).toEqual(['', '', '', '', 'prune', '', '']);
    const [, , , , fifth, sixth] = drove.requests;
    const shown = JSON.stringify(fifth?.assembled.messages);
    expect(shown).toContain(PACKET_TITLE.slice(1, 20));
    expect(fifth?.assembled.sources).toEqual([null, 'u2', 'a2.1', 'r2.1', 'a2', 'u3']);
    expect(sixth?.assembled.messages.slice(0, 6)).toEqual(fifth?.assembled.messages);
    expect(drove.requests[4]?.deeds).toMatchObject([{ reason: 'yellow: turns' }]);
  });

  it('drops turns for a packet in the yellow zone, by the policy that holds where none is configured', async () => {
    const drove = await pruned([...Array.from({ length: 6 }, () => turn(100)), turn(520), turn(530)]);
    const [deed] = drove.requests.flatMap(({ deeds }) => deeds);
    expect(deed).toMatchObject({ kind: 'prune', reason: expect.stringMatching(/^yellow: turns/) as string });
    const first = drove.requests.at(-1)?.assembled.messages[0];
    expect(JSON.stringify(first)).toContain(PACKET_TITLE.slice(1, 20));
  });

  it('asks for a compaction in the red zone, well before Pi would', async () => {
    const drove = await pruned([turn(100), turn(720), turn(400)]);
    // Pi would wait for more than 900.
    expect(deedsOf(drove)).toEqual(['', '', '', '', 'prune compaction by engine', '', '']);
  });

  it('puts the packet in place of the raw summary of a compaction, for each later request', async () => {
    const drove = await pruned([turn(100), turn(720), turn(400)]);
    const [before, ...after] = drove.requests.slice(3).map(({ assembled }) => JSON.stringify(assembled.messages[0]));
    expect(before).not.toContain(PACKET_TITLE.slice(1, 20));
    expect(after).toHaveLength(2);
    for (const first of after) {
      expect(first).toContain(PACKET_TITLE.slice(1, 20));
      expect(first).not.toContain('compacted into the following summary');
    }
    const kept = readPolicy({ policy: 'shorten', protect: { roles: ['compaction-summary'] } }, '');
    const raw = await pruned([turn(100), turn(720), turn(400)], { policy: kept });
    expect(JSON.stringify(raw.requests[4]?.assembled.messages[0])).toContain('compacted into the following summary');
  });

  it('drops turns at every turn end by the policy of pi-context-manager', async () => {
    const policy = readPolicy({ recentTurns: { green: 1 } }, '', 'context-manager');
    const drove = await pruned([turn(100), turn(110), turn(120)], { policy });
    expect(deedsOf(drove)).toEqual(['', '', '', '', 'prune', '', 'prune']);
    expect(drove.requests[4]?.deeds).toMatchObject([{ reason: 'green: turns' }]);
  });

  it('waits with a compaction until the host allows what was put off', async () => {
    const drove = await pruned([turn(100), turn(720), turn(730), turn(740)], {
      host: { allowDeferredCompactionExecution: false },
    });
    expect(deedsOf(drove).join('')).toBe('');
  });

  it('asks once, and again only after the context has shrunk and grown', async () => {
    // The policy asks for nothing that would help, so that the pressure stays.
    const policy = readPolicy({ zones: { yellow: ['images'] }, thresholds: { yellow: 0.5, red: 1, compact: 1 } }, '');
    const stuck = await pruned([turn(600), turn(610), turn(620), turn(630)], { policy });
    expect(deedsOf(stuck).join('')).toBe('');
    const again = readPolicy(
      {
        zones: { yellow: ['turns'] },
        recentTurns: { yellow: 1 },
        thresholds: { yellow: 0.5, red: 1, compact: 1 },
        cooldownTurns: 0,
      },
      '',
    );
    const often = await pruned([turn(100), turn(600), turn(700), turn(750)], { policy: again });
    expect(deedsOf(often).filter((deed) => deed === 'prune').length).toBeGreaterThan(1);
  });

  it('compacts at once where a request would be too long', async () => {
    const drove = await pruned([
      { asked: 600, billed: [100] },
      { asked: 600, billed: [100] },
    ]);
    expect(deedsOf(drove)).toEqual(['', 'compaction by overflow', '']);
    expect(drove.requests[1]?.overflow).toBe(false);
  });

  it('does nothing if the context window is unknown', async () => {
    const drove = await pruned([turn(100), turn(5000)], { tokenBudget: null });
    expect(deedsOf(drove).join('')).toBe('');
  });
});

/** The last turn of a request begins with the last message of the user. */
function newestTurn({ assembled }: Driven): string {
  const { messages } = assembled;
  const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  // A provider would have counted fewer tokens, and is not told of them.
  return JSON.stringify(newest, (key, value: unknown) => (key === 'usage' ? undefined : value));
}

function pairsIn({ assembled }: Driven): readonly PairMessage[] {
  return assembled.messages.map((message) => {
    const calls = listObjects(message['content']).flatMap(({ type, id }) => (type === 'toolCall' ? [String(id)] : []));
    return { role: message.role, ids: message.role === 'toolResult' ? [String(message['toolCallId'])] : calls };
  });
}

describe('in a working session', () => {
  it.each(tried([1, 2, 3, 4, 5, 6], 3))(
    'nothing is sent that a provider rejects, and the newest turn is whole (%i)',
    async (seed) => {
      const source = sourceIn(workingSession({ seed, turns: 12 }));
      const whole = await driveAll(source, (setup) => noneDefinition.create(setup));
      const most = Math.max(...whole.requests.map(({ assembled }) => assembled.tokens));
      const policy = readPolicy({ cooldownTurns: 0, compactFrom: 'compact' }, '');
      const options = { tokenBudget: Math.round(most * 0.8), policy };
      const drove = await driveAll(source, byPolicy, options);
      expect(deedsOf(drove).join(' ')).toContain('prune');
      for (const [at, request] of drove.requests.entries()) {
        expect(isAccepted(pairsIn(request)), `request ${at + 1}`).toBe(true);
        if (request.compactions.length > 0) continue;
        expect(newestTurn(request) === newestTurn(whole.requests[at]!), `request ${at + 1}`).toBe(true);
      }
      expect(await driveAll(source, byPolicy, options)).toEqual(drove);
    },
  );
});
