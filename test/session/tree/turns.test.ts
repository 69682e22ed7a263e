import { describe, expect, it } from 'vitest';
import { answersRequest, countTurns, startsTurn } from '../../../src/session/tree/turns.js';
import { assistant, compaction, entry, type Entry, label, sessionOf, TALK, user } from '../../support/entries.js';

function message(role: unknown): Entry {
  return entry('message', 'm1', null, { message: { role, content: [] } });
}

describe('a turn', () => {
  it.each<[starts: boolean, name: string, entry: Entry]>([
    [true, 'a user message', message('user')],
    [true, 'a shell command of the user', message('bashExecution')],
    [true, 'a stored custom message', message('custom')],
    [true, 'a stored branch summary', message('branchSummary')],
    [true, 'a stored compaction summary', message('compactionSummary')],
    [true, 'a custom_message', entry('custom_message', 'c1', null, { content: 'x', display: false })],
    [true, 'a branch_summary', entry('branch_summary', 'b1', null, { summary: 'x' })],
    [false, 'a branch_summary that is empty', entry('branch_summary', 'b1', null, { summary: '' })],
    [false, 'a branch_summary without a summary', entry('branch_summary', 'b1', null)],
    [false, 'an assistant message', message('assistant')],
    [false, 'a tool result', message('toolResult')],
    [false, 'a system message', message('system')],
    [false, 'a message of an unknown role', message('mystery')],
    [false, 'a message without a role', message(undefined)],
    [false, 'a compaction', compaction('k1', null, 'k1')],
    [false, 'a label', label('l1', null, 'l1', 'x')],
    [false, 'custom state', entry('custom', 'c1', null, { message: { role: 'user' } })],
    [false, 'an unknown type', entry('future', 'f1', null, { message: { role: 'user' } })],
  ])('starts (%s) with %s', (starts, _name, value) => {
    const session = sessionOf(value);
    expect(startsTurn(session.tree.heads.at(0)!)).toBe(starts);
  });
});

describe('a request', () => {
  it.each([
    ['an assistant message', true, assistant('a1', null)],
    ['a failed answer', true, assistant('a1', null, [], { stopReason: 'error' })],
    ['an answer that Claude Code wrote', false, assistant('a1', null, [], { model: '<synthetic>' })],
    ['a copy of a reply in OpenClaw', false, assistant('a1', null, [], { model: 'delivery-mirror' })],
    ['a reply of a gateway of OpenClaw', false, assistant('a1', null, [], { model: 'gateway-injected' })],
    ['a user message', false, user('u1', null)],
    ['an entry of an unknown type', false, entry('future', 'f1', null, { message: { role: 'assistant' } })],
  ])('is answered by %s: %s', (_name, answers, value) => {
    expect(answersRequest(sessionOf(value).tree.heads.at(0)!)).toBe(answers);
  });
});

describe('turns and requests on a path', () => {
  it('are counted', () => {
    const session = sessionOf(...TALK, assistant('a3', 'a2'), compaction('k1', 'a3', 'u2'));
    expect(countTurns([...session.tree.heads])).toEqual({ turns: 2, requests: 3 });
    expect(countTurns([...session.tree.heads].slice(0, 1))).toEqual({ turns: 1, requests: 0 });
    expect(countTurns([])).toEqual({ turns: 0, requests: 0 });
  });
});
