/** A message: its state in a sentence, its life, its failures, its payload, and what can be done with it. */
import { html, nothing } from '../lit-html.js';
import { stateChip, at, payload, failure, open, field, say } from '../parts.js';
import { lifeline } from '../charts.js';
import { span, time, relative, plural, rhythm, visible } from '../format.js';
import { link, go } from '../app.js';
import { segment, messagePath, pretty } from '../api.js';
import { holder } from './queue.js';

function sentence(m, now) {
  switch (m.state) {
    case 'SCHEDULED': return `Waits until ${time(m.dueAt)}, ${relative(m.dueAt, now)}.`;
    case 'READY': return `Is due since ${time(m.dueAt)}, and no worker has it yet.`;
    case 'LEASED': return `${holder(m.leaseHolder)} has it for ${span(Math.max(0, new Date(m.leasedUntil) - now))} more.${m.cancelled ? ' It was cancelled meanwhile, and will not come back.' : ''}`;
    case 'DEAD': return `Died ${relative(m.diedAt, now)}: ${(m.deadReason ?? 'unknown').toLowerCase().replaceAll('_', ' ')}.`;
    default: return `Is finished. Its id is remembered until ${time(m.rememberedUntil)}.`;
  }
}

function life(m) {
  const events = [];
  if (m.createdAt) events.push({ at: +new Date(m.createdAt), label: 'scheduled', kind: 'start' });
  for (const f of m.failures ?? []) events.push({ at: +new Date(f.at), label: String(f.attempt), kind: 'try' });
  if (m.diedAt) events.push({ at: +new Date(m.diedAt), label: 'dead', kind: 'dead' });
  else if (m.state === 'LEASED') events.push({ at: Date.now(), label: 'runs', kind: 'run' });
  else if (m.dueAt) events.push({ at: +new Date(m.dueAt), label: 'due', kind: 'next' });
  return events.sort((a, b) => a.at - b.at);
}

/** Redrives a dead letter, if wanted with another payload, which is shown as a difference. */
async function redrive(c, queue, m, changed) {
  if (!changed) return act(c, () => c.api.post(messagePath(queue, m.id, '/redrive')), 'It is due again.');
  const bytes = await c.api.get(messagePath(queue, m.id, '/payload')).catch((e) => say(e.message, { error: true }));
  if (!bytes) return;
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytes.arrayBuffer()), lines = m.payloadText ? String : pretty;
  // A field has line feeds only.
  const after = (s) => (before.includes('\r\n') ? s.payload.replace(/\r?\n/g, '\r\n') : s.payload);
  open({
    title: `Redrive ${m.id} with another payload`, action: 'Redrive', state: { payload: before },
    body: (s) => html`${field('Payload', s, 'payload', { area: true })}${after(s) === before ? html`<p class="dim">Not changed yet.</p>` : html`<pre class="pre-wide">${difference(lines(before), lines(after(s)))}</pre>`}`,
    run: async (s) => {
      if (!m.payloadText) JSON.parse(s.payload);
      await c.api.post(messagePath(queue, m.id, '/redrive'), new Blob([after(s)], { type: 'application/octet-stream' }));
      say(`${m.id} is due again, with the changed payload.`);
      c.load();
    },
  });
}

function difference(before, after) {
  const old = before.split('\n'), now = after.split('\n');
  return [...old.filter((l) => !now.includes(l)).map((l) => html`<span class="diff-old">- ${l}</span>
`), ...now.filter((l) => !old.includes(l)).map((l) => html`<span class="diff-new">+ ${l}</span>
`)];
}

async function act(c, change, done) {
  try {
    const answer = await change();
    say(answer?.outcome && !/^(CANCELLED|RESCHEDULED|REDRIVEN|DONE|DELETED)$/.test(answer.outcome) ? `${answer.outcome.toLowerCase().replaceAll('_', ' ')}.` : done);
  } catch (e) {
    say(e.message, { error: true });
  }
  c.load();
}

function reschedule(c, queue, m) {
  open({
    title: `Reschedule ${m.id}`, action: 'Reschedule', state: { due: '1h' },
    body: (s) => field('Due', s, 'due', { hint: 'a delay from now, such as 10m, or a time, such as 2026-12-24T18:00:00Z' }),
    run: async (s) => {
      await c.api.patch(messagePath(queue, m.id), /^\d{4}-/.test(s.due) ? { dueAt: s.due } : { delay: s.due });
      say(`${m.id} has a new due time.`);
      c.load();
    },
  });
}

