import type { SecretPattern } from '../define.js';
import { assignedSecrets } from './assigned-secrets.js';
import { authorization, urlPasswords } from './authorization.js';
import { commands } from './commands.js';
import { files, privateKeys } from './files.js';
import { gitleaks, namedKeys } from './gitleaks.js';
import messagesAndMoney from './messages-and-money.js';
import { clouds, common, development, modelProviders } from './services.js';

/** All kinds of secrets. If two find the same text, the first one names it. */
export const patterns: readonly SecretPattern[] = [
  ...privateKeys,
  ...common,
  ...modelProviders,
  ...clouds,
  ...development,
  ...messagesAndMoney,
  ...gitleaks,
  ...authorization,
  ...urlPasswords,
  ...files,
  ...commands,
  namedKeys,
  ...assignedSecrets,
];
