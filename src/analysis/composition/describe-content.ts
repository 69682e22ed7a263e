import type { ContentLabel } from '#context/contents/kinds.js';
import { formatNameFirst, toRelativePath } from '#context/words/tool-call.js';

/** The name of a content within its kind. `cwd`: the folder of the session, which paths omit. */
export function describeContent({ kind, name }: ContentLabel, cwd: string): string {
  switch (kind) {
    case 'memory files':
      return name === null ? 'others' : formatNameFirst(toRelativePath(cwd, name));
    case 'tools':
      return name ?? 'built in';
    default:
      return name === null || name === '' ? 'others' : name;
  }
}

/** The name of a content where its kind is not said beside it. */
export function describeWithKind(content: ContentLabel, cwd: string): string {
  const { kind, name } = content;
  switch (kind) {
    case 'memory files':
      return name === null ? 'memory files' : describeContent(content, cwd);
    case 'tools':
      return name === null ? 'built-in tools' : `tools of ${name}`;
    case 'skills':
      return name === null ? 'the list of skills' : `skill ${name}`;
    case 'agents':
      return 'the list of agents';
    case 'prompt':
      return name === null || name === '' ? 'the prompt' : `${name} of the prompt`;
    case 'hooks':
      return name === null ? 'hooks' : `hook ${name}`;
    case 'reminders':
      return name === null ? 'reminders' : `reminder: ${name}`;
    default:
      return name ?? kind;
  }
}
