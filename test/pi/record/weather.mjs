// Ada's weather program shows the wrong day in Auckland. Her session goes through most of what Pi
// can record: a fix, an edited context, a label, a branch that is left again, a compaction.
import { openStudio } from './studio.mjs';

const files = {
  'AGENTS.md': `Run \`./run-tests.sh\` before you say that something works.
Keep answers short.
`,
  'README.md': `# weather

Prints tomorrow's forecast for a city.

    $ weather Auckland
    Auckland  2026-01-16  clear, 14 to 23 °C
`,
  'src/forecast.js': `/** A calendar day as text, such as 2026-01-16. */
export function isoDate(year, month, day) {
  return new Date(year, month - 1, day).toISOString().slice(0, 10);
}

export function tomorrow(now = new Date()) {
  return isoDate(now.getFullYear(), now.getMonth() + 1, now.getDate() + 1);
}

export function forecastLine(city, { sky, low, high }, now = new Date()) {
  return \`\${city}  \${tomorrow(now)}  \${sky}, \${low} to \${high} °C\`;
}
`,
  'test/forecast.test.js': `import { forecastLine, isoDate, tomorrow } from '../src/forecast.js';

let passed = 0;
let failed = 0;

function check(name, actual, expected) {
  if (actual === expected) {
    passed++;
    console.log(\`ok    \${name}\`);
  } else {
    failed++;
    console.log(\`FAIL  \${name}: expected \${expected}, got \${actual}\`);
  }
}

for (let month = 1; month <= 12; month++) {
  for (const day of [1, 8, 15, 22, 28]) {
    const expected = \`2026-\${String(month).padStart(2, '0')}-\${String(day).padStart(2, '0')}\`;
    check(\`isoDate \${expected}\`, isoDate(2026, month, day), expected);
  }
}

check('tomorrow', tomorrow(new Date(2026, 0, 15, 12)), '2026-01-16');
check('tomorrow on the last day of a month', tomorrow(new Date(2026, 0, 31, 12)), '2026-02-01');
check('tomorrow on the last day of a year', tomorrow(new Date(2026, 11, 31, 12)), '2027-01-01');
check('tomorrow before a leap day', tomorrow(new Date(2028, 1, 28, 12)), '2028-02-29');
check(
  'forecastLine',
  forecastLine('Auckland', { sky: 'clear', low: 14, high: 23 }, new Date(2026, 0, 15, 12)),
  'Auckland  2026-01-16  clear, 14 to 23 °C',
);

console.log(\`\\n\${passed + failed} checks, \${failed} failed\`);
process.exitCode = failed > 0 ? 1 : 0;
`,
  'run-tests.sh': `#!/bin/sh
exec node test/forecast.test.js
`,
};

const temporalSummary = `## Goal
Find out whether Temporal would make the date code in src/forecast.js simpler.

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] Compared src/forecast.js with a version that uses Temporal

### In Progress
- (none)

### Blocked
- Node.js 22 has no Temporal without a polyfill

## Key Decisions
- **Keep Date.UTC**: Temporal would save three lines and cost one dependency

## Next Steps
1. Look at Temporal again when the oldest supported Node.js has it`;

const checkpoint = `## Goal
Find out why tomorrow's forecast shows the wrong day in Auckland, and fix it.

## Constraints & Preferences
- Run \`./run-tests.sh\` before saying that something works
- Keep answers short

## Progress
### Done
- [x] Found the bug: \`isoDate\` in src/forecast.js made a date in local time and printed it in UTC
- [x] Fixed it: \`isoDate\` now builds the date with \`Date.UTC\`
- [x] Added checks in three time zones to test/forecast.test.js; all 68 checks pass
- [x] Looked at Temporal on a branch of the conversation

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
- **UTC on both sides**: \`Date.UTC\` and \`toISOString\` agree in every time zone, and day 32 still rolls over
- **No Temporal for now**: Node.js 22 has it only with a polyfill

## Next Steps
1. Answer what Ada still wants to know about the fix

## Critical Context
- The bug shows only east of Greenwich, so it stays hidden in Denver and on a machine set to UTC`;

