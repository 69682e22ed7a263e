import type { ReportData } from '../data.js';
import { showIndex } from './index-page.js';
import { showSession } from './session-page.js';

const element = document.getElementById('data');
// The program that writes the page has put it there.
const data = JSON.parse(element?.textContent ?? '') as ReportData;
if (data.kind === 'session') showSession(data);
else showIndex(data);
