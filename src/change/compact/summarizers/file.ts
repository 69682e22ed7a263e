import { CtxError } from '#base/errors.js';
import { defineSummarizer } from './define.js';

export default defineSummarizer({
  name: 'file',
  summary: 'Take a summary that somebody wrote, as it is',
  flags: {
    summary: {
      placeholder: 'FILE',
      help: 'take the summary from a file, - for standard input',
      parse: (raw: string) => raw,
    },
  },
  async summarize(_task, world, { summary: file }) {
    if (file === undefined)
      throw new CtxError('usage', 'no file with a summary', { hint: 'name it with --summary FILE' });
    const text = (await world.readText(file)).trim();
    if (text !== '') return { text };
    throw new CtxError('input', 'the summary is empty', { where: file, hint: 'write what should stay known' });
  },
});
