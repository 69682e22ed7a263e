import { pluralize } from '#base/numbers.js';
import { type Doc, fileHeading, line, span } from '#ui/doc/doc.js';
import { renderOutput } from '../new-session.js';
import type { DescribedConversion } from './describe-loss.js';
import type { ImportDocument } from './document.js';

/** The size of a new session in words, and lines about what the conversion changed. */
interface ConversionWords {
  readonly what: string;
  readonly notes: Doc;
}

/** Renders a conversion: the agents, what does not carry over, what was changed, and the new file. */
export function renderConversion(
  data: ImportDocument,
  { from, to }: DescribedConversion,
  { what, notes }: ConversionWords,
): Doc {
  const { file, agentVersion, lostLines } = data;
  return [
    fileHeading(file),
    line(`${from}${agentVersion === null ? '' : ` ${agentVersion}`} → ${to}: ${what}`),
    ...renderLosses(data),
    ...notes,
    ...(lostLines > 0 ? [line(`${pluralize(lostLines, 'damaged line')} left out: see ctx check`)] : []),
    renderOutput(data),
  ];
}

/** Lists what does not carry over, on a line each; nothing if everything does. */
function renderLosses({ losses }: Pick<ImportDocument, 'losses'>): Doc {
  if (losses.length === 0) return [];
  return [line(span('does not carry over:', 'strong')), ...losses.map(({ text }) => line(`  ${text}`))];
}
