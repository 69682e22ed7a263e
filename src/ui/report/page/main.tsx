import { render } from 'preact/compat';
import type { ReportData } from '#analysis/report/document.js';
import { IndexPage } from './index-page.js';
import { SessionPage } from './session-page.js';

// ctx writes the data into the page.
const data = JSON.parse(document.getElementById('data')?.textContent ?? '') as ReportData;
document.body.replaceChildren();
render(data.kind === 'session' ? <SessionPage data={data} /> : <IndexPage data={data} />, document.body);
