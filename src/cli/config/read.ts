import { CtxError } from '#base/errors.js';
import { isProgram } from '#platform/files/config-files.js';
import { complaintOf } from './explain.js';
import { type Config, config } from './schema.js';

/** The configuration that a value is. Throws a CtxError (usage) that says what is wrong where. */
export function configIn(value: unknown, file: string): Config {
  if (value === undefined || value === null) {
    const hint = file.endsWith('package.json') ? 'add the key "ctx"' : 'an empty configuration is {}';
    throw new CtxError('usage', 'there is no configuration', { where: file, hint });
  }
  const complaint = complaintOf(config, value);
  if (complaint === null) return defaultsInJson(config.parse(value), file);
  throw new CtxError('usage', complaint.what, { where: file, hint: complaint.hint });
}

/** Every command reads defaults, and none but those that need a configuration runs one. */
function defaultsInJson(read: Config, file: string): Config {
  if (read.defaults === undefined || !isProgram(file)) return read;
  throw new CtxError('usage', '"defaults" can stand in JSON only, since a program is not run for them', {
    where: file,
    hint: 'put it into the key "ctx" of a package.json, or write ctx.config.json in the place of this file',
  });
}
