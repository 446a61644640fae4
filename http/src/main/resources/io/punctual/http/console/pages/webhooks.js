/** Webhooks: the targets, open circuits first; and one target with its deliveries and what can be done. */
import { html, nothing } from '../lit-html.js';
import { figures, open, field, say, at, ago } from '../parts.js';
import { count, span, late, time, relative, plural, visible } from '../format.js';
import { link, filter, go } from '../app.js';
import { segment } from '../api.js';

const STATES = { disabled: ['bad', 'disabled'], open: ['warn', 'circuit open'], paused: ['', 'paused'], on: ['ok', 'on'] };
const ORDER = ['open', 'disabled', 'paused', 'on'];
const chip = (w) => html`<span class=${'chip ' + (STATES[w.state]?.[0] ?? '')}>${STATES[w.state]?.[1] ?? w.state}</span>`;
const path = (name) => `webhooks/${segment(name)}`;
const screen = (name) => `webhooks/${segment(name)}`;

function success(w) {
  const all = w.delivered + w.failed;
  return all ? `${+((100 * w.delivered) / all).toFixed(w.failed ? 1 : 0)} %` : '–';
}

/** Why a target is not called, and what happens next, in a sentence. */
function sentence(w) {
  const why = w.reason ? `: ${w.reason[0].toLowerCase()}${w.reason.slice(1).replace(/\.$/, '')}` : '';
  switch (w.state) {
    case 'disabled': return html`Is disabled since ${time(w.since)}${why}. Nothing is sent until somebody enables it.`;
    case 'open': return html`Fails since ${time(w.since)}${why}. Its messages wait.${w.nextTry ? ` The next call is ${relative(w.nextTry)}.` : ''}`;
    case 'paused': return html`Its queue is paused${why}. Nothing is sent until somebody resumes it.`;
    default: return html`Is called when a message is due.`;
  }
}

async function act(c, change, done) {
  try {
    const answer = await change();
    say(typeof done === 'function' ? done(answer) : done);
  } catch (e) {
    say(e.message, { error: true });
  }
  c.load();
}

function showKey(name, key) {
  const value = key?.secret ?? key?.publicKey;
  if (!value) return say(`${name} has a new key.`);
  open({
    title: `The new key of ${name}`,
    body: () => html`<p>${key.secret ? 'The receiver checks signatures with this secret. It is not shown again.' : 'The receiver checks signatures with this public key.'}</p><pre>${value}</pre>`,
  });
}

export function addTarget(c) {
  open({
    title: 'Add a target', action: 'Add', ready: (s) => s.name && s.url && s.queue,
    body: (s) => html`<p>Messages of the queue are sent to the address, signed, when they are due.</p>
      <div class="fields">${field('Name', s, 'name')}${field('Queue', s, 'queue')}</div>${field('Address', s, 'url', { hint: 'begins with https' })}
      <div class="fields">${field('Calls at once', s, 'concurrency', { kind: 'number', hint: 'empty: the default' })}${field('Calls a second', s, 'rate', { kind: 'number', hint: 'empty: no limit' })}</div>`,
    run: async (s) => {
      const made = await c.api.put(path(s.name), { queue: s.queue, url: s.url, concurrency: s.concurrency ? +s.concurrency : undefined, rate: s.rate ? +s.rate : undefined });
      setTimeout(() => showKey(s.name, made.key));
      c.load();
    },
  });
}

function rotate(c, w) {
  open({
    title: `A new key for ${w.name}`, action: 'Make a new key', state: { overlap: '1d' },
    body: (s) => html`<p>Calls are signed with the new key and the old ones, until the old ones end. Give the new secret to the receiver before that.</p>${field('Old keys end after', s, 'overlap', { hint: 'such as 1d' })}`,
    run: async (s) => {
      const done = await c.api.post(`${path(w.name)}/keys`, { overlap: s.overlap });
      setTimeout(() => showKey(w.name, done.key));
      c.load();
    },
  });
}

const sinceOf = (w) => (w.state === 'on' ? new Date(Date.now() - 3600_000).toISOString() : w.since).replace(/\.\d+Z$/, 'Z');

function replay(c, w) {
  open({
    title: `Replay ${w.name}`, action: 'Replay', state: { since: sinceOf(w) },
    body: (s) => html`<p>Messages since this time are sent again, also those that arrived: the receiver knows them by their ids.</p>${field('Since', s, 'since', { hint: 'in UTC, such as 2026-12-24T18:00:00Z' })}${field('Why? It stands in the audit', s, 'reason')}`,
    run: async (s) => {
      const done = await c.api.post(`${path(w.name)}/replay`, { since: s.since, reason: s.reason || undefined });
      const dead = done.tasks?.length ? `, and ${plural(done.tasks.length, 'task')} for dead letters` : '';
      say(`${plural(done.scheduled ?? 0, 'message')} to send again${dead}.${done.skipped ? ` ${plural(done.skipped, 'message')} are no longer known.` : ''}`);
      c.load();
    },
  });
}

