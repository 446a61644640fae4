/** The list of queues, by need, name or load. */
import { html, nothing } from '../lit-html.js';
import { chip, segments, more } from '../parts.js';
import { spark } from '../charts.js';
import { count, span, late, nearMinute, rate, visible } from '../format.js';
import { link, filter } from '../app.js';
import { segment } from '../api.js';

/** The cause in a few words. */
export function why(q) {
  switch (q.state === 'ontime' || q.state === 'idle' ? '' : q.cause) {
    case 'PAUSED': return [q.pausedBy, q.pauseReason].filter(Boolean).join(': ');
    case 'RATE_LIMIT': return rate(q.limits);
    case 'CONCURRENCY_LIMIT': return `${count(q.limits.concurrency)} at once`;
    case 'NO_WORKER': return 'no worker';
    case 'WORKERS_PAUSED': return 'its workers are paused';
    case 'BUSY_HANDLERS': return 'all handlers are busy';
    case 'LOST_LEASES': return 'workers lose leases';
    case 'POISON_MESSAGE': return 'one message comes again and again';
    case 'CLOCK': return 'clocks differ';
    case undefined: case '': case 'NONE': return '';
    default: return q.cause.toLowerCase().replaceAll('_', ' ');
  }
}

/** What will make a queue late that is on time now. */
const soon = ({ data: { expected: e } }, q) => (e?.queue === q.queue ? `limited at ${nearMinute(e.at)}: up to ${span(e.lateMillis)} late` : '');

const SORTS = [['attention', 'Need attention'], ['name', 'By name'], ['busiest', 'Busiest']];

export function queueTable(c, queues, { title, sub, sort }) {
  return html`<section class="card"><header><h2>${title}</h2><span class="sub">${sub}</span><span class="end">${segments(SORTS, sort, (s) => filter({ sort: s === 'attention' ? null : s, cursor: null }))}</span></header>
    <div class="scroll" tabindex="0" role="region" aria-label=${title}><table><thead><tr><th>Queue</th><th>State</th><th class="opt">Due in the next hour</th><th class="n opt">Scheduled</th><th class="n">Ready</th><th class="n opt">Running</th><th class="n opt">Lateness p50</th><th class="n">p99</th><th class="n">Dead</th></tr></thead>
      <tbody>${queues.map((q) => {
        const to = `q/${segment(q.queue)}`;
        return html`<tr class=${q.state === 'late' ? 'hot' : ''} data-to=${to}><td class="id"><a class="q" href=${link(to)}>${visible(q.queue)}</a></td>
          <td>${chip(q.state)}<span class="under">${why(q) || soon(c, q)}</span></td>
          <td class="opt">${spark(q.due)}</td><td class="n opt">${count(q.scheduled)}</td>
          <td class="n">${q.overdueMillis > 1000 ? html`<span class="bad">${count(q.ready)}</span>` : count(q.ready)}${q.ready ? html`<span class="under">oldest ${span(q.overdueMillis)}</span>` : nothing}</td>
          <td class="n opt">${count(q.leased)}${q.workers ? ` of ${count(q.concurrency)}` : ''}</td>
          <td class="n opt">${late(q.lateness?.p50Millis)}</td><td class="n">${q.lateness?.p99Millis > 1000 ? html`<span class="bad">${late(q.lateness.p99Millis)}</span>` : late(q.lateness?.p99Millis)}</td>
          <td class="n">${q.dead ? html`<a class="bad" href=${link(`${to}/dead`)}>${count(q.dead)}</a>` : '0'}</td></tr>`;
      })}</tbody></table></div></section>`;
}

export const queues = {
  title: () => 'Queues',
  every: 5000,
  load: ({ api, query, signal }) => api.page('overview/queues', 'queues', { prefix: query.get('prefix'), sort: query.get('sort') ?? 'attention', cursor: query.get('cursor'), limit: 100 }, signal),
  view(c) {
    const prefix = c.query.get('prefix') ?? '', page = c.data;
    return html`<div class="title"><h1 tabindex="-1">Queues</h1><div class="buttons"><label class="field"><span class="vh">Names that begin with</span><input class="in" type="search" data-key="filter" placeholder="names that begin with …" .value=${prefix} @change=${(e) => filter({ prefix: e.target.value, cursor: null })} /></label></div></div>
      ${page.queues.length ? queueTable(c, page.queues, { title: 'All queues', sub: prefix ? `names that begin with “${prefix}”` : '', sort: c.query.get('sort') ?? 'attention' })
        : html`<section class="card empty"><p>${prefix ? `No queue begins with “${prefix}”.` : 'No queue has a message yet.'}</p></section>`}
      ${page.next || c.query.get('cursor') ? html`<div class="more">${c.query.get('cursor') ? html`<button class="btn small" @click=${() => filter({ cursor: null })}>First page</button>` : nothing}${page.next ? html`<button class="btn small" @click=${() => filter({ cursor: page.next }, false)}>Next page</button>` : nothing}</div>` : nothing}`;
  },
};
