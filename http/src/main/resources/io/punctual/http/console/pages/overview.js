/** The overview: one sentence, an hour behind and an hour ahead, five figures, and the queues that need somebody. */
import { html, nothing } from '../lit-html.js';
import { verdict, figures, percentiles, segments, say } from '../parts.js';
import { timeline } from '../charts.js';
import { count, span, clock, nearMinute, time } from '../format.js';
import { link, filter } from '../app.js';
import { base, proof, segment } from '../api.js';
import { queueTable } from './queues.js';
import { worstLateness } from './queue.js';

const WINDOWS = [['PT1H', '1 h'], ['PT6H', '6 h'], ['P1D', '1 d'], ['P7D', '7 d']];

const TITLES = { PT1H: 'An hour behind, an hour ahead', PT6H: 'Six hours behind, six hours ahead', P1D: 'A day behind, a day ahead', P7D: 'A day behind, a week ahead' };

const buttons = (v) => (v.queue ? html`<a class="btn primary" href=${link(`q/${segment(v.queue)}`)}>Open the queue</a><a class="btn" href=${link('workers')}>Workers</a>` : nothing);

const PROMISES = {
  memory: 'keeps messages until this server ends.',
  journal: 'keeps messages on this disk, also over a crash or a power cut.',
};

function firstRun(o) {
  const here = new URL('.', base).href.replace(/\/v1\/$/, ''), name = o.store?.name ?? '';
  // Where callers must say who they are, the examples say it too.
  const guarded = Boolean(proof());
  const header = guarded ? html`  -H <span class="s">"authorization: Bearer $TOKEN"</span> <span class="x">\\</span>
` : nothing;
  return html`${verdict({ kind: 'calm', title: 'The server runs. Nothing is scheduled yet.', text: html`The store <span class="mono">${name}</span> ${PROMISES[name.split(':')[0]] ?? 'keeps the messages.'}` })}
    <section class="card"><header><h2>Schedule the first message</h2><span class="sub">this page shows it at once</span></header><div class="first">
      <div><h3>In the shell</h3><pre>curl -X PUT ${here}/v1/queues/reminders/messages/tea <span class="x">\\</span>
${header}  -H <span class="s">'content-type: application/json'</span> <span class="x">\\</span>
  -d <span class="s">'{"payload": "ready", "delay": "PT10S"}'</span></pre></div>
      <div><h3>Receive it</h3><pre>curl -X POST ${here}/v1/queues/reminders/claims <span class="x">\\</span>
${header}  -H <span class="s">'content-type: application/json'</span> <span class="x">\\</span>
  -d <span class="s">'{"max": 1, "wait": "PT20S", "lease": "PT30S"}'</span></pre></div>
      <div><h3>Python</h3><pre><span class="k">from</span> punctual <span class="k">import</span> Punctual
q = Punctual(<span class="s">"${here}"</span>${guarded ? ', token=token' : ''}).queue(<span class="s">"reminders"</span>)
q.schedule(<span class="s">"ready"</span>, delay=<span class="s">"10s"</span>, id=<span class="s">"tea"</span>)</pre></div>
      <div><h3>Java</h3><pre>Punctual p = Punctual.open(<span class="s">"${here}${guarded ? '?tokenFile=token.txt' : ''}"</span>);
p.queue(<span class="s">"reminders"</span>, Codec.string())
    .schedule(<span class="s">"ready"</span>, Duration.ofSeconds(10));</pre></div></div></section>`;
}

async function examples({ api }) {
  const messages = Array.from({ length: 500 }, (_, i) => ({
    id: `demo-${i + 1}`, payload: { order: i + 1, total: (((i * 7919) % 9000) + 100) / 100 }, delay: `PT${Math.round(((i + 1) * 600) / 500)}S`,
  }));
  await api.post('queues/demo/messages', messages);
  say('500 messages are due over the next 10 minutes in the queue demo.', {
    actionText: 'Remove them', millis: 20_000,
    action: () => api.remove('queues/demo', { withMessages: true, confirm: 'demo' }).then(() => say('The queue demo is gone.')),
  });
}

/** The queue that its limit will make late most in the next hour. */
async function expected(api, rows, signal) {
  const load = (q) => Math.max(0, ...(q.due ?? [])) / (q.limits.rate / (q.limits.perMillis ?? 1000));
  const busiest = rows.filter((q) => q.limits?.rate > 0 && !q.paused).reduce((a, b) => (!a || load(b) > load(a) ? b : a), null);
  if (!busiest || load(busiest) < 1000) return null;
  const step = 3600_000 / busiest.due.length, from = Date.now() + busiest.due.indexOf(Math.max(...busiest.due)) * step;
  return worstLateness(api, busiest.queue, busiest.limits, from, from + step, signal);
}

