import { asString } from '#base/json.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { defineRule, type Example, type Hit, quoteValue } from '../define.js';
import { assistant, HEADER, system, toolCall, toolResult, user } from '../example.js';
import { contentListOf, locateEntry, readBlock } from './message.js';

const READ = { name: 'read', description: 'Read a file', parameters: {} };

export default defineRule({
  name: 'tool-not-defined',
  severity: 'note',
  summary: 'A call in the context uses a tool that is no longer declared',
  help:
    'The tool of this call is not among the tools that the session records. Providers accept that, but if the model ' +
    'calls it again, it gets an error. The tool was removed or renamed, or its extension was disabled.\n\n' +
    'Declare the tool again, or omit its calls and results.',
  example: { fires: callTool('grep'), silent: callTool('read') },
  looksAt: 'envelope',
  find({ tools, messages: { cached }, meta: { provenance, sources } }) {
    if (sources.tools !== 'recorded' || tools.length === 0) return [];
    const definedNames = new Set(tools.map(({ name }) => name));
    const hits: Hit[] = [];
    for (const [at, message] of cached.entries()) {
      if (message.role !== 'assistant' || isFailedAnswer(message)) continue;
      for (const item of contentListOf(message)) {
        const block = readBlock(item);
        const name = block?.type === 'toolCall' ? asString(block.name) : null;
        if (name === null || definedNames.has(name)) continue;
        definedNames.add(name);
        const from = provenance[at];
        const what = `the tool ${quoteValue(name)} is called here, but is not declared`;
        hits.push({ message: what, at: from && locateEntry(from) });
      }
    }
    return hits;
  },
});

function callTool(name: string): Example {
  return [
    HEADER,
    system('s1', null, { toolsAdded: [READ] }),
    user('u1', 's1', 'What is in here?'),
    assistant('a1', 'u1', [toolCall('c1', name)]),
    toolResult('r1', 'a1', 'c1'),
  ];
}
