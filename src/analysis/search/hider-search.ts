import { once } from '#base/memoize.js';
import type { OpenSession } from '#context/open.js';
import { applyEdit, readEditReplacement } from '#context/replay/apply-edit.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, readSummaryMessage, toLlmMessage } from '#context/replay/convert.js';
import { buildHeadKey, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { collectFormChanges, type ContextState, isEditedForm, type SentForm } from './context-changes.js';
import { listPreambleStates } from './preamble-states.js';
import { buildTextForm, containsLine, EMPTY_FORM, listSentMessageTexts, type TextForm } from './text-form.js';

/**
 * Finds the entry that hid a line of a path from its context. Of all entries that omit the line, it is the one after
 * which the line was gone. The path is walked once, on the first call.
 */
export class HiderSearch {
  private readonly places = once(() => new Map(this.path.map(({ index }, at) => [index, at])));
  private readonly changes = once(() => collectFormChanges(this.session, this.path));
  private readonly declared = once(() => listPreambleStates(this.session, this.path));
  /** Lines are requested entry by entry, so the texts of the last one are cached. */
  private last: { readonly index: number; readonly forms: Forms } | null = null;

  constructor(
    private readonly session: OpenSession,
    private readonly path: readonly Head[],
  ) {}

  /** The entry that hid a line which another entry showed to the model; null if there is none, or it is unknown. */
  findHider(head: Head, line: string): Head | null {
    const at = this.places().get(head.index);
    if (at === undefined) return null;
    switch (head.type) {
      case 'message':
        return head.role === 'system' ? this.findHiderOfDeclared(at, line) : this.findHiderOfMessage(head, line);
      case 'custom_message':
      case 'branch_summary':
        return this.findHiderOfMessage(head, line);
      case 'context_edit':
        return this.findHiderOfEdit(head, line);
      case 'context_transform':
        return this.findHiderOfTransform(at, line);
      case 'compaction':
        return findRepeatedTransform(this.session, this.path, at)
          ? this.findHiderOfTransform(at - 1, line)
          : (this.findHiderOfMessage(head, line) ?? this.findHiderOfDeclared(at, line));
      default:
        return null;
    }
  }

  private buildFormsFor(head: Head): Forms {
    if (this.last?.index !== head.index) this.last = { index: head.index, forms: buildForms(this.session, head) };
    return this.last.forms;
  }

  private findHiderOfMessage(head: Head, line: string): Head | null {
    const form = this.buildFormsFor(head);
    const changes = this.changes().byEntry.get(buildHeadKey(head)) ?? [];
    const steps = changes.map((change) => ({ by: change.by, isHeld: containsLine(form(change.form), line) }));
    return findLastRemoval([{ by: head, isHeld: containsLine(form('stored'), line) }, ...steps])?.by ?? null;
  }

  private findHiderOfEdit(edit: Head, line: string): Head | null {
    const { heads } = this.session.tree;
    const target = heads.at(heads.targetAt(edit.index));
    if (!target || !containsLine(this.buildFormsFor(target)(edit), line)) return null;
    const steps = (this.changes().byEntry.get(buildHeadKey(target)) ?? []).map(({ by, form }) => ({
      by,
      isHeld: isEditedForm(form) && form.index === edit.index,
    }));
    return findLastRemoval(steps)?.by ?? null;
  }

  /** The lines of a transform may be in the prompt, in a tool, or in an earlier message. */
  private findHiderOfTransform(at: number, line: string): Head | null {
    const removal = this.changes().removals.findLast((one) => one.at > at && containsLine(one.form(), line));
    const declaration = this.findLastDeclared(at, line);
    if (!removal || !declaration) return (removal ?? declaration)?.by ?? null;
    return removal.at > declaration.at ? removal.by : declaration.by;
  }

  private findHiderOfDeclared(at: number, line: string): Head | null {
    return this.findLastDeclared(at, line)?.by ?? null;
  }

  private findLastDeclared(from: number, line: string): ContextState | null {
    const states = this.declared().filter(({ at }) => at >= from);
    return findLastRemoval(states.map((state) => ({ ...state, isHeld: containsLine(state.form(), line) })));
  }
}

interface PresenceStep {
  readonly by: Head;
  readonly isHeld: boolean;
}

/** The step after which a present line was absent; null if it never was present, or is at the end. */
function findLastRemoval<Step extends PresenceStep>(steps: Iterable<Step>): Step | null {
  let wasHeld = false;
  let loss: Step | null = null;
  for (const step of steps) {
    if (step.isHeld) loss = null;
    else if (wasHeld) loss = step;
    wasHeld = step.isHeld;
  }
  return loss;
}

type Forms = (form: SentForm) => TextForm;

function buildForms(session: Session, head: Head): Forms {
  const entry = session.entry(head);
  const contribution = readEntryMessage(entry);
  const added = head.type === 'compaction' ? readSummaryMessage(entry) : contribution;
  const stored = once(() => toSentForm(added && toLlmMessage(added)));
  let last: { readonly index: number; readonly form: TextForm } | null = null;
  return (form) => {
    if (!isEditedForm(form)) return form === 'stored' ? stored() : EMPTY_FORM;
    if (last?.index === form.index) return last.form;
    const message = contribution && applyEdit(contribution, readEditReplacement(session.entry(form)) ?? null);
    last = { index: form.index, form: toSentForm(message && toLlmMessage(message)) };
    return last.form;
  };
}

function toSentForm(message: LlmMessage | null): TextForm {
  return message ? buildTextForm(listSentMessageTexts([message])) : EMPTY_FORM;
}
