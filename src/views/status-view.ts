import type { ContextEnvelope, ContextSize } from '../context/envelope.js';
import type { Asked } from '../prune/gate-session.js';
import type { Kind } from '../prune/history.js';
import type { Mode, Policy } from '../prune/policy.js';
import { beginOf, isWorse, type Zone, ZONES } from '../prune/zones.js';
import { type Block, type Doc, heading, line, type Span, span } from '../render/doc.js';
import { count, percent, plural } from './format.js';
import { askedText, ZONE_TONES } from './gate-view.js';
import { sizeSource, sizeText } from './size-words.js';

/** How a session stands with a policy. */
export interface Status {
  readonly title: string;
  readonly policy: Policy;
  /** The model's context window in tokens. */
  readonly limit: number;
  readonly size: ContextSize;
  readonly model: ContextEnvelope['meta']['model'];
  readonly zone: Zone;
  readonly mode: Mode;
  /** The names of the strategies of this zone. */
  readonly strategies: readonly string[];
  /** What stands in the context for what was dropped; null: nothing does. */
  readonly packet: Standing | null;
  readonly summaries: readonly Standing[];
  readonly pi: PiStatus;
  readonly gate: {
    readonly latch: Zone;
    readonly waitsFor: Asked | null;
    /** For so many turn ends to come nothing is asked for. */
    readonly cooldownTurns: number;
  };
}

/** A message that stands for others. */
export interface Standing {
  readonly kind: Kind;
  readonly entryId: string | null;
  readonly line: number;
  /** Estimated. */
  readonly tokens: number;
}

/** When Pi compacts by itself. */
export interface PiStatus {
  readonly enabled: boolean;
  /** So many tokens stay free. */
  readonly reserve: number;
  /** More than that is too much. */
  readonly threshold: number;
  /** Why it would do so before the next prompt; null: it would not. */
  readonly reason: 'overflow' | 'threshold' | null;
  /** Of the context, as Pi counts; null: it waits for the next answer. */
  readonly tokens: number | null;
}

/** A zone that is still to come. */
export interface NextZone {
  readonly zone: Zone;
  readonly begins: number;
  /** So many tokens more, and it begins. */
  readonly away: number;
}

/** The zones that are worse than the one the context is in, the next one first. */
export function zonesAhead({
  zone,
  limit,
  size,
  policy,
}: Pick<Status, 'zone' | 'limit' | 'size' | 'policy'>): readonly NextZone[] {
  return ZONES.filter((each) => isWorse(each, zone)).map((each) => {
    const begins = beginOf(each, limit, policy.thresholds);
    return { zone: each, begins, away: begins - size.tokens };
  });
}

export function statusDoc(status: Status): Doc {
  const { title, zone, size, model, limit, packet, summaries } = status;
  return [
    heading(1, title),
    labelled('mode', MODES[status.mode]),
    ...strategyLines(status.strategies),
    labelled('zone', span(zone, ZONE_TONES[zone])),
    labelled(
      'context',
      `${sizeText(size)} of ${plural(limit, 'token')} (${percent(size.tokens, limit)}): ${sizeSource(size, { model })}`,
    ),
    labelled('packet', ...(packet ? standing(packet) : ['none'])),
    ...(summaries.length === 0 ? [labelled('summaries', 'none')] : []),
    ...summaries.map((summary, at) =>
      labelled(at === 0 ? 'summaries' : '', `${SUMMARIES[summary.kind] ?? ''} `, ...standing(summary)),
    ),
    ...nextLines(status),
    labelled('Pi', piText(status.pi)),
    labelled('gate', gateText(status)),
  ];
}

function labelled(name: string, ...what: readonly (Span | string)[]): Block {
  return line(span(name.padEnd(11), 'faint'), ...what);
}

const MODES: Readonly<Record<Mode, string>> = {
  watch: 'watch: the policy does nothing in this zone',
  prune: 'prune: the policy asks for pruning',
  compact: 'compact: the policy asks for a compaction',
};

const MOST_CHARACTERS = 68;

/** What ctx prune does in this zone, on as many lines as that takes. */
function strategyLines(names: readonly string[]): Doc {
  const lines: string[] = [];
  for (const [at, name] of names.entries()) {
    const word = at === names.length - 1 ? name : `${name},`;
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > MOST_CHARACTERS) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((text, at) => labelled(at === 0 ? 'ctx prune' : '', text));
}

function standing({ entryId, line: at, tokens }: Standing): readonly (Span | string)[] {
  return [span(entryId ?? `line ${at}`, 'id'), `, ~${plural(tokens, 'token')}`];
}

const SUMMARIES: Readonly<Partial<Record<Kind, string>>> = {
  'compaction-summary': 'compaction',
  'branch-summary': 'branch',
};

function nextLines(status: Status): Doc {
  const ahead = zonesAhead(status);
  if (ahead.length === 0) return [labelled('next', 'nothing: this is the worst zone')];
  return ahead.map(({ zone, begins, away }, at) =>
    labelled(
      at === 0 ? 'next' : '',
      span(zone, ZONE_TONES[zone]),
      ` at ${plural(begins, 'token')}, ${count(away)} more`,
    ),
  );
}

function piText({ enabled, reserve, threshold, reason, tokens }: PiStatus): string {
  if (!enabled) return 'does not compact by itself: its settings switch that off';
  if (threshold <= 0) return `compacts before every prompt: ${plural(reserve, 'token')} are to stay free`;
  if (reason === 'overflow') return 'would compact now: the last request was too long';
  const above = `above ${plural(threshold, 'token')}`;
  if (reason === 'threshold') return `would compact now, ${above}`;
  if (tokens === null) return `compacts ${above}, once an answer has counted them`;
  return `compacts ${above}, ${count(threshold - tokens)} more`;
}

function gateText({ gate: { latch, waitsFor, cooldownTurns } }: Status): string {
  if (waitsFor !== null) return `latched: ${askedText(waitsFor)}`;
  if (latch !== 'green') return `latched in zone ${latch}: the tokens are on their way down`;
  return cooldownTurns === 0 ? 'open' : `cooldown: nothing is asked for in the next ${plural(cooldownTurns, 'turn')}`;
}
