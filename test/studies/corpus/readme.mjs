import path from 'node:path';
import { count, listSessions, readFindings, readLines, write } from './support.mjs';
// Writes docs/studies/README.md from the sentence that each study has left in the folder of the corpus.
//
//   node test/studies/corpus/readme.mjs FOLDER

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/readme.mjs FOLDER');

const sessions = readLines(path.join(folder, 'measured.jsonl'));
const repositories = new Set(listSessions(folder).map(({ repository }) => repository));
const STUDIES = ['corpus', 'compactions', 'questions', 'pruners', 'cache', 'overhead', 'estimates'];

write(
  'README.md',
  `# Studies

What happens in the context of coding agents? \`ctx\` was asked about ${count(sessions.length)} sessions from ${count(repositories.size)} public repositories. Their developers keep such transcripts beside their code. Each page has a picture and the limits of its method; the [glossary](../reference/glossary.md) has the terms.

${readFindings(folder, STUDIES)
  .map((finding) => `- ${finding}`)
  .join('\n')}

## Repeat it

\`\`\`sh
npm run corpus -- FOLDER        # what would be fetched, and how to go on
npm run corpus -- FOLDER --yes  # fetch the sessions, read them, and write these pages
\`\`\`

Do not edit these pages. The [list of sessions](../../test/studies/corpus/sessions.jsonl) names the commit, the path and the SHA-256 of each file. With the same version of \`ctx\`, a second run writes the same pages.

## Limits

- The sessions come from few teams, most of them with Claude Code. They show what happens, not how often it happens to others.
- People chose to publish them. Some had secrets or texts removed, and some are samples for tests.
- No model was asked. What a summary lacks is found by rules and by exact words, so a fact in other words counts as missing.
- Costs are list prices. Tokens are those that the provider counted, or else estimates, as each page says.

Older studies: [policies](../lab/simulation.md#a-study), [pruning](../lab/pruning.md), [facts](../lab/facts.md), [sizes](../lab/sizes.md).
`,
);
