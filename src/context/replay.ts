import { CtxError, type Problem, type Severity } from '../errors.js';
import { type Head, idText, type RawId } from '../session/head.js';
import type { Session } from '../session/session.js';
import { isObject } from '../session/values.js';
import { timeOf } from '../session/time.js';
import { contributionOf, isKnownToAddNothing } from './contribution.js';
import { isKnownRole } from './convert.js';
import { Declarations, type Sources } from './declarations.js';
import type { Baseline } from './baseline.js';
import type { EnvelopeContent } from './content.js';
import type { AppliedCompaction, AppliedEdit, AppliedTransform, Provenance } from './envelope.js';
import { MessageList } from './message-list.js';
import type { Contribution } from './slot.js';
import type { ReadPatch } from './patch-step.js';
import { displayOf } from './display.js';
import { transformAbove, transformerName } from './selection.js';

export interface ReplayOptions {
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
  /** true: an op that breaks a boundary rule is skipped with a diagnostic instead of ending the replay. */
  readonly lenient: boolean;
  /** From this entry of the path on, messages are counted and let go: of what is sent, only the size is known then. */
  readonly sizesFrom?: number;
}

/**
 * Walks a path from its root and keeps what a model would be shown after each entry. One instance walks one
 * path once: call `step` for the entries in order, and read the result after any of them.
 *
 * Messages follow Pi's own projection, entry by entry; patch ops change what is there. No hook code runs.
 */
