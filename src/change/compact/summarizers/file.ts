import { CtxError } from '#base/errors.js';
import { defineSummarizer } from './define.js';

export default defineSummarizer({
  name: 'file',
  summary: 'Use a written summary as it is',
  origin: 'read from your file',
  flags: {
    summary: {
      placeholder: 'FILE',
      help: 'file with the summary, - for standard input',
      parse: (raw: string) => raw,
    },
  },
  async summarize(_task, world, { summary: from }) {
    if (from === undefined) throw new CtxError('usage', 'the summariser needs a file', { hint: 'pass --summary FILE' });
    const text = (await world.readText(from)).trim();
    if (text !== '') return { text };
    throw new CtxError('input', 'the summary is empty', {
      where: from,
      hint: 'write the facts that the model should keep',
    });
  },
});
