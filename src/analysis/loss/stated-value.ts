/**
 * The first value in a sentence that decides or changes something: a version, an option, a number with its unit, or one
 * after a word such as `port`; null without one.
 */
export function findStatedValue(sentence: string): string | null {
  const isDecided = DECIDES.test(sentence) && !sentence.endsWith('?') && !/^(?:if|when)\b/i.test(sentence);
  const [value] = isDecided ? (STATED.exec(sentence) ?? []) : [];
  return value ?? null;
}

/** Words that decide or change something. */
const DECIDES =
  /\b(?:add(?:s|ed)?|set(?:s|ting)?|use|pass(?:es|ed)?|bump(?:s|ed)?|pin(?:s|ned)?|raise[sd]?|lower(?:s|ed)?|increase[sd]?|reduce[sd]?|change[sd]?|switch(?:es|ed)?|rename[sd]?|limit(?:s|ed)?|caps?|capped|require|defaults?|keeps?|must|should(?! (?:be|verify|check))|instead of|upgrade[sd]?|target(?:s|ed)?|replace[sd]?)\b/i;

/** A value: a long option, a version, a number with a unit, or the number after a word that has one. */
const STATED = new RegExp(
  [
    String.raw`(?<![\w./:@#-])--[a-z][\w-]+(?:=[\w./:@-]*\w)?`,
    String.raw`(?<!\b(?:phase|step|section|wave|plan|task|part) )(?<![\w./:@#-])v?\d+(?:\.\d+){1,3}(?:-[a-z][\w.]*\w)?(?![\w/:%+-]|\.\w)`,
    String.raw`(?<![\w./:@#,-])\d+(?:\.\d+)? ?(?:ms|seconds?|minutes?|hours?|days?|weeks?|[KMG]i?B|px)(?![\w/-])`,
    String.raw`(?<=\b(?:port|limit|timeout|maximum|minimum|size|threshold|budget|up to|at most|at least) (?:is |of |to |= ?)?)\d{2,}(?![\w/:.%-]|,\d)`,
  ].join('|'),
  'i',
);
