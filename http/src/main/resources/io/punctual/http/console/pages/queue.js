/** A queue: its state, what is due and how late it will be, lateness, and its messages by state. */
import { html, nothing } from '../lit-html.js';
import { chip, figures, percentiles, segments, at, ago, brief, open, field, say, changeMany, pauseQueue, more } from '../parts.js';
import { dueChart, histogram } from '../charts.js';
import { count, span, rate, plural, time, relative, between, visible } from '../format.js';
import { link, filter, go } from '../app.js';
import { segment, messagePath, screenOf } from '../api.js';

const WINDOWS = [['1h', '1 h', 60, 3600e3], ['6h', '6 h', 72, 6 * 3600e3], ['1d', '1 d', 96, 86400e3], ['30d', '30 d', 90, 30 * 86400e3]];
const WINDOW_NAMES = { '1h': 'hour', '6h': '6 hours', '1d': 'day', '30d': '30 days' };
const TABS = [['SCHEDULED', 'Scheduled', 'scheduled'], ['READY', 'Ready', 'ready'], ['LEASED', 'Running', 'leased'], ['DEAD', 'Dead', 'dead'], ['FINISHED', 'Finished ids', 'finished']];

const MOST = 1000;

const path = (queue) => `queues/${segment(queue)}`;

function editLimits(c, q) {
  open({
    title: `Limits of ${q.queue}`, action: 'Set the limits',
    state: {
      rate: q.limits.rate || '', per: String(q.limits.perMillis || 1000), burst: q.limits.burst || '', concurrency: q.limits.concurrency || '',
    },
    body: (s) => html`<p>They hold for all workers of all processes from the next claim. Empty: no limit.</p><div class="fields">
      ${field('Messages', s, 'rate', { kind: 'number' })}${field('in each', s, 'per', { options: [['1000', 'second'], ['60000', 'minute'], ['3600000', 'hour']] })}
      ${field('Burst after an idle time', s, 'burst', { kind: 'number' })}${field('Running at once', s, 'concurrency', { kind: 'number' })}</div>`,
    run: async (s) => {
      const body = {};
      if (s.rate) Object.assign(body, { rate: +s.rate, per: `PT${+s.per / 1000}S`, ...(s.burst ? { burst: +s.burst } : {}) });
      if (s.concurrency) body.concurrency = +s.concurrency;
      if (Object.keys(body).length) await c.api.put(`${path(q.queue)}/limits`, body);
      else await c.api.remove(`${path(q.queue)}/limits`);
      say(`The limits of ${q.queue} are set.`);
      c.load();
    },
  });
}

export function scheduleMessage(c, queue) {
  open({
    title: `Schedule a message in ${queue}`, action: 'Schedule', state: { delay: '10s', payload: '{}' },
    body: (s) => html`<div class="fields">${field('Id', s, 'id', { hint: 'empty: generated' })}${field('Due', s, 'delay', { hint: 'a delay, such as 10m, or a time, such as 2026-12-24T18:00:00Z' })}</div>
      ${field('Payload, as JSON', s, 'payload', { area: true })}`,
    run: async (s) => {
      JSON.parse(s.payload);
      // The payload goes as it was typed.
      const due = JSON.stringify({ [/^\d{4}-/.test(s.delay) ? 'dueAt' : 'delay']: s.delay });
      const body = new Blob([`{"payload":${s.payload},${due.slice(1)}`], { type: 'application/json' });
      const done = s.id ? await c.api.put(messagePath(queue, s.id), body) : await c.api.post(`${path(queue)}/messages`, body);
      say(done.outcome === 'STORED' ? `${done.id} is scheduled.` : `${done.id} was there already: ${done.outcome.toLowerCase()}.`);
      c.load();
    },
  });
}

function deleteQueue(c, q) {
  const full = q.scheduled + q.ready + q.leased + q.dead + q.finished > 0;
  open({
    title: `Delete ${q.queue}`, action: 'Delete the queue', danger: true, ready: (s) => s.name === q.queue,
    body: (s) => html`<p>${full ? `Its ${plural(q.scheduled + q.ready + q.leased + q.dead, 'message')} and its remembered ids are removed. Nobody can bring them back.` : 'It is empty.'}</p>
      ${field(`Type the queue's name, ${q.queue}`, s, 'name')}`,
    run: async () => {
      await c.api.remove(path(q.queue), { withMessages: full || undefined, confirm: q.queue });
      say(`${q.queue} is deleted.`);
      go('queues');
    },
  });
}

