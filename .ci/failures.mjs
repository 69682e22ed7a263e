// Prints which tests failed and the beginning of what each said: `node .ci/failures.mjs RESULT.json`.
import { readFileSync } from 'node:fs';

const LINES_OF_EACH = 30;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const file of testResults) {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  for (const test of failed) tell(file.name, test.fullName, test.failureMessages.join('\n'));
  if (file.status === 'failed' && failed.length === 0) tell(file.name, 'the file itself', file.message);
}

function tell(file, name, message) {
  console.log(`!! ${file}: ${name}\n${message.split('\n').slice(0, LINES_OF_EACH).join('\n')}\n`);
}
