import { declareTool } from '../example.js';
import { defineForbiddenRule, TOOL_NAMES } from './names-rule.js';

export default defineForbiddenRule({
  kind: TOOL_NAMES,
  name: 'forbidden-tools',
  summary: 'A forbidden tool was called, or is declared',
  help:
    'This rule examines the calls on the active path, also those before a compaction, and the tool definitions of the ' +
    'next request: a session that was recorded with a tool continues with it. If a session does not record its ' +
    'definitions, the calls alone are examined, unless `contextBaseline` supplies them. To forbid only some commands ' +
    'of a shell, use `forbidden-commands`.',
  example: { fires: declareTool('bash', 'Run a command'), silent: declareTool('read', 'Read a file'), names: ['bash'] },
});
