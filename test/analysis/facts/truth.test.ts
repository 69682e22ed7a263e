import path from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { type LabelledKind, measureFacts, precision, recall } from './truth/measure.js';

/** The share of found facts that are right, and that of labelled facts that are found. */
const TARGET = 0.9;

const scores = await measureFacts(path.join(projectFolder, 'fixtures'));

it.each<LabelledKind>(['instructions', 'constraints', 'openTasks'])('%s are those of a careful reader', (kind) => {
  const score = scores[kind];
  expect(precision(score), score.wrong.join('\n')).toBeGreaterThanOrEqual(TARGET);
  expect(recall(score), score.missing.join('\n')).toBeGreaterThanOrEqual(TARGET);
});
