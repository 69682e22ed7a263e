import { buildReadingBlocks } from '#analysis/reading/reading-blocks.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { buildPlan } from '#change/plan/draft.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { previewMessage } from '#context/words/message-text.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { draftBranch, type DriveEnd } from '#lab/drive/transcript/draft-branch.js';
import { listCacheBreakpoints } from '#lab/injectors/cache-breakpoints.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { type Doc, flexible, gap, heading, left, line, right, type Span, span, table, verbatim } from '#ui/doc/doc.js';
import { renderReading } from '#ui/parts/message-view.js';
import { executePlan } from '../apply/execute-plan.js';
import type { Outcome } from '../define.js';
import type { RequestFormat } from '../export/formats/define.js';
import { exportFormats } from '../export/formats/index.js';
import { saveExport, toExportResult } from '../export/output.js';
import { addFlagRule, choiceFlag, type FlagValues, textFlag, toggleFlag } from '../flags.js';
import type { SessionToPlan } from '../session-to-plan.js';
import * as shared from '../shared-flags.js';

/** A request as an engine made it: each part, its contributor, its cost, and the text that the model reads. */
export function renderAssembly(assembly: AssemblyDocument, isFull: boolean): Doc {
  return [
    ...renderHead(assembly),
    gap,
    renderPlaced(assembly),
    ...cutLines(assembly),
    ...renderDeeds(assembly),
    ...(isFull ? renderFull(assembly) : [gap, renderMessageTable(assembly)]),
  ];
}

function renderHead(assembly: AssemblyDocument): Doc {
  const { engine, at, request, budget, tokens, overflow, refusals, promptAuthority, checkedTokens } = assembly;
  const used = budget === null ? '' : `, ${formatPercent(tokens.total, budget)} of ${pluralize(budget, 'token')}`;
  const over = overflow ? [span(', over the budget', 'error')] : [];
  const checked = promptAuthority === 'assembled' ? '' : `, ${formatCount(checkedTokens)} before it was assembled`;
  return [
    line(span(engine, 'strong'), `, request ${formatCount(request)} at `, span(at.entryId ?? 'the beginning', 'id')),
    line(`~${pluralize(tokens.total, 'token')}, estimated (${tokens.method})${used}${checked}`, ...over),
    ...refusals.map((refusal) => line(span(`a provider would reject it: ${refusal}`, 'error'))),
  ];
}

const WORDS: Readonly<Record<string, string>> = {
  entry: 'as recorded',
  shortened: 'shortened',
  summary: 'summary',
  engine: 'made by the engine',
};

function renderPlaced({ placed, tokens }: AssemblyDocument): Doc[number] {
  const rows = placed.map(({ by, place, cache, tokens: own, maxTokens, names, messages }) => [
    span(place === 'conversation' ? (WORDS[by] ?? by) : by, 'strong'),
    span(place, TONES[place]),
    span(cache ?? '', 'faint'),
    span(formatCount(own)),
    span(maxTokens === null ? '' : formatCount(maxTokens), 'faint'),
    span(place === 'conversation' ? pluralize(messages, 'message') : names.join(', '), 'faint'),
  ]);
  const sum = placed.reduce((all, row) => all + row.tokens, 0);
  // Titles of messages, brackets around lists, and the difference that rounding makes.
  const rest = tokens.total - sum;
  const frame =
    rest === 0 ? [] : [[span('frame', 'strong'), span(''), span(''), span(formatCount(rest)), span(''), span('')]];
  const total = [span('total', 'strong'), span(''), span(''), span(formatCount(tokens.total)), span(''), span('')];
  return table(
    [left('who'), left('where'), left('cached'), right('tokens'), right('budget'), flexible('what')],
    [...rows, ...frame, total],
  );
}

const TONES: Readonly<Record<AssemblyDocument['placed'][number]['place'], Span['tone']>> = {
  system: 'system',
  tools: 'tools',
  leading: 'messages',
  conversation: 'messages',
  tail: 'messages',
};

/** Nothing is cut without a word. */
function cutLines({ placed }: AssemblyDocument): Doc {
  const rows = placed.flatMap(({ by, cutFrom, maxTokens, leftOut }) => {
    if (cutFrom === null) return [];
    const without = leftOut.length === 0 ? '' : `, without ${leftOut.join(', ')}`;
    return [
      line(
        span(`  ${by}`, 'warning'),
        ` from ${formatCount(cutFrom)} to its budget of ${formatCount(maxTokens ?? 0)}${without}`,
      ),
    ];
  });
  return rows.length === 0 ? [] : [gap, line('cut:'), ...rows];
}

function renderDeeds({ deeds }: AssemblyDocument): Doc {
  const rows = deeds.map(({ request, kind, reason, tokensBefore, tokensAfter }) => {
    const sizes =
      tokensBefore === null || tokensAfter === null
        ? ''
        : `: ~${formatCount(tokensBefore)} → ~${formatCount(tokensAfter)}`;
    return line(span(`  request ${formatCount(request)}`, 'faint'), `  ${kind}, ${reason}${sizes}`);
  });
  return rows.length === 0 ? [] : [gap, line('on the way to it:'), ...rows];
}

