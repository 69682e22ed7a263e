import { readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import { it } from 'vitest';
import { startCodex, findFile } from './copies.js';
import { findCodex } from './installed.js';
import { png } from './pictures.js';
import { openaiPieces } from './codex.js';
type Rec = any;
const P = (r: Rec) => r.payload ?? r;
const items = (rs: Rec[]) => rs.filter((r) => r.type === 'response_item');
const ofType = (rs: Rec[], t: RegExp) => items(rs).filter((r) => t.test(P(r).type));
const prompt = (rs: Rec[]) => items(rs).filter((r) => P(r).type === 'message' && P(r).role === 'user' && JSON.stringify(r).includes('Print more'))[0];
const img = (b: Buffer, t = 'image/png') => ({ type: 'input_image', image_url: `data:${t};base64,${b.toString('base64')}` });
const KINDS: Record<string, (rs: Rec[]) => Rec[] | string> = {
  sound: (rs) => rs,
  mediaType: (rs) => { P(prompt(rs)).content.push(img(png(9, 3), 'image/bmp')); return rs; },
  noImage: (rs) => { P(prompt(rs)).content.push(img(Buffer.from('hello'))); return rs; },
  pixels: (rs) => { P(prompt(rs)).content.push(img(png(9000, 3))); return rs; },
  orphan: (rs) => { const c = ofType(rs, /_call$/)[1]; return rs.filter((r) => r !== c); },
  unanswered: (rs) => { const c = ofType(rs, /_output$/)[1]; return rs.filter((r) => r !== c); },
  encrypted: (rs) => { const c = ofType(rs, /reasoning/)[1]; P(c).encrypted_content = 'gAAAAA'; return rs; },
  encryptedGone: (rs) => { const c = ofType(rs, /reasoning/)[1]; P(c).encrypted_content = 'REDACTED'; return rs; },
  duplicateIds: (rs) => { const c = ofType(rs, /_call$/); const o = ofType(rs, /_output$/); P(c[1]).call_id = P(c[0]).call_id; P(o[1]).call_id = P(c[0]).call_id; return rs; },
  duplicateResult: (rs) => { const o = ofType(rs, /_output$/)[1]; return rs.flatMap((r) => (r === o ? [r, structuredClone(r)] : [r])); },
  emptyPrompt: (rs) => { P(prompt(rs)).content = []; return rs; },
  tornTail: (rs) => rs.map((r) => JSON.stringify(r)).join('\n').slice(0, -60),
  tornMiddle: (rs) => { const o = ofType(rs, /_output$/)[1]; return rs.map((r) => (r === o ? JSON.stringify(r).slice(0, 90) : JSON.stringify(r))).join('\n') + '\n'; },
  tornHeader: (rs) => rs.map((r, i) => (i === 0 ? JSON.stringify(r).slice(0, 200) : JSON.stringify(r))).join('\n') + '\n',
  tooLong: (rs) => { P(prompt(rs)).content[0].text += ' word'.repeat(300_000); return rs; },
};
it('probes', async () => {
  const client = await startCodex(findCodex('0.171.0')!);
  const { provider } = client.client;
  try {
    const base = await client.play(false);
    const file = findFile(client, base);
    const text = readFileSync(file, 'utf8');
    provider.isStrict = true;
    writeFileSync('/tmp/unbrick/base-codex.jsonl', text);
    let n = 0;
    for (const kind of Object.keys(KINDS)) {
      n += 1;
      const id = base.slice(0, -3) + String(100 + n);
      const rs: Rec[] = text.replaceAll(base, id).trimEnd().split('\n').map((l) => JSON.parse(l));
      const made = KINDS[kind]!(rs);
      const out = typeof made === 'string' ? made : made.map((r) => JSON.stringify(r)).join('\n') + '\n';
      writeFileSync(file.replace(base, id), out);
      writeFileSync(`/tmp/unbrick/${kind}-codex.jsonl`, out);
      const from = provider.requests.length;
      let said = '';
      try {
        const c = client.codex!.launch(['exec', '--skip-git-repo-check', '--json', 'resume', id, 'Go on with the copy']);
        await Promise.race([c.end(), new Promise((_, no) => setTimeout(() => no(new Error('timeout')), 60000))]);
        said = c.events.slice(-2).map((e) => JSON.stringify(e).slice(0, 200)).join(' ');
      } catch (e) { said = String(e).slice(0, 160); }
      const say = provider.requests.slice(from).map((r) => {
        const ps = openaiPieces(r.body);
        const k = (x: string) => ps.filter((p) => p.kind === x).length;
        return `${r.refusal ? 'REFUSED ' + r.refusal.slice(0, 110) : 'ok'} [call ${k('call')} think ${k('thinking')} img ${k('image')} text ${k('text')}]`;
      });
      appendFileSync('/tmp/unbrick/probe-codex.txt', `${kind}: ${said}\n${say.map((s) => '    ' + s).join('\n')}\n`);
    }
  } finally { await client.end(); }
}, 600_000);
