import type { RuleDefinition } from '../define.js';
import assignedSecret from './assigned-secret.js';
import authorization from './authorization.js';
import credential from './credential.js';
import privateKey from './private-key.js';
import urlPassword from './url-password.js';

/** The rules about keys and passwords in plain text, one for each class of secret. */
export const rules: readonly RuleDefinition[] = [credential, privateKey, urlPassword, authorization, assignedSecret];
