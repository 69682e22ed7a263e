import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import { it } from 'vitest';
import { startClaude, startCodex, findFile, FREE } from './copies.js';
import { findClaudeCode, findCodex } from './installed.js';
import { png } from './pictures.js';
import { anthropicPieces } from './claude-code.js';
import { openaiPieces } from './codex.js';

type Rec = any;
const img = (b: Buffer, t = 'image/png') => ({ type: 'image', source: { type: 'base64', media_type: t, data: b.toString('base64') } });
const blocks = (r: Rec) => (Array.isArray(r.message?.content) ? r.message.content : []);
const isRes = (r: Rec) => blocks(r).some((b: any) => b.type === 'tool_result');
const isCall = (r: Rec) => r.type === 'assistant' && blocks(r).some((b: any) => b.type === 'tool_use');
const isThink = (r: Rec) => r.type === 'assistant' && blocks(r).some((b: any) => b.type === 'thinking');
const prompts = (rs: Rec[]) => rs.filter((r) => r.type === 'user' && typeof r.message?.content === 'string' && !r.isMeta && /^Print/.test(r.message.content));
const remove = (rs: Rec[], gone: Rec) => rs.filter((r) => r !== gone).map((r) => (r.parentUuid === gone.uuid ? { ...r, parentUuid: gone.parentUuid } : r));
const noReq = (rs: Rec[]) => rs;

const big = () => Buffer.concat([png(300, 300), randomBytes(4.2e6)]);
export const KINDS: Record<string, (rs: Rec[]) => Rec[] | string> = {
  sound: (rs) => rs,
  pixels: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, img(png(9000, 3))]; return rs; },
  pixelsResult: (rs) => { const r = rs.filter(isRes)[1]; blocks(r)[0].content = [img(png(9000, 3))]; return rs; },
  bytes: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, img(big())]; return rs; },
  many: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, ...Array.from({ length: 21 }, () => img(png(2100, 2)))]; return rs; },
  hundred: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, ...Array.from({ length: 101 }, (_, i) => img(png(20, 2, [i, 1, 1])))]; return rs; },
  mediaType: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, img(png(9, 3), 'image/jpeg')]; return rs; },
  noImage: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, img(Buffer.from('hello'), 'image/png')]; return rs; },
  emptyImage: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }]; return rs; },
  orphan: (rs) => remove(rs, rs.filter(isCall)[1]),
  unanswered: (rs) => remove(rs, rs.filter(isRes)[1]),
  unansweredEnd: (rs) => rs.slice(0, rs.indexOf(rs.filter(isRes)[4])),
  lateResult: (rs) => { const r = rs.filter(isRes)[1]; const out = remove(rs, r); const last = out.filter((x) => x.type === 'assistant').at(-1); return [...out, { ...r, parentUuid: last.uuid }]; },
  thinkingChangedOld: (rs) => { blocks(rs.filter(isThink)[0])[0].thinking = 'Other words.'; return rs; },
  thinkingChangedLast: (rs) => { blocks(rs.filter(isThink).at(-1))[0].thinking = 'Other words.'; return rs; },
  signatureEmpty: (rs) => { blocks(rs.filter(isThink)[0])[0].signature = ''; return rs; },
  signatureGone: (rs) => { delete blocks(rs.filter(isThink)[0])[0].signature; return rs; },
  signatureEmptyLast: (rs) => { blocks(rs.filter(isThink).at(-1))[0].signature = ''; return rs; },
  thinkingEnd: (rs) => { const last = rs.filter(isThink).at(-1); return rs.slice(0, rs.indexOf(last) + 1); },
  thinkingMiddle: (rs) => { const t = rs.filter((r) => r.type === 'assistant' && blocks(r).some((b: any) => b.type === 'text'))[1]; return remove(rs, t); },
  emptyText: (rs) => { const t = rs.filter((r) => r.type === 'assistant' && blocks(r).some((b: any) => b.type === 'text'))[1]; blocks(t)[0].text = ''; return rs; },
  emptyPrompt: (rs) => { prompts(rs)[1].message.content = ''; return rs; },
  emptyPromptBlock: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, { type: 'text', text: '' }]; return rs; },
  emptyPromptOnly: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: '' }]; return rs; },
  blankPrompt: (rs) => { prompts(rs)[1].message.content = [{ type: 'text', text: '  \n' }]; return rs; },
  emptyList: (rs) => { prompts(rs)[1].message.content = []; return rs; },
  emptyErrorResult: (rs) => { const b = blocks(rs.filter(isRes)[1])[0]; b.content = ''; b.is_error = true; return rs; },
  emptyResultBlock: (rs) => { const b = blocks(rs.filter(isRes)[1])[0]; b.content = [{ type: 'text', text: '' }]; return rs; },
  duplicateIds: (rs) => { const calls = rs.filter(isCall); const id = blocks(calls[0])[0].id; const old = blocks(calls[1])[0].id; blocks(calls[1])[0].id = id; for (const r of rs) for (const b of blocks(r)) if (b.tool_use_id === old) b.tool_use_id = id; return rs; },
  duplicateResult: (rs) => { const r = rs.filter(isRes)[1]; const at = rs.indexOf(r); const again = { ...structuredClone(r), uuid: '11111111-1111-4111-8111-111111111111', parentUuid: r.uuid }; const out = rs.map((x) => (x.parentUuid === r.uuid ? { ...x, parentUuid: again.uuid } : x)); return [...out.slice(0, at + 1), again, ...out.slice(at + 1)]; },
  duplicateResultSame: (rs) => { const r = rs.filter(isRes)[1]; const b = blocks(r); b.push(structuredClone(b[0])); return rs; },
  brokenParent: (rs) => { const p = prompts(rs)[2]; p.parentUuid = '22222222-2222-4222-8222-222222222222'; return rs; },
  brokenParentLast: (rs) => { const last = rs.filter((r) => r.type === 'assistant').at(-1); last.parentUuid = '22222222-2222-4222-8222-222222222222'; return rs; },
  cycle: (rs) => { const p = prompts(rs)[0]; const last = rs.filter((r) => r.type === 'assistant').at(-1); const first = rs.find((r) => r.uuid && r.parentUuid === null); first.parentUuid = last.uuid; return rs; },
  tornTail: (rs) => { const t = rs.map((r) => JSON.stringify(r)).join('\n'); const last = rs.filter((r) => r.type === 'assistant').at(-1); const upto = rs.slice(0, rs.indexOf(last) + 1).map((r) => JSON.stringify(r)).join('\n'); return upto.slice(0, -80); },
  tornMiddle: (rs) => { const at = rs.indexOf(rs.filter(isRes)[2]); return rs.map((r, i) => (i === at ? JSON.stringify(r).slice(0, 200) : JSON.stringify(r))).join('\n') + '\n'; },
  tooLong: (rs) => { const p = prompts(rs)[1]; p.message.content += ' word'.repeat(200_000); return rs; },
  tooLarge: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, ...Array.from({ length: 9 }, () => img(Buffer.concat([png(300, 300), randomBytes(2.9e6)])))]; return rs; },
  documents: (rs) => { const p = prompts(rs)[1]; p.message.content = [{ type: 'text', text: p.message.content }, { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from('hello').toString('base64') } }]; return rs; },
};