/** A span that may be negative, as the API reads it: -5m is PT-5M. */
const shiftOf = (text) => text.trim().replace(/^-(\d+)([smhd])$/, (_, n, unit) => (unit === 'd' ? `P-${n}D` : `PT-${n}${unit.toUpperCase()}`));

/** What the chosen rows or all that match get. */
function actions(c, q, state) {
  const chosen = c.state.chosen ?? new Set(), all = c.state.all, range = c.data.range;
  if (!c.may('OPERATE', q.queue) && !c.may('PRODUCE', q.queue)) return nothing;
  if (!['SCHEDULED', 'READY'].includes(state) || (!chosen.size && !all)) return nothing;
  const n = all ? c.data.total : chosen.size;
  const one = async (name, change) => {
    let done = 0;
    for (const id of chosen) {
      try { await change(id); done++; } catch (e) { say(`${id}: ${e.message}`, { error: true }); }
    }
    c.state.chosen = new Set();
    say(`${name}: ${plural(done, 'message')}.`);
    c.load();
  };
  const task = (action, extra) => ({ queue: q.queue, action, filter: { state: state.toLowerCase(), from: range?.from, to: range?.to }, ...extra });
  const onStarted = () => ((c.state.all = false), c.load());
  const run = () => all
    ? changeMany({ title: `Run ${count(n)} now`, text: `${plural(n, 'message')} become due at once.`, action: `Run ${count(n)} now`, task: task('run'), n, onStarted })
    : one('Due now', (id) => c.api.post(messagePath(q.queue, id, '/run')));
  const cancel = () => all
    ? changeMany({ title: `Cancel ${count(n)}`, text: `${plural(n, 'message')} are removed and never delivered.`, action: `Cancel ${count(n)}`, danger: true, task: task('cancel'), n, onStarted })
    : one('Cancelled', (id) => c.api.remove(messagePath(q.queue, id)));
  const move = () => open({
    title: `Reschedule ${count(n)}`, action: 'Reschedule', state: { delay: '1h' },
    body: (s) => html`${field(all ? 'Shift by' : 'Due', s, 'delay', { hint: all ? 'such as 10m, or -5m for earlier' : 'a delay from now, such as 10m, or a time' })}`,
    run: async (s) => {
      if (all) return setTimeout(() => changeMany({ title: `Shift ${count(n)} by ${s.delay}`, text: 'All due times move by the same span.', action: `Shift ${count(n)}`, task: task('shift', { shift: shiftOf(s.delay) }), n, onStarted })), undefined;
      await one('Rescheduled', (id) => c.api.patch(messagePath(q.queue, id), /^\d{4}-/.test(s.delay) ? { dueAt: s.delay } : { delay: s.delay }));
    },
  });
  return html`<button class="btn small" @click=${run}>Run now</button><button class="btn small" @click=${move}>Reschedule</button><button class="btn small danger" @click=${cancel}>Cancel</button>`;
}

/** Lists grow up to what the server gives at once; then come further pages. */
function further(c, next) {
  const limit = c.state.limit ?? 50;
  if (limit >= MOST) return filter({ cursor: next }, false);
  c.state.limit = Math.min(MOST, limit + 100);
  c.load();
}

