import { isJsonEqual } from '#base/canonical-json.js';
import type { EnvelopeContent, ToolDefinition } from '#context/replay/content.js';
import { defineRule, type Example, type Hit, type PathEntry, quoteValue } from '../define.js';
import { ANSWER, assistant, HEADER, QUESTION, system, textContent, transform, user } from '../example.js';

const READ = { name: 'read', description: 'Read a file' };

const BASH = { name: 'bash', description: 'Run a command' };

export default defineRule({
  name: 'tool-order',
  severity: 'warning',
  summary: 'The same tools are sent in a different order or notation',
  help:
    'Tools are at the beginning of a request. If the same tools come in a different order than before, or the keys ' +
    'or numbers of a schema are written differently, nothing changes for the model, but the whole request is a ' +
    'cache miss. Extensions that load at different speeds cause this, and so do sets that are listed in insertion ' +
    'order.\n\n' +
    'Sort the tools by name, and serialise each definition consistently, before you declare them.',
  example: {
    fires: replaceTools([BASH, READ]),
    silent: replaceTools([READ, BASH, { name: 'grep' }]),
  },
  looksAt: 'path',
  watch() {
    const requests = new ToolRequests();
    let tools: EnvelopeContent['tools'] = [];
    let changedBy: PathEntry['head'] | null = null;
    return {
      step({ head, change }) {
        if (change && change.after.tools !== tools) {
          ({ tools } = change.after);
          changedBy = head;
        }
        if (head.role !== 'assistant' || !changedBy) return [];
        const message = requests.send(tools);
        return message === null ? [] : [buildHit(changedBy, message)];
      },
    };
  },
});

function replaceTools(tools: readonly { readonly name: string }[]): Example {
  return [
    HEADER,
    system('s1', null, { toolsAdded: [READ, BASH] }),
    { ...QUESTION, parentId: 's1' },
    ANSWER,
    transform('t1', 'a1', { op: 'tools_replace', tools }),
    user('u2', 't1', 'And the tests?'),
    assistant('a2', 'u2', [textContent('They pass.')]),
  ];
}

/** The tools of the requests so far. */
class ToolRequests {
  private last: EnvelopeContent['tools'] | null = null;
  /** The tools of each set as they were last sent, by their sorted names. */
  private readonly sent = new Map<string, EnvelopeContent['tools']>();

  /** Takes the tools of a request. Returns a message if they differ only in order or notation; else null. */
  send(tools: EnvelopeContent['tools']): string | null {
    if (tools === this.last) return null;
    const before = this.last;
    this.last = tools;
    const names = JSON.stringify(tools.map(({ name }) => name).toSorted());
    const same = this.sent.get(names);
    this.sent.set(names, tools);
    if (same && same.some(({ name }, at) => name !== tools[at]?.name))
      return 'the same tools were sent in a different order before';
    const rewritten = findRewrittenTool(same ?? before ?? [], tools);
    if (rewritten === null) return null;
    return `the tool ${quoteValue(rewritten)} is the same as before, but serialised differently`;
  }
}

/** The first tool that changed only in its serialisation, such as the order of keys. */
function findRewrittenTool(before: EnvelopeContent['tools'], tools: EnvelopeContent['tools']): string | null {
  const byName = new Map(before.map((tool) => [tool.name, tool]));
  const isRewritten = (tool: ToolDefinition): boolean => {
    const old = byName.get(tool.name);
    return old !== undefined && old !== tool && isJsonEqual(old, tool) && JSON.stringify(old) !== JSON.stringify(tool);
  };
  return tools.find(isRewritten)?.name ?? null;
}

function buildHit(head: PathEntry['head'], message: string): Hit {
  return { message, at: head, fix: 'sort the tools by name, and serialise each consistently' };
}