const version = process.env.V ?? '2.1.332';
const only = process.env.K?.split(',') ?? Object.keys(KINDS);
it('probes', async () => {
  const client = await startClaude(process.env.PROGRAM ?? findClaudeCode(version)!, version);
  const { provider } = client.client;
  try {
    const base = await client.play(false);
    const file = findFile(client, base);
    const text = readFileSync(file, 'utf8');
    provider.isStrict = true;
    writeFileSync(`/tmp/unbrick/base-${version}.jsonl`, text);
    for (const kind of only) {
      const id = crypto.randomUUID();
      const renamed = text.replaceAll(base, id);
      let rs: Rec[] = renamed.trimEnd().split('\n').map((l) => JSON.parse(l));
      if (process.env.NOREQ) rs = rs.filter((r) => !/^api-request|cost-state/.test(r.type));
      const made = KINDS[kind]!(rs);
      const out = typeof made === 'string' ? made : made.map((r) => JSON.stringify(r)).join('\n') + '\n';
      const name = file.replace(base, id);
      writeFileSync(name, out);
      if (process.env.SAVE) writeFileSync(`/tmp/unbrick/${kind}-${version}.jsonl`, out);
      const from = provider.requests.length;
      const conv = client.claude!.open(...FREE, '--resume', id);
      let result: any = null;
      try { await Promise.race([conv.only('Go on with the copy'), new Promise((_, no) => setTimeout(() => no(new Error('timeout')), 60000))]); result = conv.client.events.find((e) => e.type === 'result'); } catch (e) { result = { error: String(e) }; }
      const reqs = provider.requests.slice(from);
      const say = reqs.map((r) => {
        const ps = anthropicPieces(r.body);
        const n = (k: string) => ps.filter((p) => p.kind === k).length;
        return `${r.refusal ? 'REFUSED ' + r.refusal.slice(0, 110) : 'ok'} [msgs ${(r.body['messages'] as any[]).length} call ${n('call')} think ${n('thinking')} img ${n('image')} text ${n('text')}]`;
      });
      appendFileSync(`/tmp/unbrick/probe-${version}${process.env.NOREQ ? '-noreq' : ''}.txt`, `${kind}: ${result?.is_error ?? ''} ${String(result?.result ?? result?.error ?? '').slice(0, 140).replaceAll('\n', ' ')}\n${say.map((s) => '    ' + s).join('\n')}\n`);
    }
  } finally {
    await client.end();
  }
}, 1_200_000);