export const overview = {
  title: () => 'Overview',
  every: 5000,
  async load({ api, query, signal, isLive, overview: newest }) {
    const [overview, rows] = await Promise.all([
      // Events bring the hour.
      isLive && newest && !query.get('window') ? newest : api.get('overview', { window: query.get('window') ?? 'PT1H' }, signal),
      api.get('overview/queues', { sort: query.get('sort') ?? 'attention', limit: 20 }, signal),
    ]);
    return { ...overview, rows: rows.queues, expected: await expected(api, rows.queues, signal) };
  },
  view(c) {
    // The events bring the newest verdict and figures; the answer of the load has what the address asks for.
    const newer = c.overview && c.overview.at > c.data.at ? c.overview : null;
    const o = newer ? { ...newer, rows: c.data.rows, expected: c.data.expected, ...(c.query.get('window') ? { history: c.data.history, forecast: c.data.forecast } : {}) } : c.data;
    const v = c.outage ? { kind: 'bad', title: 'The store does not answer', text: `What you see is from ${clock(o.at)}.`, next: 'start the store, or mend the way to it' } : o.verdict;
    if (!o.queues) {
      return html`${firstRun(o)}${c.may('PRODUCE', 'demo') ? html`<section class="card"><header><h2>Or look around with examples</h2></header>
        <div class="pad"><button class="btn" @click=${() => examples(c).then(c.load)}>Schedule 500 example messages</button> in the queue <b>demo</b>, over the next 10 minutes. One click removes them again.</div></section>` : nothing}`;
    }
    const width = o.history.widthMillis, late = width >= 60_000 ? o.ready : 0;
    const past = o.history.spans.map((s, i, all) => ({ ...s, at: +new Date(s.from), waiting: i === all.length - 1 && o.overdueMillis > 1000 ? late : 0 }));
    const future = (o.forecast?.spans ?? []).map((s) => ({ ...s, at: +new Date(s.from) }));
    const busiest = future.reduce((a, b) => (b.count > (a?.count ?? 0) ? b : a), null), due = future.reduce((a, b) => a + b.count, 0);
    const expects = o.expected, lateText = expects && `${count(expects.count)} ${expects.queue}: up to ${span(expects.lateMillis)} late`;
    const atPeak = expects && busiest && expects.at >= busiest.at - width && expects.at < busiest.at + 2 * width;
    return html`${verdict({ kind: v.kind, title: v.title, text: html`${v.text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (t) => time(t))}${v.next ? html` <strong>${v.next[0].toUpperCase() + v.next.slice(1)}.</strong>` : nothing}`, buttons: buttons(v) })}
      <section class="card"><header><h2>${TITLES[c.query.get('window') ?? 'PT1H'] ?? TITLES.PT1H}</h2><span class="sub">messages ${width === 60_000 ? 'a minute' : `in ${span(width)}`}, all queues${expects && !atPeak ? html` · <b class="warnt">${nearMinute(expects.at)}: ${lateText}</b>` : nothing}</span><span class="end">
          <span class="key"><i class="k-ok"></i>on time</span><span class="key"><i class="k-warn"></i>late by 1 s or more</span><span class="key"><i class="k-bad"></i>due, still waiting</span><span class="key"><i class="k-fut"></i>scheduled</span>
          ${segments(WINDOWS, c.query.get('window') ?? 'PT1H', (w) => filter({ window: w === 'PT1H' ? null : w }))}</span></header>
        <div class="chartbox centred" tabindex="0" role="region" aria-label="Deliveries and due times">${timeline({ past, future, spanMillis: width, now: c.now, note: atPeak ? lateText : null })}</div>
        ${c.now - new Date(o.history.since) < past.length * width ? html`<p class="pad dim">Deliveries are counted since ${clock(o.history.since)}, when this server began.</p>` : nothing}</section>
      ${figures([
        ['Delivered in the past hour', count(o.delivered), o.delivered ? `${((100 * o.deliveredOnTime) / o.delivered).toFixed(o.deliveredOnTime === o.delivered ? 0 : 2)} % on time` : 'nothing yet'],
        ['Lateness, past minute', percentiles(o.lateness), o.lateness?.count ? `greatest ${span(o.lateness.maxMillis)}` : 'no delivery'],
        [`Due in the next ${{ PT6H: '6 hours', P1D: 'day', P7D: '7 days' }[c.query.get('window')] ?? 'hour'}`, count(due), busiest ? `busiest ${nearMinute(busiest.at)}` : 'nothing'],
        ['Ready and unclaimed', count(o.ready), o.ready ? `oldest ${span(o.overdueMillis)}` : 'nothing waits', o.overdueMillis > 1000],
        ['Dead letters', count(o.dead), o.dead ? html`<a class="bad" href=${link('dead')}>look at them</a>` : 'none', o.dead > 0],
      ])}
      ${queueTable(c, o.rows, { title: 'Queues', sub: `${{ name: 'by name', busiest: 'busiest first' }[c.query.get('sort')] ?? 'those that need you first'} · ${o.rows.length} of ${count(o.queues)}${o.more ? ' and more' : ''}`, sort: c.query.get('sort') ?? 'attention' })}
      <p class="foothint"><span><kbd>j</kbd> <kbd>k</kbd> move</span><span><kbd>Enter</kbd> open</span><span><kbd>g</kbd> <kbd>d</kbd> dead letters</span><span><kbd>?</kbd> all keys</span></p>`;
  },
};
