import { afterAll, expect, it } from 'vitest';
import { withRealPi } from '../support/real-pi.js';
import { Resident } from '../support/resident.js';
import { compared } from './live/compared.js';
import { RunningPi } from './live/running-pi.js';
import { type Scenario, scenarios } from './live/scenarios.js';
import { sharedPi } from './live/shared-pi.js';

withRealPi('what the provider of a running Pi gets', () => {
  const ctx = new Resident();
  afterAll(() => ctx.close());

  const startSession = sharedPi();

  it.each(scenarios)('is what ctx show prints, or named by the recorder: $name', async (scenario) => {
    const { options = {} } = scenario;
    if (!options.before && !options.after) return compare(await startSession(options), scenario);
    await using pi = await RunningPi.start(options);
    await compare(pi, scenario);
  });

  async function compare(pi: RunningPi, scenario: Scenario): Promise<void> {
    await scenario.run(pi);
    const result = await compared(pi, scenario.flags ?? [], ctx);
    const { recorded = [], differences = [], notices = [], requests } = scenario;
    expect({ ...result, findings: result.findings.length }).toEqual({
      requests,
      unanswered: [],
      differences,
      recorded,
      findings: recorded.length,
    });
    expect(pi.notices).toEqual(notices.map((pattern) => expect.stringMatching(pattern)));
  }
});
