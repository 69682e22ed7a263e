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

What happens in the context of coding agents? \`ctx\` was asked about ${count(sessions.length)} sessions from ${count(repositories.size)} public repositories. Their developers keep such transcripts beside their code. These pages have the answers, each with a picture and the limits of its method.

${readFindings(folder, STUDIES)
  .map((finding) => `- ${finding}`)
  .join('\n')}

A session is the file in which an agent keeps a conversation. A compaction replaces old messages with a summary. A pruner shortens a session without a model. A prompt cache lets the provider bill less for the part of a request that it has seen before. The [glossary](../reference/glossary.md) has the other words.

## Repeat it

\`\`\`sh
npm run corpus -- FOLDER        # what would be fetched, and how to go on
npm run corpus -- FOLDER --yes  # fetch the sessions, read them, and write these pages
\`\`\`

Each figure is written by a script; do not edit these pages. The [list of sessions](../../test/studies/corpus/sessions.jsonl) names the commit, the path and the SHA-256 of each file, so that all read the same. With the same sessions and the same version of \`ctx\`, a second run writes the same pages.

## Limits

- The sessions come from few teams, most of them with Claude Code. They show what happens, not how often it happens to others.
- People chose to publish them. Some had secrets or texts removed, and some are samples for tests.
- No model was asked. What a summary lacks is found by rules and by exact words, so a fact in other words counts as missing.
- Costs are list prices. Tokens are those that the provider counted, or else estimates, as each page says.

Older studies are beside the commands that they explain: [policies](../lab/simulation.md), [pruning](../lab/pruning.md), [facts](../lab/facts.md), [sizes](../lab/sizes.md).
`,
);