function renderMessageTable({ messages, origins }: AssemblyDocument): Doc[number] {
  const all = [...messages.cached, ...messages.uncached];
  return table(
    [right('#'), left('role'), left('from'), right('tokens'), flexible('preview')],
    all.map((message, nth) => [
      span(String(nth + 1), 'faint'),
      span(message.role, message.role === 'user' ? 'strong' : 'plain'),
      renderOrigin(origins[nth]),
      span(formatCount(origins[nth]?.tokens ?? 0)),
      span(`${origins[nth]?.by === 'shortened' ? '[shortened] ' : ''}${previewMessage(message)}`),
    ]),
  );
}

function renderOrigin(origin: AssemblyDocument['origins'][number] | undefined): Span {
  return origin?.entryId ? span(origin.entryId, 'id') : span(origin?.by ?? '', 'faint');
}

function renderFull({ system, tools, messages, origins }: AssemblyDocument): Doc {
  const parts = system.parts.flatMap((part) => [gap, heading(3, part.name), verbatim(part.text)]);
  const all = [...messages.cached, ...messages.uncached];
  const messageBlocks = all.flatMap((message, nth) => [
    gap,
    line(span(`#${nth + 1} `, 'faint'), span(message.role, 'strong'), '  ', renderOrigin(origins[nth])),
    ...renderReading(buildReadingBlocks(message), true),
  ]);
  return [
    gap,
    heading(2, 'System'),
    ...parts,
    gap,
    heading(2, 'Tools'),
    verbatim(JSON.stringify(tools, null, 2), 'json'),
    gap,
    heading(2, 'Messages'),
    ...messageBlocks,
  ];
}

const formats = exportFormats.filter((format): format is RequestFormat => format.takes === 'request');

/** The flags that make a provider's request of the one that an engine builds. */
export const exportFlags = {
  export: choiceFlag(
    'FORMAT',
    formats.map(({ name }) => name),
    'print the request as ctx export does',
  ),
  model: { ...textFlag('NAME', 'the model of the exported request (default: the recorded one)'), needs: ['export'] },
};

interface ToExport {
  readonly session: OpenSession;
  readonly at: Head | null;
  readonly assembled: AssemblyDocument;
  /** The recorded context there. */
  readonly declared: ContextEnvelope;
}

type ExportFlags = Partial<FlagValues<typeof exportFlags & typeof shared.writingFlags>> & { readonly export: string };

/** The request of an engine in a format of `ctx export`, printed or in a new file. */
export async function exportAssembly(
  io: Io,
  { session, at, assembled, declared }: ToExport,
  flags: ExportFlags,
): Promise<Outcome> {
  const { export: name, model, output, force } = flags;
  const { system, tools, options, messages } = assembled;
  const envelope = { ...declared, system, tools, options, messages };
  const format = formats.find((each) => each.name === name);
  const breakpoints = assembled.placed.some(({ cache }) => cache !== null)
    ? { breakpoints: listCacheBreakpoints(assembled) }
    : {};
  const request = { session, at, envelope, model, maxTokens: undefined, ...breakpoints };
  const { pieces = [], problems = [] } = format?.write(request) ?? {};
  const all = [...declared.meta.diagnostics, ...problems];
  if (output === undefined) return { kind: 'pieces', pieces, end: () => ({ problems: all, file: session.file }) };
  const bytes = await saveExport(output, { io, force, format: name, pieces, like: session.file });
  const report = toExportResult({ format: name, output, sessions: 1, files: [{ file: output, bytes, rows: null }] });
  return { kind: 'single', item: report, problems: all, file: session.file };
}

const { output, force, ...inSession } = shared.writingFlags;

/** The flags that write what an engine did to the transcript. */
export const writeFlags = {
  write: {
    ...toggleFlag('append the compactions and rewrites of the engine, as a branch'),
    excludes: ['at', 'export'],
  },
  ...addFlagRule({ needs: ['write'] }, inSession),
  output: {
    ...output,
    help: 'write the exported request, or a copy of the session with the branch',
    needs: ['write', 'export'],
  },
  force: { ...force, needs: ['write', 'export'] },
};

/** Appends the branch that an engine leaves. */
export async function writeBranch(
  io: Io,
  { session, end }: { readonly session: SessionToPlan; readonly end: DriveEnd },
  flags: Parameters<typeof executePlan>[2],
): Promise<Outcome> {
  const { draft, leftOut } = draftBranch(session, end, io);
  const are = leftOut.length === 1 ? 'is' : 'are';
  const what = pluralize(leftOut.length, 'recorded compaction or transform', 'recorded compactions and transforms');
  const remarks = leftOut.length === 0 ? [] : [`${what} of messages ${are} left out: the engine did not make them`];
  return executePlan(io, { session, draft, plan: buildPlan(draft, 'engine run') }, { ...flags, remarks });
}
