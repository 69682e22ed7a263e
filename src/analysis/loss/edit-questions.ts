import { asString, type JsonObject, listObjects } from '#base/json.js';
import { baseName } from '#base/paths.js';
import type { Head } from '#session/heads/head.js';
import { findFileUse, listToolUses } from '../facts/tool-uses.js';
import { findChangedValues, findSettings } from './assigned-values.js';
import type { KnownFiles } from './known-files.js';
import type { Question } from './question-file.js';
import { buildQuestion, type RemovedMessage } from './questions.js';

/** Asks for the file of each edit, for the values that it changed, and for the settings that it added. */
export function listEditQuestions(removed: readonly RemovedMessage[], files: KnownFiles): readonly Question[] {
  const messages = removed.map(({ message }) => message);
  return listToolUses(messages).flatMap((use) => {
    const file = findFileUse(use);
    const { head } = removed[use.callAt] ?? {};
    if (file?.kind !== 'modified' || use.isError || !head) return [];
    const content = asString(use.args['content'] ?? use.args['file_text']) ?? '';
    return [
      ...askForSettings(file.path, '', content, head),
      ...listEdits(file.path, use.args).flatMap((edit) => [
        ...askForFile(edit, files.namesOf(edit.path), head),
        ...askForChanges(edit, head),
        ...askForSettings(edit.path, edit.before, edit.after, head),
      ]),
    ];
  });
}

/** A replacement of one text in a file by another. */
interface Edit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The replacements of a call: its own arguments, or a list of them. Agents name these differently. */
function listEdits(path: string, args: JsonObject): readonly Edit[] {
  return [args, ...listObjects(args['edits'])].flatMap((each) => {
    const before = asString(each['oldText'] ?? each['old_string'] ?? each['oldString'] ?? each['old_str']);
    const after = asString(each['newText'] ?? each['new_string'] ?? each['newString'] ?? each['new_str']);
    return before === null || after === null ? [] : [{ path, before, after }];
  });
}

/** Asks which file got a line: the longest one that the edit added. */
function askForFile({ path, before, after }: Edit, names: readonly string[], head: Head): readonly Question[] {
  const old = new Set(splitLines(before));
  const added = splitLines(after).filter((line) => !old.has(line) && line.length <= LONGEST_LINE);
  const line = added.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  const base = baseName(path);
  if (line.length < SHORTEST_LINE || base === '' || line.includes(base)) return [];
  return [buildQuestion('edit', `In which file was this line written? ${line}`, names, head)];
}

/** Asks for the new values of names that an edit changed. */
function askForChanges({ path, before, after }: Edit, head: Head): readonly Question[] {
  return findChangedValues(before, after).map(({ name, old, value }) =>
    buildQuestion('value', `In ${baseName(path)}, ${name} was changed from ${old} to which value?`, [value], head),
  );
}

/** Asks for the settings of a new file, and for those that an edit added. */
function askForSettings(path: string, before: string, after: string, head: Head): readonly Question[] {
  if (EXAMPLES.test(path)) return [];
  const earlierNames = new Set(findSettings(before).map(({ name }) => name));
  return findSettings(after)
    .filter(({ name }) => !earlierNames.has(name))
    .map(({ name, value }) =>
      buildQuestion('value', `In ${baseName(path)}, which value does ${name} have?`, [value], head),
    );
}

/** Documents and tests: the values in them are examples. */
const EXAMPLES = /\.(?:mdx?|txt|rst|adoc)$|(?:^|[/\\._-])(?:tests?|specs?|fixtures?|mocks?)(?=[/\\._-])/i;

function splitLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** UTF-16 code units: a shorter line is in many files. */
const SHORTEST_LINE = 20;

/** UTF-16 code units: a longer line is no sentence that can be asked. */
const LONGEST_LINE = 160;