export class Replay {
  readonly transforms: AppliedTransform[] = [];
  readonly compactions: AppliedCompaction[] = [];
  readonly diagnostics: Problem[] = [];
  private readonly edits: Head[] = [];
  private readonly messages = new MessageList();
  private readonly declarations: Declarations;
  /** Where an entry of the file stands on the path, counted from 1. */
  private readonly places: Uint32Array;

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
    private readonly options: ReplayOptions,
  ) {
    this.declarations = new Declarations(options.baseline);
    this.places = new Uint32Array(session.tree.heads.length);
    for (const [at, { index }] of path.entries()) this.places[index] = at + 1;
  }

  /** Takes in the entry at `index` of the path. Throws a CtxError (input) where a transform breaks a boundary rule. */
  step(head: Head, index: number): void {
    switch (head.type) {
      case 'message':
      case 'custom_message':
      case 'branch_summary':
        return this.takeMessage(head, index);
      case 'context_edit':
        return this.takeEdit(head, index);
      case 'context_transform':
        return this.takeTransform(head, index);
      case 'compaction':
        return this.takeCompaction(head, index);
      default:
        if (!isKnownToAddNothing(head.type))
          this.note(head, 'unknown-entry', `entries of type ${JSON.stringify(head.type)} add nothing to the context`);
    }
  }

  content(): EnvelopeContent {
    return { ...this.declarations.content(this.isOmitted), messages: { cached: this.messages.shown(), uncached: [] } };
  }

  /** Estimated tokens of the cached messages: what a system prompt and tools take is not in it. */
  messageTokens(): number {
    return this.messages.tokens();
  }

  provenance(): readonly Provenance[] {
    return this.messages.provenance();
  }

  sources(): Sources {
    return this.declarations.sources(this.isOmitted);
  }

  /** Tool names that system messages on the path have declared so far: Pi had them at run time. */
  recordedToolNames(): ReadonlySet<string> {
    return this.declarations.recordedToolNames;
  }

  /** The edits on the path, with what each does to the context as it is now. */
  appliedEdits(): readonly AppliedEdit[] {
    const effects = this.messages.effects();
    const systemMessages = this.declarations.messageSources();
    return this.edits.map((head) => {
      const { target } = head;
      const isInForce = this.messages.editOf(target)?.edit === head;
      const effect = systemMessages.has(target) && this.isOmitted(target) ? 'omit' : (effects.get(target) ?? 'none');
      return {
        entryId: idText(head.id),
        line: head.line,
        targetId: idText(target),
        effect: isInForce ? effect : 'none',
      };
    });
  }

  private readonly isOmitted = (id: RawId): boolean => this.messages.editOf(id)?.replacement === null;

  private takeMessage(head: Head, index: number): void {
    const message = contributionOf(this.session.entry(head));
    if (message === null) {
      if (head.type === 'message') this.note(head, 'no-message', 'the entry holds no message', 'warning');
    } else if (message['role'] === 'system') {
      this.declarations.addSystemMessage(head, message);
    } else {
      if (!isKnownRole(message['role']))
        this.note(head, 'unknown-role', `messages of role ${JSON.stringify(message['role'])} are not sent`);
      const contribution: Contribution = { head, index, kind: 'entry', message };
      if (index < (this.options.sizesFrom ?? Infinity)) this.messages.append(contribution);
      else this.messages.appendSize(contribution);
    }
  }

  private takeEdit(head: Head, index: number): void {
    const { replacement } = this.session.entry(head);
    if (replacement === undefined) {
      this.note(head, 'edit-without-replacement', 'the edit says neither null nor a replacement', 'error');
    }
    this.edits.push(head);
    this.declarations.forget();
    const isWhole = isObject(replacement) || replacement === null || replacement === undefined;
    this.messages.addEdit({ edit: head, index, replacement: isWhole ? replacement : {} });
  }

  private takeTransform(head: Head, index: number): void {
    const entry = this.session.entry(head);
    const names: string[] = [];
    const reasons = new Set<string>();
    for (const [at, step] of this.options.readPatch(entry).entries()) {
      if (!step.ok) {
        this.violation(head, at, step);
        continue;
      }
      names.push(step.name);
      if (step.reason !== null) reasons.add(step.reason);
      if (step.region === 'messages') this.messages.transform({ head, index, compacts: step.compacts }, step.apply);
      else this.declarations.addOp(step);
    }
    this.transforms.push({
      entryId: idText(head.id),
      line: head.line,
      transformerName: transformerName(entry),
      ops: names,
      invalidateCacheReasons: [...reasons],
      ...(isObject(entry['display']) ? { display: displayOf(entry['display']) } : {}),
    });
  }

  private violation(
    head: Head,
    at: number,
    { rule, message }: { readonly rule: string; readonly message: string },
  ): void {
    const id = idText(head.id);
    if (this.options.lenient)
      return this.note(head, `patch-${rule}`, `op ${at} of transform ${id} was skipped: ${message}`, 'error');
    throw new CtxError('input', message, {
      where: `${this.session.file}:${head.line}: entry ${id}, op ${at}, rule ${rule}`,
      hint: 'mend the patch, or skip such ops with --lenient',
    });
  }

  private takeCompaction(head: Head, index: number): void {
    const entry = this.session.entry(head);
    const shadowing = transformAbove(this.session, this.path, index);
    const { tokensBefore } = entry;
    this.compactions.push({
      entryId: idText(head.id),
      line: head.line,
      shadowed: shadowing !== null,
      firstKeptEntryId: idText(head.target),
      tokensBefore: typeof tokensBefore === 'number' ? tokensBefore : null,
    });
    if (shadowing) return this.messages.markDualWritten(shadowing);
    const target = this.session.tree.heads.targetAt(head.index);
    const place = this.places[target] ?? 0;
    const from = place === 0 || place > index ? null : place - 1;
    if (from === null && target !== -1 && head.target !== head.id) {
      this.note(
        head,
        'compaction-keeps-nothing',
        `it keeps from "${head.target}", which is not above it, so only its summary is left`,
        'warning',
      );
    }
    const message = {
      role: 'compactionSummary',
      summary: entry['summary'],
      tokensBefore,
      timestamp: timeOf(entry['timestamp']),
    };
    this.declarations.compact(head, isObject(entry['systemMessage']) ? entry['systemMessage'] : null, this.isOmitted);
    this.messages.compact({ head, index, kind: 'summary', message }, from);
  }

  private note(head: Head, code: string, message: string, severity: Severity = 'note'): void {
    this.diagnostics.push({ code, severity, message, line: head.line, entryId: idText(head.id) });
  }
}