function list(c, q) {
  const state = c.query.get('state') ?? 'SCHEDULED', page = c.data.page, chosen = (c.state.chosen ??= new Set()), range = c.data.range;
  const choose = (id) => { c.state.all = false; chosen.has(id) ? chosen.delete(id) : chosen.add(id); c.draw(); };
  const sees = c.may('PAYLOADS', q.queue), ticks = ['SCHEDULED', 'READY'].includes(state) && (c.may('OPERATE', q.queue) || c.may('PRODUCE', q.queue));
  const empty = { SCHEDULED: range ? 'No message is due in this span.' : c.data.workers.length ? 'No message is scheduled. Workers wait.' : 'No message is scheduled, and no worker runs.', READY: 'Nothing waits for a worker.', LEASED: 'No handler runs.', DEAD: 'No dead letters.', FINISHED: 'No id is remembered: producers ask for it with rememberFor.' }[state];
  return html`<section class="card"><nav class="tabs" aria-label="Messages by state">${TABS.map(([value, text, key]) => html`<a class=${value === state ? 'on' : ''} aria-current=${value === state ? 'true' : nothing} href=${link(`q/${segment(q.queue)}`, { state: value === 'SCHEDULED' ? null : value, window: c.query.get('window') })}>${text}<span>${count(q[key])}</span></a>`)}</nav>
    ${range || chosen.size || c.state.all || ticks
      ? html`<div class="bar">${range ? html`<button class="chip acc link" aria-label="Show all due times" @click=${() => filter({ from: null, to: null, cursor: null })}>due ${between(range.from, range.to)} ×</button>` : nothing}
        <span>${c.state.all ? `all ${count(c.data.total)} selected` : `${chosen.size} selected`}${ticks && c.data.total > 1 && !c.state.all && c.may('OPERATE', q.queue) ? html` · <button class="link" @click=${() => ((c.state.all = true), c.draw())}>select all ${count(c.data.total)}</button>` : nothing}</span>
        <span class="end">${actions(c, q, state)}</span></div>`
      : nothing}
    ${page.messages.length
      ? html`<div class="scroll" tabindex="0" role="region" aria-label="Messages"><table><thead><tr>${ticks ? html`<th><span class="vh">Selected</span></th>` : nothing}<th>Id</th><th>${{ LEASED: 'Leased until', DEAD: 'Died', FINISHED: 'Remembered until' }[state] ?? 'Due'}</th>${state === 'LEASED' ? html`<th>Held by</th>` : nothing}${state === 'FINISHED' ? nothing : html`<th class="opt">Created</th><th class="n opt">Attempts</th><th>${state === 'DEAD' ? 'Reason' : 'Payload'}</th>`}</tr></thead>
        <tbody>${page.messages.map((m) => html`<tr class=${chosen.has(m.id) || c.state.all ? 'sel' : ''} data-to=${screenOf(q.queue, m.id)}>
          ${ticks ? html`<td><input type="checkbox" aria-label=${`Select ${m.id}`} .checked=${chosen.has(m.id) || !!c.state.all} @change=${() => choose(m.id)} /></td>` : nothing}
          <td class="id"><a class="q mono" href=${link(screenOf(q.queue, m.id))}>${visible(m.id)}</a></td>
          <td>${at({ LEASED: m.leasedUntil, DEAD: m.diedAt, FINISHED: m.rememberedUntil ?? m.dueAt }[state] ?? m.dueAt)}</td>
          ${state === 'LEASED' ? html`<td>${holder(m.leaseHolder)}${m.cancelled ? html` <span class="chip">cancelled</span>` : nothing}</td>` : nothing}
          ${state === 'FINISHED' ? nothing : html`<td class="opt">${ago(m.createdAt)}</td><td class="n opt">${count(m.attempts)}</td><td class="mono dim clip">${state === 'DEAD' ? m.reason ?? m.deadReason : sees ? visible(brief(m)) : ''}</td>`}</tr>`)}</tbody></table></div>
        ${page.next || c.query.get('cursor') ? more(page.messages.length, c.data.total, page.next && (() => further(c, page.next)), c.query.get('cursor') && (() => filter({ cursor: null }))) : nothing}`
      : html`<p class="empty">${empty}</p>`}</section>`;
}

export const holder = (h) => (h ? `${h.workers?.[0] ?? 'a client'}${h.host ? ` on ${h.host}` : ''}${h.pid ? ` (pid ${h.pid})` : ''}` : 'unknown');

/**
 * The lateness that messages will have at a limit.
 *
 * @param spans short spans {from, count}
 */
export function expectLateness(spans, widthMillis, limits) {
  const perMilli = limits.rate / (limits.perMillis ?? 1000), burst = limits.burst || limits.rate;
  let backlog = 0;
  return spans.map((s) => {
    const lateMillis = s.count ? Math.max(0, backlog + s.count - burst) / perMilli : backlog / perMilli;
    backlog = Math.max(0, backlog + s.count - perMilli * widthMillis);
    return { at: +new Date(s.from), count: s.count, lateMillis: lateMillis < 1000 ? 0 : lateMillis };
  });
}

/** The greatest lateness that a limit makes in a span, when, and of how many messages. */
export async function worstLateness(api, queue, limits, from, to, signal) {
  const f = await api.get(`${path(queue)}/forecast`, { from: new Date(from).toISOString(), to: new Date(to).toISOString(), buckets: 300 }, signal);
  const all = expectLateness(f.spans, f.widthMillis, limits), worst = all.reduce((a, b) => (b.lateMillis > a.lateMillis ? b : a), all[0]);
  const most = all.reduce((a, b) => (b.count > a.count ? b : a), all[0]);
  return worst?.lateMillis ? { queue, at: most.at, count: all.reduce((a, b) => a + b.count, 0), lateMillis: worst.lateMillis } : null;
}

