import { findAssumedWindow } from '#context/models/registry.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { readRecordedRequest } from '#context/size/recorded-request.js';
import { findWindowOverrun, readSessionWindow, selectWindow } from '#context/size/window.js';
import { describeWindowOverrun } from '#context/words/window-overrun.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, QUESTION, textContent } from '../example.js';

function answerWith(input: number) {
  const usage = { input, output: 2, totalTokens: input + 2 };
  return [HEADER, QUESTION, assistant('a1', 'u1', [textContent('Noted.')], { model: 'claude-haiku-4-5', usage })];
}

export default defineRule({
  name: 'usage-above-window',
  severity: 'warning',
  summary: 'The recorded tokens of a request are more than the context window',
  help:
    'A request and its answer have to fit in the context window of the model. If more tokens are recorded, one of the ' +
    'two figures is wrong: the client wrote totals of several requests, or tokens of another one, or the window is ' +
    'larger than recorded or listed. Shares of the window, zones and limits are wrong too.\n\n' +
    'The size of the window comes from `--limit`, else from `"limit"` in the configuration, else from the session, else ' +
    'from a list of models. The window that a session records is compared with the answers of its last model only.',
  example: { fires: answerWith(1_200_000), silent: answerWith(120_000) },
  looksAt: 'path',
  watch(_options, session, settings) {
    const ofSession = readSessionWindow(session);
    const last = activePath(session.tree).findLast((head) => answersRequest(head));
    const lastAnswer = last && readEntryMessage(session.entry(last));
    return {
      step({ head, entry }): readonly Hit[] {
        const message = answersRequest(head) ? readEntryMessage(entry) : null;
        const request = message?.role === 'assistant' ? readRecordedRequest({ ...message, role: 'assistant' }) : null;
        if (!message || !request) return [];
        const size = { recorded: request.total, method: request.isDerived ? 'derived' : 'recorded' } as const;
        const { provider, model: modelId } = message;
        const isOfLastModel = modelId === lastAnswer?.model;
        const model = typeof provider === 'string' && typeof modelId === 'string' ? { provider, modelId } : null;
        const found = findWindowOverrun(
          size,
          selectWindow(model, { assumedWindow: findAssumedWindow, ...settings }, isOfLastModel ? ofSession : null),
        );
        return found ? [{ message: describeWindowOverrun(found), at: { line: head.line, id: head.id } }] : [];
      },
    };
  },
});
