import type { SecretPattern } from '../define.js';
import assignedSecrets from './assigned-secrets.js';
import authorization from './authorization.js';
import clouds from './clouds.js';
import commands from './commands.js';
import development from './development.js';
import files from './files.js';
import gitleaks from './gitleaks.js';
import library from './library.js';
import messagesAndMoney from './messages-and-money.js';
import modelProviders from './model-providers.js';
import namedKeys from './named-keys.js';
import privateKeys from './private-keys.js';
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
