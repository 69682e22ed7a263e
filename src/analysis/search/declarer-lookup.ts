import { isObject } from '#base/json.js';
import { once } from '#base/memoize.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import type { PatchOp } from '#context/replay/patch-op.js';
import { applySystemMessage } from '#context/replay/system-messages.js';
import type { Head } from '#session/heads/head.js';
import { listToolTexts } from './entry-texts.js';

/** The entry that declared a line of a system part or tool; null for what a baseline supplied. */
type DeclarerOf = (kind: Kind, name: string, line: string) => Head | null;

/** Finds the source of prompt lines: the newest entry in force whose own text contains the line. */
export function buildDeclarerLookup(
  session: OpenSession,
  path: readonly Head[],
  envelope: () => ContextEnvelope,
): DeclarerOf {
  const all = once(() => [...listDeclarations(session, path, envelope())]);
  /** The texts of each part and tool, by name. */
  const declarers = new Map<string, readonly Declarer[]>();
  const declaredOf = (kind: Kind, name: string): readonly Declarer[] => {
    const key = `${kind} ${name}`;
    const found =
      declarers.get(key) ??
      all().flatMap(({ head, content }) => toDeclared(head, listTextsOfName(content, kind, name)));
    declarers.set(key, found);
    return found;
  };
  return (kind, name, line) => {
    const declared = declaredOf(kind, name);
    return (declared.find(({ texts }) => texts.some((text) => text.includes(line))) ?? declared[0])?.head ?? null;
  };
}

type Kind = 'system' | 'tool';

interface Declarer {
  readonly head: Head;
  readonly texts: readonly string[];
}

function toDeclared(head: Head, texts: readonly string[]): readonly Declarer[] {
  return texts.length === 0 ? [] : [{ head, texts }];
}

interface Declaration {
  readonly head: Head;
  /** The texts of the entry itself. */
  readonly content: EnvelopeContent;
}

/** Newest first. A compaction drops earlier system messages, but not declarations of transforms. */
function* listDeclarations(
  session: OpenSession,
  path: readonly Head[],
  { meta }: ContextEnvelope,
): Generator<Declaration> {
  const compacting = new Set(meta.compactions.flatMap(({ line, shadowed }) => (shadowed ? [] : line)));
  const omitted = new Set(meta.edits.flatMap(({ targetId, effect }) => (effect === 'omit' ? targetId : [])));
  let isAbove = false;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (!head) continue;
    if (head.type === 'context_transform') {
      yield { head, content: applyDeclarations(session.readPatch(session.entry(head))) };
    } else if (!isAbove && head.role === 'system' && !omitted.has(String(head.id))) {
      const { message } = session.entry(head);
      if (isObject(message)) yield { head, content: applySystemMessage(EMPTY_ENVELOPE, message) };
    } else if (!isAbove && compacting.has(head.line)) {
      isAbove = true;
      const { systemMessage } = session.entry(head);
      if (isObject(systemMessage)) yield { head, content: applySystemMessage(EMPTY_ENVELOPE, systemMessage) };
    }
  }
}

function applyDeclarations(steps: readonly PatchOp[]): EnvelopeContent {
  let content = EMPTY_ENVELOPE;
  for (const step of steps) {
    if (step.ok && (step.region === 'system' || step.region === 'tools')) content = step.apply(content);
  }
  return content;
}

function listTextsOfName({ system, tools }: EnvelopeContent, kind: Kind, name: string): readonly string[] {
  return kind === 'system'
    ? system.parts.flatMap((part) => (part.name === name ? part.text : []))
    : tools.filter((tool) => tool.name === name).flatMap((tool) => Array.from(listToolTexts(tool), ({ text }) => text));
}
