import { defineRule, type Hit, quoteValue } from '../define.js';
import { HEADER, QUESTION, system, transform } from '../example.js';

const PROMPT = system('s1', null, { toolsAdded: [{ name: 'read', description: 'Read a file', parameters: {} }] });

function replaceTool(name: string) {
  const tools = [{ name, description: 'Read a file', parameters: {} }];
  return [HEADER, PROMPT, { ...QUESTION, parentId: 's1' }, transform('x1', 'u1', { op: 'tools_replace', tools })];
}

export default defineRule({
  name: 'no-implementation',
  severity: 'warning',
  summary: 'The context declares a tool that has no implementation',
  help:
    'A transform adds the definition of a tool, but the implementation must already exist under the same name. Pi ' +
    'had no such tool in this session, so it omits the definition at run time, and a call of the tool fails.',
  example: { fires: replaceTool('read_file'), silent: replaceTool('read') },
  looksAt: 'envelope',
  *find({ tools, meta }): Generator<Hit> {
    for (const name of meta.toolsWithoutImplementation) {
      const at = tools.findIndex((tool) => tool.name === name);
      yield {
        message: `the tool ${quoteValue(name)} has no implementation: Pi omits it at run time`,
        place: `tools[${at}]`,
      };
    }
  },
});