/** Bars with their expected lateness: of the largest exactly, of the others on average. */
function bars(forecast, limits, worst) {
  let backlog = 0;
  const room = limits?.rate > 0 ? (limits.rate * forecast.widthMillis) / (limits.perMillis ?? 1000) : Infinity;
  return forecast.spans.map((s) => {
    const at = +new Date(s.from);
    backlog = Math.max(0, backlog + s.count - room);
    const average = backlog ? (backlog * (limits.perMillis ?? 1000)) / limits.rate : 0;
    return { at, count: s.count, expectedLateMillis: worst && worst.at >= at && worst.at < at + forecast.widthMillis ? Math.max(average, worst.lateMillis) : average };
  });
}

function bounds(lateness) {
  const wanted = [0.5, 1, 2, 5, 10, 50, 1000, Infinity], rows = wanted.map((to) => ({ to, count: 0 }));
  for (const b of lateness.buckets ?? []) rows.find((r) => (b.toMillis ?? Infinity) <= r.to || r.to === Infinity).count += b.count;
  const mark = (ms) => rows.find((r) => ms <= r.to);
  if (lateness.count) {
    const half = mark(lateness.p50Millis), most = mark(lateness.p99Millis);
    half.mark = 'p50';
    most.mark = half === most ? 'p50, p99' : 'p99';
  }
  return rows.map((r) => ({ ...r, late: r.to > 1000, label: r.to === Infinity ? '> 1 s' : `≤ ${span(r.to)}` }));
}

