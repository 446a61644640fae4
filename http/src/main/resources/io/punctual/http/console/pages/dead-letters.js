/** Dead letters by failure: the failures, the chosen one with what can be done, and one of its messages. */
import { html, nothing } from '../lit-html.js';
import { deed, segments, at, payload, failure, say, changeMany, more } from '../parts.js';
import { spark, lifeline } from '../charts.js';
import { count, span, time, clock, plural, relative, visible } from '../format.js';
import { link, filter, go } from '../app.js';
import { segment, messagePath, screenOf } from '../api.js';

const REASONS = { FAILED: 'attempts failed', UNDECODABLE: 'payload not readable', EXPIRED: 'expired', WORKERS_DIED: 'workers died', BY_CALLER: 'buried by its handler', UNREADABLE: 'lost in the store' };
export const reasonText = (r) => REASONS[r] ?? (r ?? 'unknown').toLowerCase().replaceAll('_', ' ');

/** The failure in two parts, as the groups are made: what, and where. */
export function what(group) {
  const text = group.failure ?? reasonText(group.reason), place = text.lastIndexOf(' at ');
  return place > 0 ? [text.slice(0, place).replace(/^(\w+\.)+(?=\w+(Exception|Error))/, ''), text.slice(place + 4).replace(/^#$/, '')] : [text.replace(/^(\w+\.)+(?=\w+(Exception|Error))/, ''), ''];
}

const queuesOfDead = {
  async load({ api, signal }) {
    return api.get('overview/queues', { sort: 'dead', limit: 100 }, signal);
  },
  view(c) {
    const list = c.data.queues.filter((q) => q.dead > 0);
    return html`<div class="title"><h1 tabindex="-1">Dead letters</h1></div>${list.length
      ? html`<section class="card"><table><thead><tr><th>Queue</th><th class="n">Dead letters</th></tr></thead><tbody>${list.map((q) => html`<tr data-to=${`q/${segment(q.queue)}/dead`}><td class="id"><a class="q" href=${link(`q/${segment(q.queue)}/dead`)}>${q.queue}</a></td><td class="n bad">${count(q.dead)}</td></tr>`)}</tbody></table></section>`
      : html`<section class="card empty"><p>No dead letters.</p></section>`}`;
  },
};

/** Redrives the newest of a group, and follows it to its end. */
async function tryOne(c, queue, group) {
  const id = group.sampleId;
  const started = Date.now();
  try {
    await c.api.post(messagePath(queue, id, '/redrive'));
  } catch (e) {
    return say(`${id}: ${e.message}`, { error: true });
  }
  say(`${id} is due again …`, { millis: 60_000 });
  for (let wait = 100; Date.now() - started < 60_000; wait = Math.min(wait * 1.5, 2000)) {
    await new Promise((done) => setTimeout(done, wait));
    let m = null;
    try {
      m = await c.api.get(messagePath(queue, id));
    } catch (e) {
      if (e.status !== 404) continue;
    }
    if (!m || m.state === 'FINISHED') {
      say(`${id} was delivered in ${span(Date.now() - started)}.`, { millis: 15_000 });
      return c.load();
    }
    const last = m.failures?.[m.failures.length - 1];
    if (m.state === 'DEAD') {
      const again = await c.api.get(`queues/${segment(queue)}/dead`, { group: group.group, prefix: id, from: m.diedAt });
      const same = again.messages.some((each) => each.id === id);
      say(`${id} died again: ${same ? 'the same failure' : m.reason ?? 'another failure'}.`, { error: true });
      return c.load();
    }
    if (m.state === 'SCHEDULED' && last && new Date(last.at) >= started - 1000) {
      say(`${id} failed again: ${last.error}. It is tried again ${relative(m.dueAt)}.`, { error: true });
      return c.load();
    }
  }
  say(`${id} is due, and no worker has taken it within a minute.`, { error: true });
}

export const deadLetters = {
  title: (p) => (p.queue ? `Dead letters of ${p.queue}` : 'Dead letters'),
  every: 0,
  async load(c) {
    const { api, params, query, signal, state, may } = c;
    if (!params.queue) return { list: await queuesOfDead.load(c) };
    const base = `queues/${segment(params.queue)}`;
    const [answer, changes] = await Promise.all([
      api.get(`${base}/dead/groups`, null, signal),
      may('OPERATE', params.queue) ? api.get('audit', { queue: params.queue, limit: 8 }, signal).catch(() => null) : null,
    ]);
    const groups = [...answer.groups].sort(query.get('sort') === 'largest' ? (a, b) => b.count - a.count : (a, b) => (a.lastDied < b.lastDied ? 1 : -1));
    const chosen = groups.find((g) => g.group === query.get('group')) ?? groups[0];
    state.at ??= 0;
    const page = chosen ? await api.page(`${base}/dead`, 'messages', { group: chosen.group, from: chosen.firstDied, limit: 1, cursor: state.cursors?.[state.at] }, signal) : null;
    return { answer, groups, chosen, changes, page, readMillis: answer.scanMillis, readAt: answer.scannedAt };
  },
  view(c) {
    if (c.data.list) return queuesOfDead.view({ ...c, data: c.data.list });
    const { groups, chosen, answer, page } = c.data, queue = c.params.queue, total = answer.total ?? groups.reduce((a, g) => a + g.count, 0);
    const crumbs = html`<p class="crumbs"><a href=${link('dead')}>Dead letters</a> / <a href=${link(`q/${segment(queue)}`)}>${queue}</a></p>`;
    if (!groups.length) return html`${crumbs}<div class="title"><h1 tabindex="-1">No dead letters</h1></div><section class="card empty"><p>${queue} has none.</p></section>`;
    const rest = answer.others;
    return html`${crumbs}<div class="title"><h1 tabindex="-1">${plural(total, 'dead letter')}, ${plural(groups.length, 'failure')}</h1><span class="dim">read at ${clock(c.data.readAt)}, in ${span(c.data.readMillis)} · <button class="link" @click=${c.load}>read again</button></span></div>
      <div class="cols halves"><div><section class="card"><header><h2>Failures</h2><span class="sub">${c.query.get('sort') === 'largest' ? 'largest first' : 'newest first'}</span><span class="end">${segments([['newest', 'Newest'], ['largest', 'Largest']], c.query.get('sort') ?? 'newest', (s) => filter({ sort: s === 'newest' ? null : s }))}</span></header>
        <div class="grps">${groups.map((g) => {
          const [name, place] = what(g);
          return html`<button class=${'grp' + (g === chosen ? ' on' : '')} aria-pressed=${g === chosen} data-key=${'group-' + g.group} @click=${() => { c.state.at = 0; c.state.cursors = []; filter({ group: g.group }); }}><span class="cnt">${count(g.count)}</span><span class="what"><b>${name}</b><span class="mono dim">${place || ' '}</span></span><span class="hist">${spark(g.deaths, { kind: 'b-bad', width: 150, height: 24 })}<span class="dim">${reasonText(g.reason)} · last ${relative(g.lastDied)}</span></span></button>`;
        })}</div>${rest ? html`<div class="bar">${plural(rest, 'dead letter')} of other failures</div>` : nothing}</section>
        ${c.data.changes?.entries?.length ? html`<section class="card"><header><h2>Earlier changes here</h2></header><div class="log">${c.data.changes.entries.map((e) => html`<div><time>${time(e.at)}</time><span><b>${e.by}</b> ${deed(e)}${e.reason ? `: ${e.reason}` : ''}</span></div>`)}</div></section>` : nothing}</div>
        ${chosenGroup(c, queue, chosen, page)}</div>`;
  },
};

function chosenGroup(c, queue, g, page) {
  const [name, place] = what(g), may = c.may('OPERATE', queue), s = c.state;
  s.rate ??= 50;
  const n = s.only ? Math.min(g.count, Math.max(1, +s.n || 1)) : g.count;
  const m = page?.messages?.[0], task = (action, more) => ({ queue, action, filter: { group: g.group }, ...more });
  const first = new Date(g.firstDied);
  return html`<section class="card"><header><h2>${name}</h2><span class="mono dim">${place}</span></header>
    <div class="pad"><strong>${count(g.count)} since ${time(first)}</strong>, the last ${relative(g.lastDied)}. ${reasonText(g.reason)}.</div>
    ${may ? html`<div class="tryrow">Redrive ${segments([['', `all ${count(g.count)}`], ['only', 'only']], s.only ? 'only' : '', (v) => ((s.only = v), (s.n ??= Math.min(g.count, 1000)), c.draw()))}
        ${s.only ? html`<input class="in num" type="number" min="1" max=${g.count} aria-label="How many" .value=${s.n} @input=${(e) => ((s.n = e.target.value), c.draw())} />` : nothing}
        <label>at <input class="in num" type="number" min="1" max="100000" aria-label="Messages a second" .value=${s.rate} @input=${(e) => ((s.rate = e.target.value), c.draw())} /></label> a second
        <p>Takes about ${span((n / Math.max(1, s.rate)) * 1000)}. The messages become due at once, and their attempts start again from 1.</p></div>
      <div class="tryrow end"><button class="btn primary" data-key="try" @click=${() => tryOne(c, queue, g)}>Try one first <kbd>t</kbd></button>
        <button class="btn" data-key="redrive" @click=${() => changeMany({ title: `Redrive ${count(n)}`, text: `${plural(n, 'message')} of “${name}” become due again, ${count(+s.rate)} a second.`, action: `Redrive ${count(n)}`, task: task('redrive', { rate: +s.rate, limit: s.only ? n : undefined }), n, onStarted: c.load })}>Redrive ${count(n)}</button>
        <button class="btn danger" @click=${() => changeMany({ title: `Delete ${count(g.count)}`, text: `${plural(g.count, 'dead letter')} of “${name}” are removed. Nobody can bring them back.`, action: `Delete ${count(g.count)}`, danger: true, task: task('delete'), n: g.count, onStarted: c.load })}>Delete ${count(g.count)}</button></div>` : nothing}
    ${m ? html`<header><h2>One of them</h2><a class="link mono" href=${link(screenOf(queue, m.id))}>${visible(m.id)}</a><span class="end">${s.at > 0 ? html`<button class="link" @click=${() => ((s.at -= 1), c.load())}>‹ newer</button>` : nothing}<span class="dim">${s.at + 1} of ${count(g.count)}</span>${page.next ? html`<button class="link" @click=${() => { (s.cursors ??= [])[s.at + 1] = page.next; s.at += 1; c.load(); }}>older ›</button>` : nothing}</span></header>
      <div class="chartbox" tabindex="0" role="group" aria-label="Life of the message">${lifeline([...(m.createdAt ? [{ at: +new Date(m.createdAt), label: 'scheduled', kind: 'start' }] : []), ...(m.failures ?? []).map((f) => ({ at: +new Date(f.at), label: String(f.attempt), kind: 'try' })), { at: +new Date(m.diedAt), label: 'dead', kind: 'dead' }])}</div>
      <div class="pad gap">${m.reason ? failure({ reason: m.reason, origin: m.origin }) : nothing}${payload(m)}</div>` : nothing}</section>`;
}
