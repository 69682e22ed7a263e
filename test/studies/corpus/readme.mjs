import path from 'node:path';
import { count, readFindings, readLines, write } from './support.mjs';
// Writes docs/studies/README.md from the sentence that each study has left in the folder of the corpus.
//
//   node test/studies/corpus/readme.mjs FOLDER

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/readme.mjs FOLDER');

const sessions = readLines(path.join(folder, 'measured.jsonl'));
const STUDIES = ['corpus', 'compactions', 'questions', 'pruners', 'cache', 'overhead', 'estimates'];

write(
  'README.md',
  `# Studies

What \`ctx\` finds in ${count(sessions.length)} public sessions of coding agents. Figures are written by \`npm run corpus\` (see [the corpus](corpus.md)); do not edit this page.

${readFindings(folder, STUDIES)
  .map((finding) => `- ${finding}`)
  .join('\n')}

The sessions are few and come from few teams. They show what happens, not how often. Each page ends with the limits of its method.

Older studies are beside the commands that they explain: [policies](../lab/simulation.md), [pruning](../lab/pruning.md), [facts](../lab/facts.md), [sizes](../lab/sizes.md).
`,
);
