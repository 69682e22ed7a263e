import type { EnvelopeContent, ToolDefinition } from '#context/replay/content.js';
import { defineRule, type Hit, type PathStep, quoted } from '../define.js';
import { ANSWERED, assistant, HEADER, system, text, transform, user } from '../example.js';
import { isSame } from './prefix-change.js';

const READ = { name: 'read', description: 'Read a file' };
const BASH = { name: 'bash', description: 'Run a command' };
const [QUESTION, ANSWER] = ANSWERED;

export default defineRule({
  name: 'tool-order',
  group: 'cache',
  severity: 'warning',
  summary: 'The same tools are sent in another order, or written in another way',
  help:
    'Tools stand at the very beginning of a request. Where the same ones come in another order than in an earlier ' +
    'request, or with the keys or numbers of a schema written differently, nothing changes for the model, but the ' +
    'provider reads the whole request anew. Extensions that load at different speeds, and sets that are listed as they ' +
    'were filled, do that.\n\n' +
    'Sort the tools by name, and write a definition in one way, before they are declared.',
  example: {
    fires: toolsOf([BASH, READ]),
    silent: toolsOf([READ, BASH, { name: 'grep' }]),
  },
  looksAt: 'path',
  watch() {
    const requests = new ToolRequests();
    let tools: EnvelopeContent['tools'] = [];
    let changedBy: PathStep['head'] | null = null;
    return {
      step({ head, change }) {
        if (change && change.after.tools !== tools) {
          ({ tools } = change.after);
          changedBy = head;
        }
        if (head.role !== 'assistant' || !changedBy) return [];
        const said = requests.send(tools);
        return said === null ? [] : [hitOf(changedBy, said)];
      },
    };
  },
});

function toolsOf(tools: readonly { readonly name: string }[]): readonly ReturnType<typeof user>[] {
  return [
    HEADER,
    system('s1', null, { toolsAdded: [READ, BASH] }),
    { ...QUESTION, parentId: 's1' },
    { ...ANSWER },
    transform('t1', 'a1', { op: 'tools_replace', tools }),
    user('u2', 't1', 'And the tests?'),
    assistant('a2', 'u2', [text('They pass.')]),
  ];
}

/** The tools of one request after another. */
class ToolRequests {
  private last: EnvelopeContent['tools'] | null = null;
  /** How the tools of a set were sent last, by their sorted names. */
  private readonly sent = new Map<string, EnvelopeContent['tools']>();

  /** The tools that differ only in how they are written; null for none. */
  send(tools: EnvelopeContent['tools']): string | null {
    if (tools === this.last) return null;
    const before = this.last;
    this.last = tools;
    const names = JSON.stringify(tools.map(({ name }) => name).toSorted());
    const same = this.sent.get(names);
    this.sent.set(names, tools);
    if (same && same.some(({ name }, at) => name !== tools[at]?.name))
      return 'the same tools were sent in another order before';
    const rewritten = rewrittenTool(same ?? before ?? [], tools);
    if (rewritten === null) return null;
    return `the tool ${quoted(rewritten)} is the same as before, but written differently`;
  }
}

/** The first tool of which only the order of keys, or the like, changed. */
function rewrittenTool(before: EnvelopeContent['tools'], tools: EnvelopeContent['tools']): string | null {
  const byName = new Map(before.map((tool) => [tool.name, tool]));
  const isRewritten = (tool: ToolDefinition): boolean => {
    const old = byName.get(tool.name);
    return old !== undefined && old !== tool && isSame(old, tool) && JSON.stringify(old) !== JSON.stringify(tool);
  };
  return tools.find(isRewritten)?.name ?? null;
}

function hitOf(head: PathStep['head'], message: string): Hit {
  return { message, at: head, fix: 'sort the tools by name, and write each in one way' };
}
