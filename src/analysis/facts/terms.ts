/** The terms of a text that a summary must repeat literally: paths, code names, error numbers, quoted texts. */
export function listTerms(text: string): readonly string[] {
  const terms = new Set<string>();
  for (const [, ticked, quoted] of text.matchAll(QUOTED)) {
    const inside = (ticked ?? quoted ?? '').trim();
    if (inside.length >= 2 && inside.length <= LONGEST) terms.add(inside);
  }
  for (const [word] of text.matchAll(WORD)) {
    const term = word
      .replace(/^[^\w/@.~]+/, '')
      .replace(/(?<![^\w)])[^\w)]+$/, '')
      .replace(/\)$/, '');
    if (term.length <= LONGEST && isTerm(term)) terms.add(term);
  }
  return [...terms];
}

const LONGEST = 120;
const QUOTED = /`([^`\n]+)`|"([^"\n]{3,80})"/g;
const WORD = /[^\s`"'“”,;(<>[\]{}|]+/g;

function isTerm(word: string): boolean {
  return (
    /^(?:[A-Za-z]:)?[\w@.~-]*[/\\][\w@.~/\\-]+$/.test(word) ||
    /^[\w-]+\.[A-Za-z]\w{0,5}$/.test(word) ||
    /^[a-z][a-z0-9]*[A-Z]\w*$/.test(word) ||
    /^[A-Z][a-z0-9]+[A-Z]\w*$/.test(word) ||
    /^[A-Za-z]\w*_\w+$/.test(word) ||
    /^[A-Z][A-Z0-9]{3,}$/.test(word) ||
    /^(?:TS|E|ERR_|HTTP|#)\w*\d{2,}$/.test(word) ||
    /^--?[a-z][\w-]+$/.test(word) ||
    /^[a-z]\w*\(\)?$/.test(word)
  );
}
