import { CtxError } from '#base/errors.js';
import { asObject, isObject, type JsonObject } from '#base/json.js';

/** Pi's compaction settings for one model, in tokens. */
export interface CompactionSettings {
  readonly enabled: boolean;
  /** The tokens of the context window to keep free. */
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
}

const DEFAULTS: CompactionSettings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

/**
 * The settings for a model, as Pi reads them from the values of its settings files, the more special one last. Throws a
 * CtxError (input) where Pi would refuse them too.
 */
export function compactionSettings(files: readonly unknown[], model: string | null): CompactionSettings {
  const merged = files.reduce<JsonObject>((all, file) => (isObject(file) ? mergeObjects(all, file) : all), {});
  const compaction = asObject(merged.compaction);
  const enabled = compaction.enabled ?? DEFAULTS.enabled;
  return {
    enabled: Boolean(enabled),
    reserveTokens: readTokenSetting('reserveTokens', compaction, model),
    keepRecentTokens: readTokenSetting('keepRecentTokens', compaction, model),
  };
}

/** Merges objects at any depth. Any other value of `over` replaces that of `base`. */
function mergeObjects(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isObject(value) && isObject(below) ? mergeObjects(below, value) : value);
  }
  return Object.fromEntries(merged);
}

type Field = 'reserveTokens' | 'keepRecentTokens';

function readTokenSetting(field: Field, compaction: JsonObject, model: string | null): number {
  const plain = checkSetting(compaction[field], `compaction.${field}`);
  const { modelOverrides } = compaction;
  const name = `compaction.modelOverrides[${JSON.stringify(model)}]`;
  const own = model !== null && isObject(modelOverrides) && Object.hasOwn(modelOverrides, model);
  const override = own ? modelOverrides[model] : undefined;
  if (override !== undefined && !isObject(override)) throw buildInvalidSettingError(name, override, 'an object');
  return checkSetting(override?.[field], `${name}.${field}`) ?? plain ?? DEFAULTS[field];
}

function checkSetting(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw buildInvalidSettingError(name, value, 'a whole number, 0 or more');
}

function buildInvalidSettingError(name: string, value: unknown, expected: string): CtxError {
  return new CtxError('input', `Pi's setting ${name} is ${JSON.stringify(value)}, not ${expected}`, {
    hint: 'correct settings.json; Pi rejects it, too',
  });
}