export async function record(out) {
  const { session, manager, clock, ask, prepare, save } = await openStudio({
    seed: 'weather',
    start: '2026-01-14T20:31:07.240Z',
    files,
    settings: { compaction: { keepRecentTokens: 135 } },
  });
  const entryWith = (text) => manager.getBranch().findLast((entry) => JSON.stringify(entry).includes(text)).id;

  await ask(
    "When I run `weather Auckland` in our Auckland office, tomorrow's forecast is dated today. In Denver it is right. Why?",
    {
      think:
        'One day too early, and only east of Greenwich: that smells like a local time that is printed as UTC. I need to see how the date is made.',
      say: "I'll look at the code that makes the date.",
      call: ['read', { path: 'src/forecast.js' }],
    },
    {
      say: '`isoDate` makes a date in local time but prints it in UTC. Let me run the tests as if we were in Auckland.',
      call: ['bash', { command: 'TZ=Pacific/Auckland ./run-tests.sh' }],
    },
    {
      think:
        'All checks fail by exactly one day. Midnight in Auckland is noon of the day before in UTC. With Date.UTC both sides are in UTC, and a day like 32 still rolls over into the next month.',
      say: "Every check is one day early, so that is the bug. I'll make the date in UTC as well.",
      call: [
        'edit',
        {
          path: 'src/forecast.js',
          edits: [
            {
              oldText: 'new Date(year, month - 1, day)',
              newText: 'new Date(Date.UTC(year, month - 1, day))',
            },
          ],
        },
      ],
    },
    {
      call: [
        'bash',
        {
          command: 'for zone in Pacific/Auckland UTC America/Denver; do TZ=$zone ./run-tests.sh | tail -1; done',
        },
      ],
    },
    {
      say: 'Fixed in `src/forecast.js`.\n\n`new Date(y, m, d)` is midnight where you are. In Auckland that is still noon of the day before in UTC, and UTC is what `toISOString()` prints. Denver is behind UTC, so its midnight falls on the same day and nobody noticed. `isoDate` now uses `Date.UTC`, and all 65 checks pass in Auckland, in UTC and in Denver.',
    },
  );
  const longLog = entryWith('got 2025-12-31');
  const fix = entryWith('Fixed in `src/forecast.js`');
  session.setSessionName('Forecast shows the wrong day');

  const question = 'Thank you! Please add a regression test that would have caught this in Denver, too.';
  await ask(
    question,
    { call: ['read', { path: 'test/forecast.test.js' }] },
    {
      say: 'The new checks set the time zone themselves, so it does not matter where they run.',
      call: [
        'edit',
        {
          path: 'test/forecast.test.js',
          edits: [
            {
              oldText: 'console.log(`\\n${passed + failed} checks',
              newText:
                "for (const zone of ['Pacific/Auckland', 'UTC', 'America/Denver']) {\n  process.env.TZ = zone;\n  check(`isoDate in ${zone}`, isoDate(2026, 1, 16), '2026-01-16');\n}\n\nconsole.log(`\\n${passed + failed} checks",
            },
          ],
        },
      ],
    },
    { call: ['bash', { command: './run-tests.sh | tail -5' }] },
    {
      say: 'Added to `test/forecast.test.js`: `isoDate` is now checked in three time zones, whatever the machine is set to. All 68 checks pass.',
    },
  );

  clock.advance(30_000);
  manager.appendContextEdit(longLog, {
    content: 'The log of the failing tests is left out here: all 65 checks failed, each by one day.',
  });
  clock.advance(8_000);
  manager.appendLabelChange(fix, 'fixed');
  const main = manager.getLeafId();

  clock.advance(45_000);
  await session.navigateTree(entryWith(question));
  await ask(
    'Would Temporal be simpler?',
    { call: ['read', { path: 'src/forecast.js' }] },
    {
      think:
        'Temporal.PlainDate has no time zone, so this bug could not happen. But Node.js 22 ships without Temporal, so it would need a polyfill.',
      say: 'Yes: `Temporal.Now.plainDateISO().add({ days: 1 }).toString()` would be all of `tomorrow`, and a plain date has no time zone to get wrong. But Node.js 22 comes without Temporal, so you would add a dependency to save three lines. I would wait.',
    },
  );

  clock.advance(20_000);
  prepare({ say: temporalSummary });
  await session.navigateTree(main, { summarize: true });
  await ask(
    "Then we keep `Date.UTC`. Does `tomorrow` get the nights right in which Auckland's clocks change?",
    {
      say: 'They change on 5 April and on 27 September this year. I ask for "tomorrow" half an hour before midnight on both eves.',
      call: [
        'bash',
        {
          command: `TZ=Pacific/Auckland node --input-type=module -e "import { tomorrow } from './src/forecast.js'; console.log(tomorrow(new Date(2026, 3, 4, 23, 30)), tomorrow(new Date(2026, 8, 26, 23, 30)))"`,
        },
      ],
    },
    {
      say: 'Yes: it prints 2026-04-05 and 2026-09-27. `tomorrow` counts calendar days and never adds hours, so a day of 23 or 25 hours does no harm.',
    },
  );

  clock.advance(60_000);
  prepare({ say: checkpoint });
  await session.compact();

  clock.advance(15_000);
  session.setThinkingLevel('low');
  await ask(
    'Last thing: please mention in the README how dates work. Two lines are enough.',
    { call: ['read', { path: 'README.md' }] },
    {
      call: [
        'edit',
        {
          path: 'README.md',
          edits: [
            {
              oldText: '    Auckland  2026-01-16  clear, 14 to 23 °C\n',
              newText:
                '    Auckland  2026-01-16  clear, 14 to 23 °C\n\n"Tomorrow" is the next day of the calendar where you are, not where the city is.\nThe date is put together in UTC, so no time zone can move it.\n',
            },
          ],
        },
      ],
    },
    {
      say: 'Done: two lines at the end of `README.md`. The code did not change since the last test run.',
    },
  );

  save(out);
}
