import type { Problem } from '#base/errors.js';
import { buildSpanProblem } from '../blocks.js';
import type { ClaudeRecords } from './records/records.js';

const PROBLEMS = {
  // The summaries with which the client replaces some messages (context collapse) are not replayed.
  collapsed: ['warning', 'the model saw a summary of some messages here, which are shown as they were before'],
  'inherited-context': [
    'warning',
    'the subagent began with the messages of the session that started it, which this file lacks',
  ],
  'late-report': [
    'warning',
    'the answer before this report is on no chain of parents: Claude Code sent it, and leaves it out once it resumes the session',
  ],
  'left-out-call': ['note', 'Claude Code leaves out a call without a result, or a result without a call before it'],
  'restated-context': [
    'note',
    'the kept messages are in an order that no path of the file has, so the context is repeated at the end',
  ],
} as const;

export function listProblemsAt(
  { fields }: ClaudeRecords,
  lines: readonly number[],
  code: keyof typeof PROBLEMS,
): readonly Problem[] {
  const [severity, message] = PROBLEMS[code];
  return lines.map((line) => buildSpanProblem(fields.span(line), code, severity, message));
}
