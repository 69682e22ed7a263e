import type { CommandInput } from '../define.js';
import { textsFlag, toggleFlag } from '../flags.js';
import * as shared from '../shared-flags.js';

export const redactFlags = {
  ...shared.newSessionOrCopy,
  values: textsFlag('FILE', 'a file of secrets: one per line, or a JSON list, or a JSON object of names and secrets'),
  env: textsFlag('NAME', 'an environment variable that holds a secret, or a pattern such as "*_TOKEN"'),
  personal: {
    ...toggleFlag('also replace e-mail addresses, and the names of users in paths of home folders'),
    excludes: ['install'],
  },
  pattern: textsFlag('RE', 'a regular expression for secrets; a group (?<secret>...) limits what is replaced'),
  'dry-run': shared.dryRun,
  force: shared.force,
};

export type RedactInput = CommandInput<typeof redactFlags>;
