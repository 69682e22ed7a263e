import type { SecretPattern } from '../define.js';
import assignedSecrets from './assigned-secrets.js';
import authorization from './authorization.js';
import commands from './commands.js';
import files from './files.js';
import gitleaks from './gitleaks.js';
import library from './library.js';
import messagesAndMoney from './messages-and-money.js';
import namedKeys from './named-keys.js';
import privateKeys from './private-keys.js';
import { clouds, development, modelProviders } from './services.js';
import urlPasswords from './url-passwords.js';

/** All kinds of secrets. If two find the same text, the first one names it. */
export const patterns: readonly SecretPattern[] = [
  ...privateKeys,
  ...library,
  ...modelProviders,
  ...clouds,
  ...development,
  ...messagesAndMoney,
  ...gitleaks,
  ...authorization,
  ...urlPasswords,
  ...files,
  ...commands,
  ...namedKeys,
  ...assignedSecrets,
];
