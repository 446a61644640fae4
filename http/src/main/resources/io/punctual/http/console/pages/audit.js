/** Who changed what, on how many, and why. */
import { html, nothing } from '../lit-html.js';
import { at, deed } from '../parts.js';
import { visible } from '../format.js';
import { link, filter } from '../app.js';
import { segment } from '../api.js';

export const audit = {
  title: () => 'Audit',
  every: 5000,
  load: ({ api, query, signal }) => api.page('audit', 'entries', { by: query.get('by'), queue: query.get('queue'), cursor: query.get('cursor'), limit: 100 }, signal),
  view(c) {
    const { entries, next: cursor } = c.data;
    return html`<div class="title"><h1 tabindex="-1">Audit</h1><div class="buttons"><label><span class="vh">Person</span><input class="in" data-key="filter" placeholder="person" .value=${c.query.get('by') ?? ''} @change=${(e) => filter({ by: e.target.value, cursor: null })} /></label><label><span class="vh">Queue</span><input class="in" placeholder="queue" .value=${c.query.get('queue') ?? ''} @change=${(e) => filter({ queue: e.target.value, cursor: null })} /></label></div></div>
      ${entries.length ? html`<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="Audit"><table><thead><tr><th>When</th><th>Who</th><th>What</th><th>Queue</th><th>Why</th><th class="n">Answer</th></tr></thead><tbody>${entries.map(
        (e) => html`<tr><td>${at(e.at)}</td><td>${e.by}</td><td>${deed(e)}${e.id ? html`<span class="under mono">${visible(e.id)}</span>` : nothing}</td><td class="id">${e.queue ? html`<a href=${link(`q/${segment(e.queue)}`)}>${e.queue}</a>` : ''}</td><td class="clip">${e.reason ?? ''}</td><td class="n">${e.status >= 400 ? html`<span class="bad">${e.status}</span>` : e.status}</td></tr>`)}</tbody></table></div></section>`
        : html`<section class="card empty"><p>${cursor ? 'None among the changes that were looked at so far.' : 'No change in the time that the audit keeps.'}</p></section>`}
      ${cursor ? html`<div class="more"><button class="btn small" @click=${() => filter({ cursor }, false)}>Older</button></div>` : nothing}`;
  },
};
