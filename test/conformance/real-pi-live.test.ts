import { afterAll, expect, it } from 'vitest';
import { withRealPi } from '../support/real-pi.js';
import { Resident } from '../support/resident.js';
import { compared } from './live/compared.js';
import { RunningPi } from './live/running-pi.js';
import { scenarios } from './live/scenarios.js';

withRealPi('what the provider of a running Pi gets', () => {
  const ctx = new Resident();
  afterAll(() => ctx.close());

  it.each(scenarios)('is what ctx show prints, or named by the recorder: $name', async (scenario) => {
    await using pi = await RunningPi.start(scenario.options);
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
  });
});