export const queue = {
  title: (p) => p.queue,
  every: 3000,
  async load({ api, params, query, signal, state, may }) {
    const q = params.queue, wanted = query.get('state') ?? 'SCHEDULED', window = WINDOWS.find((w) => w[0] === (query.get('window') ?? '6h')) ?? WINDOWS[1];
    const step = window[3] / window[2], from = Math.floor(Date.now() / step) * step;
    const range = query.get('from') ? { from: query.get('from'), to: query.get('to') } : null;
    const [view, forecast, lateness, { workers }, diagnosis, page, chosen] = await Promise.all([
      api.get(path(q), null, signal),
      api.get(`${path(q)}/forecast`, { from: new Date(from).toISOString(), to: new Date(from + window[3]).toISOString(), buckets: window[2] }, signal),
      api.get(`${path(q)}/lateness`, null, signal),
      api.get('workers', { queue: q }, signal),
      api.get(`${path(q)}/diagnosis`, null, signal),
      api.page(`${path(q)}/messages`, 'messages', { state: wanted, from: range?.from, to: range?.to, limit: state.limit ?? 50, cursor: query.get('cursor'), fields: may('PAYLOADS', q) ? 'payload' : undefined }, signal),
      range && api.get(`${path(q)}/forecast`, { ...range, buckets: 1 }, signal),
    ]);
    const key = { SCHEDULED: 'scheduled', READY: 'ready', LEASED: 'leased', DEAD: 'dead', FINISHED: 'finished' }[wanted];
    const largest = view.limits?.rate > 0 && forecast.spans.reduce((a, b) => (b.count > (a?.count ?? 0) ? b : a), null);
    const worst = largest ? await worstLateness(api, q, view.limits, +new Date(largest.from), +new Date(largest.from) + forecast.widthMillis, signal) : null;
    return { worst, view, forecast, lateness, workers, diagnosis, page, range, total: chosen ? chosen.spans.reduce((a, s) => a + s.count, 0) : view[key] };
  },
  view(c) {
    const { view: q, forecast, lateness, workers, diagnosis } = c.data;
    const state = q.paused ? 'paused' : diagnosis.late ? (/LIMIT/.test(diagnosis.cause) ? 'limited' : 'late') : q.scheduled + q.ready + q.leased ? 'ontime' : 'idle';
    const limited = q.limits?.rate > 0;
    const buckets = bars(forecast, q.limits, c.data.worst);
    const first = c.data.range || c.query.get('state') ? null : c.data.page.messages[0]?.dueAt;
    const end = forecast.spans.map((s) => +new Date(s.from) + forecast.widthMillis).find((t, i) => forecast.spans[i].count && t > c.now);
    const next = !q.scheduled ? 'none' : first ? `next ${relative(first, c.now)}` : end ? `next before ${time(end)}` : 'none in this window';
    const selected = c.data.range ? { from: +new Date(c.data.range.from), to: +new Date(c.data.range.to), total: c.data.total } : null;
    const select = (first, last) => {
      const from = first.at, to = last.at + forecast.widthMillis;
      if (selected?.from === from && selected.to === to) filter({ from: null, to: null, cursor: null });
      else filter({ state: null, cursor: null, from: new Date(from).toISOString(), to: new Date(to).toISOString() });
    };
    return html`<p class="crumbs"><a href=${link('queues')}>Queues</a> / ${visible(q.queue)}</p>
      <div class="title"><h1 tabindex="-1">${visible(q.queue)}</h1>${chip(state)}<span class="chip">${plural(q.partitions, 'partition')}</span>${limited ? html`<span class="chip">limit ${rate(q.limits)}${q.limits.burst ? `, burst ${count(q.limits.burst)}` : ''}</span>` : nothing}${q.limits?.concurrency ? html`<span class="chip">${count(q.limits.concurrency)} at once</span>` : nothing}
        <div class="buttons">${c.may('PRODUCE', q.queue) ? html`<button class="btn" @click=${() => scheduleMessage(c, q.queue)}>Schedule a message</button>` : nothing}${c.may('OPERATE', q.queue)
          ? html`<button class="btn" @click=${() => editLimits(c, q)}>Limits</button><button class="btn" data-key="pause" @click=${() => pauseQueue(q.queue, q.paused, c.load)}>${q.paused ? 'Resume' : 'Pause'} <kbd>p</kbd></button><button class="btn danger" @click=${() => deleteQueue(c, q)}>Delete</button>`
          : nothing}</div></div>
      ${diagnosis.cause === 'NONE' ? nothing : html`<p class="diagnosis">${diagnosis.reason}.${diagnosis.next ? html` <strong>${diagnosis.next[0].toUpperCase() + diagnosis.next.slice(1)}.</strong>` : nothing}</p>`}
      ${figures([
        ['Scheduled', count(q.scheduled), next],
        ['Ready', count(q.ready), q.ready ? `oldest ${span(q.overdueMillis)}` : 'nothing waits', q.overdueMillis > 1000],
        ['Running', html`${count(q.leased)}${workers.length ? html` <small>of ${count(workers.reduce((a, w) => a + w.concurrency, 0))}</small>` : nothing}`, workers.length ? plural(workers.length, 'worker') : 'no worker is listed', q.ready > 0 && !workers.length],
        ['Lateness, past minute', percentiles(lateness), lateness.count ? `greatest ${span(lateness.maxMillis)}` : 'no delivery'],
        ['Dead letters', count(q.dead), q.dead ? html`<a class="bad" href=${link(`q/${segment(q.queue)}/dead`)}>look at them</a>` : 'none', q.dead > 0],
      ])}
      <div class="cols wide-left"><section class="card"><header><h2>What is due</h2><span class="sub">next ${WINDOW_NAMES[c.query.get('window') ?? '6h']}, spans of ${span(forecast.widthMillis)}</span><span class="end">${segments(WINDOWS, c.query.get('window') ?? '6h', (w) => filter({ window: w === '6h' ? null : w, from: null, to: null }))}
          <button class="link" @click=${() => ((c.state.table = !c.state.table), c.draw())}>${c.state.table ? 'as a chart' : 'as a table'}</button></span></header>
        <div class="chartbox" tabindex="0" role="group" aria-label="Due times">${c.state.table
          ? html`<table><thead><tr><th>From</th><th class="n">Messages</th><th class="n">Expected lateness</th></tr></thead><tbody>${buckets.filter((b) => b.count).map((b) => html`<tr><td>${time(b.at)}</td><td class="n">${count(b.count)}</td><td class="n">${b.expectedLateMillis ? span(b.expectedLateMillis) : '–'}</td></tr>`)}</tbody></table>`
          : dueChart({ buckets, spanMillis: forecast.widthMillis, selected, onSelect: select, limitText: limited ? `at the limit of ${rate(q.limits)}, an estimate` : '' })}</div></section>
        <section class="card"><header><h2>Lateness</h2><span class="sub">past minute</span></header><div class="chartbox" tabindex="0" role="group" aria-label="Lateness">${lateness.count ? histogram(bounds(lateness), `${plural(lateness.count, 'delivery', 'deliveries')} by ${plural(lateness.workers, 'worker')}`) : html`<p class="empty">No delivery was measured.</p>`}</div></section></div>
      ${list(c, q)}`;
  },
};
