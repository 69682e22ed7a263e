import {
  buildExamPrompt,
  countScores,
  type LossQuestions,
  type Reply,
  type ScoredQuestion,
  scoreReply,
} from '#analysis/loss/exam-scores.js';
import { buildExam, type Exam } from '#analysis/loss/exam.js';
import { isEncryptedSummary } from '#analysis/loss/hollow.js';
import { formatQuestions, parseQuestions, type Question } from '#analysis/loss/question-file.js';
import { CtxError } from '#base/errors.js';
import { readTextFile } from '#cli/read-json.js';
import type { OpenSession } from '#context/open.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { describeFailedRun, readProgramLine } from '#platform/program-line.js';
import { formatId, type Head } from '#session/heads/head.js';
import { addFlagRule, type FlagValues, positiveFlag, textFlag, toggleFlag } from '../flags.js';

const SECONDS = 60;

export const questionFlags = {
  questions: {
    ...textFlag('FILE', 'ask questions about what the compaction removed: those of FILE, or new ones, saved as FILE'),
    excludes: ['all', 'fail-on', 'pi'],
  },
  ...addFlagRule(
    { needs: ['questions'] },
    {
      'model-command': textFlag(
        'LINE',
        "a program that gets the summary and one question, and prints the answer, such as 'llm -m MODEL'",
      ),
    },
  ),
  ...addFlagRule(
    { needs: ['model-command'] },
    {
      shell: toggleFlag('run --model-command in a shell'),
      'model-timeout': positiveFlag('SECONDS', `time limit for an answer in seconds (default: ${SECONDS})`),
    },
  ),
};

type QuestionFlags = Partial<FlagValues<typeof questionFlags>> & { readonly questions: string };

/**
 * Asks the questions of a file about a compaction, or makes them and writes that file. Throws a CtxError (usage) without a
 * compaction, (input) for an encrypted summary, for a file without questions, and if the command cannot be started.
 */
export async function askQuestions(
  io: Io,
  session: OpenSession,
  at: Head | null,
  flags: QuestionFlags,
): Promise<LossQuestions> {
  const exam = at && buildExam(session, at);
  if (!exam)
    throw new CtxError('usage', 'no compaction to ask about', {
      where: session.file,
      hint: 'ctx log shows the compactions of a session',
    });
  const { boundary, summary } = exam;
  if (isEncryptedSummary(summary))
    throw new CtxError('input', 'the summary is encrypted, so that it cannot be examined', {
      where: `${session.file}:${boundary.line}`,
      hint: 'examine a compaction with a readable summary: ctx loss SESSION REV --questions FILE',
    });
  const { questions, isWritten } = await openQuestions(io, flags.questions, exam);
  const scored = await askAndScore(io, summary, questions, flags);
  return {
    schema: 'ctx/loss-questions',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    boundary: { entryId: formatId(boundary.id), line: boundary.line, type: boundary.type },
    file: flags.questions,
    isWritten,
    ...countScores(scored),
    failed: scored.filter(({ failure }) => failure !== null).length,
    questions: [...scored],
  };
}

async function openQuestions(
  { files }: Io,
  file: string,
  { questions, boundary }: Exam,
): Promise<{ readonly questions: readonly Question[]; readonly isWritten: boolean }> {
  if (file === '-' || files.exists(file))
    return { questions: parseQuestions(await readTextFile(files, file), file), isWritten: false };
  if (questions.length === 0)
    throw new CtxError('input', 'the compaction removed nothing that makes a question', {
      where: `line ${boundary.line}`,
      hint: 'write questions of your own, {"question":"…","answers":["…"]} on each line',
    });
  await writeNewFile(files.createNew, file, formatQuestions(questions), { force: false, like: null, isPrivate: true });
  return { questions, isWritten: true };
}

async function askAndScore(
  io: Io,
  summary: string,
  questions: readonly Question[],
  flags: QuestionFlags,
): Promise<readonly ScoredQuestion[]> {
  const ask = buildAsker(io, flags);
  const scored: ScoredQuestion[] = [];
  // One after the other: many model servers answer one request at a time.
  for (const question of questions)
    scored.push(scoreReply(question, summary, ask && (await ask(buildExamPrompt(summary, question)))));
  return scored;
}

/** Asks the command of the user; null without one. */
function buildAsker(io: Io, flags: QuestionFlags): ((input: string) => Promise<Reply>) | null {
  const commandLine = flags['model-command'];
  if (commandLine === undefined) return null;
  const isForShell = flags.shell ?? false;
  const program = readProgramLine(commandLine, isForShell, 'the model');
  const timeLimit = (flags['model-timeout'] ?? SECONDS) * 1000;
  return async (input) => {
    const run = await io.untilInterrupted((signal) => io.runProgram({ program, isForShell, input, timeLimit }, signal));
    const failure = describeFailedRun(run, 'the model', timeLimit);
    if (failure === null) return { text: run.stdout.trim() };
    // Neither would answer the next question.
    if (run.failure === 'not-started' || run.failure === 'cancelled')
      throw new CtxError('input', failure, { where: program[0], hint: 'check the command, and run it by itself' });
    return { failure };
  };
}
