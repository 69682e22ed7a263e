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

/**
 * The first value in a sentence that decides or changes something: a version, an option, a number with its unit, or one
 * after a word such as `port`; null without one.
 */
export function findStatedValue(sentence: string): string | null {
  const isDecided = DECIDES.test(sentence) && !sentence.endsWith('?') && !/^(?:if|when)\b/i.test(sentence);
  const [value] = isDecided ? (STATED.exec(sentence) ?? []) : [];
  return value ?? null;
}

const DECIDES =
  /\b(?:add(?:s|ed)?|set(?:s|ting)?|use|pass(?:es|ed)?|bump(?:s|ed)?|pin(?:s|ned)?|raise[sd]?|lower(?:s|ed)?|increase[sd]?|reduce[sd]?|change[sd]?|switch(?:es|ed)?|rename[sd]?|limit(?:s|ed)?|caps?|capped|require|defaults?|keeps?|must|should(?! (?:be|verify|check))|instead of|upgrade[sd]?|target(?:s|ed)?|replace[sd]?)\b/i;

const STATED = new RegExp(
  [
    String.raw`(?<![\w./:@#-])--[a-z][\w-]+(?:=[\w./:@-]*\w)?`,
    String.raw`(?<!\b(?:phase|step|section|wave|plan|task|part) )(?<![\w./:@#-])v?\d+(?:\.\d+){1,3}(?:-[a-z][\w.]*\w)?(?![\w/:%+-]|\.\w)`,
    String.raw`(?<![\w./:@#,-])\d+(?:\.\d+)? ?(?:ms|seconds?|minutes?|hours?|days?|weeks?|[KMG]i?B|px)(?![\w/-])`,
    String.raw`(?<=\b(?:port|limit|timeout|maximum|minimum|size|threshold|budget|up to|at most|at least) (?:is |of |to |= ?)?)\d{2,}(?![\w/:.%-]|,\d)`,
  ].join('|'),
  'i',
);

// ---- Assignments

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
  return values.filter(({ name, value }) => counts.get(name) === 1 && value.length >= SHORTEST);
}

/** The limit in UTF-16 code units: a shorter value is in any text. */
const SHORTEST = 2;

/** Whether a name is one of a setting, by its last word. */
function isSetting(name: string): boolean {
  const words = name.replaceAll(/["'$]/g, '').replace(/: ?\w+$/, '');
  return (
    SETTING.test(words.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')) || /(?:^| )[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(words)
  );
}

const SETTING =
  /(?:^|[ ._-])(?:port|version|timeout|limit|max|min|size|retries|interval|ttl|threshold|host|url|endpoint|model|region|image|budget|delay|path|dir|directory|branch|database|capacity|lifetime|rate|workers|seconds|ms|days|tokens|target)$/i;

/** Whether a value says more than a small number does, which any summary may have for another reason. */
function isDistinct(value: string): boolean {
  return /\d{3,}|\d[._]\d|\d[a-z%]/.test(value) || /[A-Za-z]/.test(value);
}
