/** Changes of many messages: running with their rest of time, and finished. */
import { html, nothing } from '../lit-html.js';
import { say, at } from '../parts.js';
import { count } from '../format.js';
import { link } from '../app.js';
import { segment } from '../api.js';

const meter = (part) => html`<span class="meter" role="meter" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(part * 100)} aria-label="Done"><svg width="160" height="8" viewBox="0 0 160 8" aria-hidden="true"><rect width=${(160 * part).toFixed(1)} height="8" /></svg></span>`;

export const tasks = {
  title: () => 'Tasks',
  every: 1000,
  load: ({ api, signal }) => api.get('tasks', { limit: 100 }, signal),
  view(c) {
    const list = c.data.tasks, runs = list.filter((t) => t.state === 'RUNNING' || t.state === 'WAITING');
    const cancel = async (t) => {
      try { await c.api.remove(`tasks/${segment(t.id)}`); say('The task ends.'); } catch (e) { say(e.message, { error: true }); }
      c.load();
    };
    return html`<div class="title"><h1 tabindex="-1">Tasks</h1><span class="dim">${runs.length ? `${runs.length} running` : 'nothing runs'}</span></div>
      ${list.length ? html`<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="Tasks"><table><thead><tr><th>Change</th><th>Queue</th><th>Progress</th><th class="n">Changed</th><th class="n opt">Gone</th><th class="n opt">Refused</th><th class="opt">By</th><th>Began</th><th><span class="vh">Change</span></th></tr></thead><tbody>${list.map((t) => {
        const active = t.state === 'RUNNING' || t.state === 'WAITING', part = t.limit ? Math.min(1, t.changed / t.limit) : 0;
        return html`<tr><td>${t.action.toLowerCase()}${t.dryRun ? ' (count only)' : ''}<span class="under">${t.reason ?? ''}</span></td><td class="id"><a href=${link(`q/${segment(t.queue)}`)}>${t.queue}</a></td>
          <td>${active && t.limit ? meter(part) : t.state.toLowerCase()}<span class="under">${count(t.examined)} read, ${count(t.matched)} match${t.rate ? `, ${count(t.rate)} a second` : ''}</span>${t.error ? html`<span class="under bad">${t.error}</span>` : nothing}</td>
          <td class="n">${count(t.changed)}</td><td class="n opt">${count(t.gone)}</td><td class="n opt">${count(t.refused)}</td><td class="opt">${t.by ?? ''}</td><td>${at(t.createdAt)}</td><td>${active && c.may('OPERATE', t.queue) ? html`<button class="btn small" @click=${() => cancel(t)}>Cancel</button>` : nothing}</td></tr>`;
      })}</tbody></table></div></section>` : html`<section class="card empty"><p>Nothing runs, and nothing has run lately.</p></section>`}`;
  },
};
