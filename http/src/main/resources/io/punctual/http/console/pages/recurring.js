/** Recurring messages with their next runs. */
import { html, nothing } from '../lit-html.js';
import { at } from '../parts.js';
import { lifeline } from '../charts.js';
import { rhythm, visible } from '../format.js';
import { link, filter } from '../app.js';
import { segment, screenOf } from '../api.js';

export const recurring = {
  title: () => 'Recurring',
  every: 10_000,
  load: ({ api, query, signal }) => api.page('recurring', 'recurring', { cursor: query.get('cursor') }, signal),
  view(c) {
    const { next: cursor } = c.data, messages = c.data.recurring.map((r) => ({ ...r.message, queue: r.queue }));
    const end = c.now + 86_400_000, coming = messages.flatMap((m) => [m.dueAt, ...(m.nextOccurrences ?? [])].map((t) => ({ at: +new Date(t), label: m.id, kind: 'next' })))
      .filter((e) => e.at > c.now && e.at < end).sort((a, b) => a.at - b.at);
    return html`<div class="title"><h1 tabindex="-1">Recurring</h1></div>
      ${coming.length ? html`<section class="card"><header><h2>The coming 24 hours</h2><span class="sub">the next runs of each</span></header><div class="chartbox" tabindex="0" role="group" aria-label="The coming 24 hours">${lifeline([{ at: c.now, label: 'now', kind: 'start' }, ...coming, { at: end, label: '', kind: 'end' }], 'The next runs')}</div></section>` : nothing}
      ${messages.length ? html`<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="Recurring messages"><table><thead><tr><th>Id</th><th>Queue</th><th>Next</th><th class="opt">Then</th><th>Rhythm</th><th class="n opt">Attempts</th></tr></thead><tbody>${messages.map(
        (m) => html`<tr data-to=${screenOf(m.queue, m.id)}><td class="id"><a class="q mono" href=${link(screenOf(m.queue, m.id))}>${visible(m.id)}</a></td><td class="id"><a href=${link(`q/${segment(m.queue)}`)}>${m.queue}</a></td><td>${at(m.dueAt)}</td><td class="opt dim">${m.nextOccurrences?.[0] ? at(m.nextOccurrences[0]) : ''}</td><td title=${m.recurrence}>${rhythm(m.recurrence)}</td><td class="n opt">${m.attempts}</td></tr>`)}</tbody></table></div></section>`
        : cursor ? html`<section class="card empty"><p>None among the messages that were looked at so far.</p></section>` : html`<section class="card empty"><p>No message recurs.</p><pre>punctual schedule reminders '"Report"' --id report --cron '0 9 * * MON-FRI' --zone Europe/Berlin</pre></section>`}
      ${cursor ? html`<div class="more"><button class="btn small" @click=${() => filter({ cursor }, false)}>${messages.length ? 'Next page' : 'Look further'}</button></div>` : nothing}`;
  },
};
