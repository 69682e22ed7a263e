import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as prompts from '#change/compact/summarizers/prompts.js';
import { projectFolder } from '../support/files.js';
import { withRealPi } from '../support/real-pi.js';

const pi = path.join(projectFolder, 'test/pi/node_modules/@earendil-works/pi-coding-agent/dist/core/compaction');

withRealPi('real Pi', () => {
  it('asks a model for a summary in the same words', () => {
    const source = ['compaction.js', 'utils.js'].map((name) => readFileSync(path.join(pi, name), 'utf8')).join('\n');
    const [intro = '', ...instructions] = prompts.UPDATE_PROMPT.split('\n\n');
    const all = [
      prompts.SYSTEM_PROMPT,
      prompts.SUMMARY_PROMPT,
      prompts.PREFIX_PROMPT,
      intro,
      instructions.join('\n\n'),
    ];
    for (const text of all) expect(source).toContain(text);
  });
});
