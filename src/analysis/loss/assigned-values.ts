/** A value that a text sets, and the name to which it belongs. */
export interface SetValue {
  readonly name: string;
  readonly value: string;
}

/** A value that a replacement changed. */
export interface ChangedValue extends SetValue {
  readonly old: string;
}

/** The names that a replacement gave another value. A name that either text sets twice is left out. */
export function findChangedValues(before: string, after: string): readonly ChangedValue[] {
  const old = new Map(listUnique(listAssignments(before)).map(({ name, value }) => [name, value]));
  return listUnique(listAssignments(after)).flatMap(({ name, value }) => {
    const earlier = old.get(name);
    return earlier === undefined || earlier === value ? [] : [{ name, old: earlier, value }];
  });
}

/**
 * The settings of code or a configuration, such as ports, versions and limits. A name that it sets twice is left out.
 */
export function findSettings(text: string): readonly SetValue[] {
  return listUnique(listAssignments(text)).filter(({ name, value }) => isSetting(name) && isDistinct(value));
}

/** The values that lines give to names: `timeout: 30,`, `const PORT = 8080;`, `"version": "1.2.0"`. */
function listAssignments(text: string): readonly SetValue[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', quoted, bare] = ASSIGNMENT.exec(line) ?? [];
    const value = quoted ?? bare;
    return value === undefined ? [] : [{ name, value }];
  });
}

/** A name, and at the end of its line a text in quotes or a number. What follows may be a comment. */
const ASSIGNMENT =
  /^\s*(?!\/\/|#|\*)((?:(?:export|const|let|var|static|readonly|public|private|final|val) )*["']?[A-Za-z_$][\w$.-]{0,59}["']?(?:: ?\w+)?)\s*(?:[:=]|:=)\s*(?:["'`]([^"'`\s$]{2,80})["'`]|(-?\d[\w.%]*))\s*[,;]?(?:\s*(?:\/\/|#).*)?$/;

function listUnique(values: readonly SetValue[]): readonly SetValue[] {
  const counts = new Map<string, number>();
  for (const { name } of values) counts.set(name, (counts.get(name) ?? 0) + 1);
  return values.filter(({ name, value }) => counts.get(name) === 1 && value.length >= SHORTEST_VALUE);
}

/** UTF-16 code units: a shorter value is in any text. */
const SHORTEST_VALUE = 2;

/** Whether a name is one of a setting, by its last word or because it is written as a constant. */
function isSetting(name: string): boolean {
  const withoutType = name.replaceAll(/["'$]/g, '').replace(/: ?\w+$/, '');
  const words = withoutType.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ');
  return SETTING_WORD.test(words) || CONSTANT.test(withoutType);
}

const CONSTANT = /(?:^| )[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

const SETTING_WORD =
  /(?:^|[ ._-])(?:port|version|timeout|limit|max|min|size|retries|interval|ttl|threshold|host|url|endpoint|model|region|image|budget|delay|path|dir|directory|branch|database|capacity|lifetime|rate|workers|seconds|ms|days|tokens|target)$/i;

/** Whether a value says more than a small number does, which any summary may have for another reason. */
function isDistinct(value: string): boolean {
  return /\d{3,}|\d[._]\d|\d[a-z%]/.test(value) || /[A-Za-z]/.test(value);
}
