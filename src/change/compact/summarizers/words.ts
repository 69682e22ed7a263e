import { CtxError } from '#base/errors.js';

/**
 * The words of a command line: blanks part them, quotes and backslashes join them, and nothing else means anything.
 * Throws a CtxError (usage) for an empty one, or one with a quote that does not end.
 */
export function wordsOf(line: string): readonly [string, ...string[]] {
  const words: string[] = [];
  const rest = line.trimStart();
  const pattern = /\s*((?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\])+)(?=\s|$)/y;
  let end = 0;
  for (let match = pattern.exec(rest); match; match = pattern.exec(rest)) {
    words.push(unquoted(match[1] ?? ''));
    end = pattern.lastIndex;
  }
  const [first, ...others] = words;
  if (first === undefined || rest.slice(end).trim() !== '') {
    throw new CtxError('usage', first === undefined ? 'the command is empty' : 'a quote in the command does not end', {
      where: line,
      hint: 'write it as \'program --flag "a b"\'',
    });
  }
  return [first, ...others];
}

function unquoted(word: string): string {
  return word.replaceAll(
    /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g,
    (_, single?: string, double?: string, one?: string) => {
      if (single !== undefined) return single;
      return double === undefined ? (one ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1');
    },
  );
}
