import { declareTool } from '../example.js';
import { defineRequiredRule, TOOL_NAMES } from './names-rule.js';

export default defineRequiredRule({
  kind: TOOL_NAMES,
  name: 'required-tools',
  summary: 'A required tool is missing',
  help:
    'If the instructions mention a tool that is not declared, the agent makes up a substitute. This rule examines ' +
    'the tool definitions of the next request of the active leaf. Sessions before Pi 0.87 record neither prompt nor ' +
    'tools; that is reported too, unless `contextBaseline` supplies them.',
  example: { fires: declareTool('bash', 'Run a command'), silent: declareTool('read', 'Read a file'), names: ['read'] },
});