export const message = {
  title: (p) => p.id,
  every: 2000,
  async load({ api, params, signal }) {
    try {
      return { message: await api.get(messagePath(params.queue, params.id), null, signal) };
    } catch (e) {
      if (e.status === 404) return { message: null };
      throw e;
    }
  },
  view(c) {
    const { queue, id } = c.params, m = c.data.message, waits = m && ['SCHEDULED', 'READY'].includes(m.state);
    const crumbs = html`<p class="crumbs"><a href=${link('queues')}>Queues</a> / <a href=${link(`q/${segment(queue)}`)}>${visible(queue)}</a> / ${visible(id)}</p>`;
    if (!m) {
      return html`${crumbs}<section class="card empty"><h1 tabindex="-1">No message has this id</h1><p>It may be finished: ids are kept only with rememberFor.</p>
        <p><a class="link" href=${link(`q/${segment(queue)}`)}>The queue ${queue}</a></p></section>`;
    }
    const path = (rest) => messagePath(queue, id, rest);
    return html`${crumbs}<div class="title"><h1 class="mono" tabindex="-1">${visible(m.id)}</h1>${stateChip(m.state)}<div class="buttons">
        ${waits && c.may('PRODUCE', queue) ? html`<button class="btn" @click=${() => act(c, () => c.api.post(path('/run')), 'It is due now.')}>Run now</button><button class="btn" @click=${() => reschedule(c, queue, m)}>Reschedule</button>` : nothing}
        ${(waits || m.state === 'LEASED') && c.may('PRODUCE', queue) ? html`<button class="btn danger" @click=${() => act(c, () => c.api.remove(path('')), 'It is cancelled.')}>Cancel</button>` : nothing}
        ${m.state === 'DEAD' && c.may('OPERATE', queue) ? html`<button class="btn primary" data-key="redrive" @click=${() => redrive(c, queue, m, false)}>Redrive</button>${m.payload !== undefined && c.may('PAYLOADS', queue) ? html`<button class="btn" @click=${() => redrive(c, queue, m, true)}>Redrive with another payload</button>` : nothing}` : nothing}</div></div>
      <p>${sentence(m, c.now)}</p>
      <section class="card"><header><h2>Its life</h2><span class="sub">${plural(m.attempts, 'attempt')}</span></header><div class="chartbox" tabindex="0" role="group" aria-label="Life of the message">${lifeline(life(m))}</div></section>
      <div class="cols halves"><section class="card"><header><h2>Facts</h2></header><div class="pad"><dl class="facts">
          <dt>Due</dt><dd>${at(m.dueAt)}</dd>${m.createdAt ? html`<dt>Created</dt><dd>${at(m.createdAt)}</dd>` : nothing}${m.notAfter ? html`<dt>Not after</dt><dd>${at(m.notAfter)}</dd>` : nothing}
          ${m.leasedUntil ? html`<dt>Leased until</dt><dd>${at(m.leasedUntil)}</dd><dt>Held by</dt><dd>${holder(m.leaseHolder)}</dd>` : nothing}
          ${m.recurrence ? html`<dt>Recurs</dt><dd title=${m.recurrence}>${rhythm(m.recurrence)}</dd>` : nothing}${m.nextOccurrences?.length ? html`<dt>Then</dt><dd>${m.nextOccurrences.map((t) => html`<div>${at(t)}</div>`)}</dd>` : nothing}
          ${Object.entries(m.headers ?? {}).map(([k, v]) => html`<dt>${k}</dt><dd class="mono">${v}</dd>`)}</dl></div></section>
        <section class="card"><header><h2>Payload</h2>${c.may('PAYLOADS', queue) ? html`<span class="end"><button class="link" @click=${() => save(c, queue, id)}>save the bytes</button></span>` : nothing}</header><div class="pad">${payload(m)}</div></section></div>
      ${m.failures?.length || m.reason ? html`<section class="card"><header><h2>Failures</h2><span class="sub">newest first</span></header><div class="pad gap">${m.reason && !m.failures?.length ? failure({ reason: m.reason, origin: m.origin }) : nothing}${[...(m.failures ?? [])].reverse().map((f) => html`<div><p class="dim">Attempt ${f.attempt}, ${at(f.at)}</p>${failure({ text: f.error })}</div>`)}</div></section>` : nothing}`;
  },
};

async function save(c, queue, id) {
  const bytes = await c.api.get(messagePath(queue, id, '/payload'));
  const a = document.createElement('a');
  a.href = URL.createObjectURL(bytes);
  a.download = 'payload.bin';
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
