// First Ada only lets the model look, then she lets it work: the tools and the system prompt change.
// In the end an extension replaces the whole conversation by a summary that keeps no message.
import { openStudio } from './studio.mjs';

const files = {
  'src/units.js': `export function celsius(value) {
  return \`\${Math.round(value)} °C\`;
}
`,
};

export async function record(out) {
  let planning = true;
  const { session, clock, ask, save } = await openStudio({
    seed: 'tool-change',
    start: '2026-01-15T03:12:40.515Z',
    files,
    settings: { compaction: { keepRecentTokens: 20 } },
    extensions: [
      (extension) => {
        extension.on('before_agent_start', ({ systemPromptOptions }) => {
          if (planning) systemPromptOptions.sections.plan = 'Only look. Do not change anything yet.';
        });
        extension.on('session_before_compact', ({ preparation: { tokensBefore } }) => ({
          compaction: {
            summary: 'src/units.js has the functions `celsius` and `fahrenheit`. Nothing is left to do.',
            tokensBefore,
          },
        }));
      },
    ],
  });

  session.setActiveToolsByName(['read', 'grep']);
  await ask(
    'Where would Fahrenheit go?',
    { call: ['read', { path: 'src/units.js' }] },
    { say: 'Into `src/units.js`, as a function `fahrenheit` next to `celsius`.' },
  );

  planning = false;
  session.setActiveToolsByName(['read', 'edit']);
  await ask(
    'Good, please add it.',
    {
      call: [
        'edit',
        {
          path: 'src/units.js',
          edits: [
            {
              oldText: '°C`;\n}\n',
              newText:
                '°C`;\n}\n\nexport function fahrenheit(value) {\n  return `${Math.round(value * 1.8 + 32)} °F`;\n}\n',
            },
          ],
        },
      ],
    },
    { say: 'Done: `fahrenheit(20)` gives `68 °F`.' },
  );

  clock.advance(30_000);
  await session.compact();
  await ask('What is left to do?', { say: 'Nothing: `src/units.js` has both functions.' });

  save(out);
}
