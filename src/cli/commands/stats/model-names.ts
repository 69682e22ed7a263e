import { NO_MODEL } from '#analysis/stats/usage-records.js';

/** Names of models without their providers, if they stay distinct. A provider without a model keeps its name. */
export function dropProviders(names: readonly string[]): readonly string[] {
  const short = names.map((name) => (name === NO_MODEL ? name : name.replace(/^(?:[^\s/]+\/)+(?=.)/, '')));
  return new Set(short).size < names.length ? names : short;
}
