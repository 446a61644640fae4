/** Workers of all processes: those not seen first. */
import { html, nothing } from '../lit-html.js';
import { figures, say, ago } from '../parts.js';
import { count, span, late, relative } from '../format.js';
import { link } from '../app.js';
import { segment } from '../api.js';

const unseen = (w, now) => now - new Date(w.lastSeenAt) > 12_000;

async function pause(c, w) {
  try {
    if (w.paused) await c.api.remove(`workers/${segment(w.id)}/pause`);
    else await c.api.put(`workers/${segment(w.id)}/pause`);
    say(w.paused ? `${w.name} is asked to run again; it hears within 10 s.` : `${w.name} is asked to pause; it hears within 10 s.`);
  } catch (e) {
    say(e.message, { error: true });
  }
  c.load();
}

export const workers = {
  title: () => 'Workers',
  every: 5000,
  load: ({ api, signal }) => api.get('workers', null, signal),
  view(c) {
    const list = [...c.data.workers].sort((a, b) => unseen(b, c.now) - unseen(a, c.now) || (a.queue < b.queue ? -1 : 1));
    if (!list.length) {
      return html`<div class="title"><h1 tabindex="-1">Workers</h1></div><section class="card empty"><p>No worker is listed. Either none runs; or it began less than 10 s ago; or it runs in another process on a store that knows only its own workers (memory, journal).</p></section>`;
    }
    const hosts = new Set(list.map((w) => w.host)).size, running = list.reduce((a, w) => a + (w.running ?? 0), 0), room = list.reduce((a, w) => a + (w.concurrency ?? 0), 0);
    return html`<div class="title"><h1 tabindex="-1">Workers</h1></div>
      ${figures([['Workers', count(list.length), `on ${hosts} ${hosts === 1 ? 'host' : 'hosts'}`], ['Running', html`${count(running)} <small>of ${count(room)}</small>`, ''], ['Not seen for 12 s', count(list.filter((w) => unseen(w, c.now)).length), 'they disappear after 30 s', list.some((w) => unseen(w, c.now))], ['Paused', count(list.filter((w) => w.paused).length), '']])}
      <section class="card"><div class="scroll" tabindex="0" role="region" aria-label="Workers"><table><thead><tr><th>Worker</th><th>Queue</th><th class="opt">Host</th><th class="n">Running</th><th class="n opt">Handled a minute</th><th class="n opt">Failed a minute</th><th class="n">p99</th><th class="opt">Since</th><th>Seen</th><th><span class="vh">Change</span></th></tr></thead><tbody>${list.map(
        (w) => html`<tr class=${unseen(w, c.now) ? 'hot' : ''} data-to=${`q/${segment(w.queue)}`}><td class="id">${w.name}${w.paused ? html` <span class="chip">paused</span>` : nothing}<span class="under">${w.version === 'unknown' ? '' : w.version}</span></td><td class="id"><a href=${link(`q/${segment(w.queue)}`)}>${w.queue}</a></td><td class="opt">${w.host}<span class="under">pid ${w.pid}</span></td>
          <td class="n">${count(w.running)} of ${count(w.concurrency)}</td><td class="n opt">${count(w.handledPerMinute)}</td><td class="n opt">${w.failedPerMinute ? html`<span class="bad">${count(w.failedPerMinute)}</span>` : count(w.failedPerMinute)}</td><td class="n">${late(w.latenessMillis?.p99)}</td><td class="opt">${ago(w.startedAt)}</td><td>${unseen(w, c.now) ? html`<span class="bad">${relative(w.lastSeenAt, c.now)}</span>` : relative(w.lastSeenAt, c.now)}</td>
          <td>${w.id && c.may('OPERATE', w.queue) ? html`<button class="btn small" @click=${() => pause(c, w)}>${w.paused ? 'Resume' : 'Pause'}</button>` : nothing}</td></tr>`)}</tbody></table></div></section>`;
  },
};
