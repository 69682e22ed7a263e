import { readPatch } from '#context/ops/read-patch.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { defineRule, type Hit, type PathEntry, type Rule, type RuleDefinition } from '../define.js';

/** Defines a rule that reports the operations which break one requirement of replay. */
export function definePatchRule(
  about: Pick<Rule, 'name' | 'severity' | 'summary' | 'help' | 'example'>,
): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'path',
    watch: () => ({ step: (step) => listPatchFaultHits(step, about.name) }),
  });
}

const NONE: readonly never[] = [];

function listPatchFaultHits({ head, entry: stored, diagnostics }: PathEntry, name: string): readonly Hit[] {
  if (diagnostics.length === 0 || head.type !== 'context_transform') return NONE;
  return listPatchFaults(stored, head).flatMap(({ rule, hit }) => (rule === name ? hit : []));
}

interface PatchFault {
  /** The rule of `ctx check` that reports it. */
  readonly rule: string;
  readonly hit: Hit;
}

export function listPatchFaults(stored: Entry, head: Head): readonly PatchFault[] {
  const { patch } = stored;
  const isList = Array.isArray(patch);
  return readPatch(stored).flatMap((step, at) => {
    if (step.ok) return [];
    const { rule, message } = step;
    const opPlace = isList ? `patch[${at}]` : 'patch';
    const place = rule === 'schema-version' ? 'schemaVersion' : opPlace;
    return [{ rule: `patch-${rule}`, hit: { message, at: head, place, fix: FIX } }];
  });
}

const FIX = 'repair the operation, or pass --lenient to skip it';
