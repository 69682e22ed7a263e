import { CtxError } from '../errors.js';
import { complaintOf } from './explain.js';
import { type Config, config } from './schema.js';

/** The configuration that a value is. Throws a CtxError (usage) that says what is wrong where. */
export function configIn(value: unknown, file: string): Config {
  if (value === undefined || value === null) {
    const hint = file.endsWith('package.json') ? 'add the key "ctx"' : 'an empty configuration is {}';
    throw new CtxError('usage', 'there is no configuration', { where: file, hint });
  }
  const complaint = complaintOf(config, value);
  if (complaint === null) return config.parse(value);
  throw new CtxError('usage', complaint.what, { where: file, hint: complaint.hint });
}
