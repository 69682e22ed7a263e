import type { IndexReport } from '#analysis/report/document.js';
import type { StreamedReport } from '#analysis/report/session-report.js';
import { toVisibleLine } from '#base/visible.js';
import { renderJsonPieces } from '../doc/json.js';
import { page } from './page-bundle.js';

/** A self-contained page, in pieces. It makes no requests, and runs only its own script. */
export function* renderReportPage(data: StreamedReport | IndexReport): Generator<string> {
  const name = data.kind === 'session' ? data.title : `Sessions in ${data.folder}`;
  const title = escapeHtml(toVisibleLine(name.slice(0, LONGEST_TITLE)));
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="ctx ${escapeHtml(data.version)}">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${page.style}</style>
</head>
<body>
<noscript><h1>${title}</h1><p>This report needs JavaScript. Allow scripts for this page.</p></noscript>
<script type="application/json" id="data">`;
  // The data cannot close its script element.
  for (const piece of renderJsonPieces(data, LAYOUT)) yield piece.replaceAll('<', '\\u003c');
  yield `</script>
<script>${page.script}</script>
</body>
</html>
`;
}

const LONGEST_TITLE = 200;
const LAYOUT = { indent: 0, write: JSON.stringify, entries: Object.entries, deepest: 2 } as const;

const POLICY = [
  "default-src 'none'",
  `script-src '${page.scriptHash}'`,
  `style-src '${page.styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
