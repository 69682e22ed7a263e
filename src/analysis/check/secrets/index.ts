import type { Rule } from '../define.js';
import assignedSecret from './assigned-secret.js';
import authorization from './authorization.js';
import credential from './credential.js';
import privateKey from './private-key.js';
import urlPassword from './url-password.js';

/** Keys and passwords in plain text. */
export const rules: readonly Rule[] = [credential, privateKey, urlPassword, authorization, assignedSecret];