function removeTarget(c, w) {
  open({
    title: `Remove ${w.name}`, action: 'Remove the target', danger: true, ready: (s) => s.name === w.name,
    body: (s) => html`<p>Nothing is sent to it any more. Its messages stay in their queue.</p>${field(`Type the name of the target, ${w.name}`, s, 'name')}`,
    run: async () => {
      await c.api.remove(path(w.name));
      say(`${w.name} is removed.`);
      go('webhooks');
    },
  });
}

const enable = (c, w) => act(c, () => c.api.post(`${path(w.name)}/enable`), `${w.name} is enabled.`);
const test = (c, w) =>
  act(c, () => c.api.post(`${path(w.name)}/test`), (a) => (a.outcome === 'DELIVERED' ? `${w.name} answered ${a.status} in ${span(a.millis)}.` : `${w.name} ${a.status ? `answered ${a.status}` : 'did not answer'}${a.error ? `: ${a.error}` : ''}.`));

const howToAdd = (c) => html`<section class="card empty"><p>No webhook has a target. A target receives the messages of a queue as signed HTTP requests.</p>
  ${c.may('OPERATE') ? html`<p><button class="btn primary" @click=${() => addTarget(c)}>Add a target</button></p>` : nothing}
  <pre>curl -X PUT ${c.api.base}webhooks/orders -H 'Content-Type: application/json' -d '{"queue": "orders", "url": "ADDRESS"}'</pre></section>`;

export const webhooks = {
  title: () => 'Webhooks',
  every: 3000,
  async load({ api, signal }) {
    try {
      return await api.get('webhooks', null, signal);
    } catch (e) {
      if (e.status === 404) return { items: [], none: e.message };
      throw e;
    }
  },
  view(c) {
    const list = [...c.data.items].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.name < b.name ? -1 : 1));
    const delivered = list.reduce((a, w) => a + w.delivered, 0), failed = list.reduce((a, w) => a + w.failed, 0), trouble = list.filter((w) => w.state === 'open' || w.state === 'disabled').length;
    const heading = html`<div class="title"><h1 tabindex="-1">Webhooks</h1>${list.length && c.may('OPERATE') ? html`<div class="buttons"><button class="btn" @click=${() => addTarget(c)}>Add a target</button></div>` : nothing}</div>`;
    if (c.data.none) return html`${heading}<section class="card empty"><p>${c.data.none}.</p></section>`;
    if (!list.length) return html`${heading}${howToAdd(c)}`;
    return html`${heading}
      ${figures([['Targets', count(list.length), trouble ? `${count(list.length - trouble)} take messages` : 'all take messages'], ['Not called', count(trouble), trouble ? 'open or disabled' : 'none', trouble > 0], ['Delivered in the past hour', count(delivered), ''], ['Failed calls in the past hour', count(failed), success({ delivered, failed }) + ' arrived', failed > 0]])}
      <section class="card"><div class="scroll" tabindex="0" role="region" aria-label="Webhooks"><table><thead><tr><th>Target</th><th>State</th><th class="opt">Queue</th><th class="n">Success</th><th class="n opt">Delivered</th><th class="n opt">Failed</th><th class="n opt">p50</th><th class="n">p99</th><th class="opt">Next call</th></tr></thead><tbody>${list.map(
        (w) => html`<tr class=${w.state === 'open' || w.state === 'disabled' ? 'hot' : ''} data-to=${screen(w.name)}><td class="id"><a class="q" href=${link(screen(w.name))}>${w.name}</a><span class="under mono">${w.url}</span></td><td>${chip(w)}${w.state === 'on' ? nothing : html`<span class="under">${ago(w.since)}</span>`}</td><td class="id opt">${queueOf(w)}</td>
          <td class="n">${success(w)}</td><td class="n opt">${count(w.delivered)}</td><td class="n opt">${w.failed ? html`<span class="bad">${count(w.failed)}</span>` : '0'}</td><td class="n opt">${late(w.p50Millis)}</td><td class="n">${late(w.p99Millis)}</td><td class="opt">${w.nextTry ? relative(w.nextTry, c.now) : ''}</td></tr>`)}</tbody></table></div></section>`;
  },
};

const queueOf = (w) => (w.prefix != null ? w.queue : html`<a href=${link(`q/${segment(w.queue)}`)}>${w.queue}</a>`);

const OUTCOMES = { DELIVERED: ['ok', 'delivered'], RETRY: ['warn', 'tried again'], DEAD: ['bad', 'dead'], DISABLED: ['bad', 'target gone'], FAILED: ['bad', 'failed'] };

