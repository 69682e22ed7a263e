import { isObject } from '#base/json.js';
import { isConfigProgram } from '#platform/files/load-config.js';
import { NEEDS_TRUST } from '../arguments/restricted-flags.js';
import type { Config } from './schema.js';

/** Lists what a configuration does beside setting rules, limits and looks; each needs the permission of the user. */
export function listConfigActions(file: string, config: Config): readonly string[] {
  if (isConfigProgram(file)) return ['runs as a program, with your rights'];
  const { archive, assembly, prune, defaults = {} } = config;
  const injectors = assembly?.injectors ?? [];
  const summarizer = assembly?.summarizer;
  return [
    ...injectors.flatMap(({ name, module }) =>
      module === undefined ? [] : [`runs ${module} as the injector "${name}"`],
    ),
    ...(summarizer === undefined || summarizer.name === 'extract'
      ? []
      : [`has summaries written by the summarizer "${summarizer.name}"`]),
    ...(archive === undefined ? [] : [`has sessions archived in ${archive}`]),
    ...listFoldersToWrite(prune?.zones).map((folder) => `saves shortened results in ${folder}`),
    ...Object.entries(defaults).flatMap(([command, flags]) =>
      Object.keys(flags)
        .filter((flag) => NEEDS_TRUST.has(flag))
        .map((flag) => `sets --${flag} of ctx ${command}, which a model follows`),
    ),
  ];
}

/** The folders that the option `spill` of a strategy names, in any zone. */
function listFoldersToWrite(zones: unknown): readonly string[] {
  const strategies = isObject(zones) ? Object.values(zones).flat() : [];
  const folders = strategies.flatMap((strategy: unknown) => {
    const options: unknown = Array.isArray(strategy) ? strategy[1] : null;
    return isObject(options) && typeof options.spill === 'string' ? [options.spill] : [];
  });
  return [...new Set(folders)];
}