function deliveries(c, w) {
  const { items, next: cursor } = c.data.page;
  return html`<section class="card"><header><h2>Deliveries</h2><span class="sub">newest first</span></header>${items.length
    ? html`<div class="scroll" tabindex="0" role="region" aria-label="Deliveries"><table><thead><tr><th>Time</th><th>Message</th><th class="n">Attempt</th><th class="n">Status</th><th class="n">Took</th><th>Outcome</th><th class="opt">Next</th></tr></thead><tbody>${items.map((d) => {
      const [look, text] = OUTCOMES[d.outcome?.toUpperCase()] ?? ['', d.outcome];
      return html`<tr><td>${at(d.time)}</td><td class="id"><span class="mono">${visible(d.id)}</span>${d.queue && d.queue !== w.queue ? html`<span class="under">${d.queue}</span>` : nothing}</td><td class="n">${count(d.attempt)}</td><td class="n">${d.status ?? '–'}</td><td class="n">${span(d.millis)}</td>
        <td class="clip"><span class=${'chip ' + look}>${text}</span>${d.error ? html`<span class="under">${d.error}</span>` : nothing}</td><td class="opt">${d.next ? at(d.next) : ''}</td></tr>`;
    })}</tbody></table></div>` : html`<p class="empty">No call is in the log.</p>`}
    ${cursor || c.query.get('cursor') ? html`<div class="more">${c.query.get('cursor') ? html`<button class="btn small" @click=${() => filter({ cursor: null })}>Newest</button>` : nothing}${cursor ? html`<button class="btn small" @click=${() => filter({ cursor }, false)}>Older</button>` : nothing}</div>` : nothing}</section>`;
}

export const webhook = {
  title: (p) => p.webhook,
  every: 3000,
  async load({ api, params, query, signal }) {
    try {
      const [target, page] = await Promise.all([api.get(path(params.webhook), null, signal), api.get(`${path(params.webhook)}/deliveries`, { cursor: query.get('cursor'), limit: 50 }, signal)]);
      return { target, page };
    } catch (e) {
      if (e.status === 404) return { target: null };
      throw e;
    }
  },
  view(c) {
    const w = c.data.target;
    const crumbs = html`<p class="crumbs"><a href=${link('webhooks')}>Webhooks</a> / ${c.params.webhook}</p>`;
    if (!w) return html`${crumbs}<section class="card empty"><h1 tabindex="-1">No webhook has this name</h1><p><a class="link" href=${link('webhooks')}>All webhooks</a></p></section>`;
    const may = c.may('OPERATE', w.prefix ?? w.queue);
    return html`${crumbs}<div class="title"><h1 tabindex="-1">${w.name}</h1>${chip(w)}${may
      ? html`<div class="buttons">${w.state === 'disabled' || w.state === 'open' ? html`<button class="btn primary" @click=${() => enable(c, w)}>Enable</button>` : nothing}<button class="btn" data-key="try" @click=${() => test(c, w)}>Test <kbd>t</kbd></button><button class="btn" data-key="redrive" @click=${() => replay(c, w)}>Replay <kbd>r</kbd></button><button class="btn" @click=${() => rotate(c, w)}>New key</button>${w.configured ? nothing : html`<button class="btn danger" @click=${() => removeTarget(c, w)}>Remove</button>`}</div>`
      : nothing}</div>
      <p class="diagnosis">${sentence(w)}</p>
      ${figures([['Success, past hour', success(w), `${count(w.delivered)} delivered`], ['Failed calls', count(w.failed), 'past hour', w.failed > 0], ['Took', html`<span class="two">${late(w.p50Millis)} <small>p50</small> · ${late(w.p99Millis)} <small>p99</small></span>`, 'past hour'], ['Calls at once', count(w.concurrency), w.rate ? `${count(w.rate)} in ${span(w.perMillis ?? 1000)}` : 'no rate limit']])}
      <section class="card"><header><h2>Facts</h2></header><div class="pad"><dl class="facts"><dt>Address</dt><dd class="mono">${w.url}</dd><dt>Queue</dt><dd>${queueOf(w)}</dd>${w.timeoutMillis ? html`<dt>An answer must come within</dt><dd>${span(w.timeoutMillis)}</dd>` : nothing}
        ${w.retriesMillis?.length ? html`<dt>Tried again after</dt><dd>${w.retriesMillis.map(span).join(', ')}</dd>` : nothing}
        ${(w.keys ?? []).map((k) => html`<dt>Key <span class="mono">${k.id}</span></dt><dd>${k.kind ? `${k.kind.toLowerCase()}, ` : ''}since ${time(k.since)}${k.until ? `, ends ${relative(k.until, c.now)}` : ''}</dd>`)}
        ${w.configured ? html`<dt>Set in</dt><dd>the config file of the server, which alone changes it</dd>` : nothing}</dl></div></section>
      ${deliveries(c, w)}`;
  },
};
