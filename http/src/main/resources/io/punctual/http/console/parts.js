/** Parts that several screens use: icons, chips, tables, dialogs, and changes with an undo. */
import { html, svg, nothing } from './lit-html.js';
import * as api from './api.js';
import { count, span, time, fullTime, relative, plural, zones, chosenZone, chooseZone } from './format.js';
import { go } from './app.js';

const ICONS = {
  overview: svg`<path d="M2 13h12M4 13V8M8 13V3M12 13V6"/>`,
  queues: svg`<path d="M2 4h12M2 8h12M2 12h8"/>`,
  dead: svg`<path d="M8 2l6 11H2z"/><path d="M8 6v3M8 11v.3"/>`,
  recurring: svg`<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3"/>`,
  workers: svg`<circle cx="8" cy="5" r="2.6"/><path d="M3 14c.4-3 2.3-4.4 5-4.4s4.6 1.4 5 4.4"/>`,
  webhooks: svg`<path d="M2 8h9M8 4.5 11.5 8 8 11.5M14 3v10"/>`,
  tasks: svg`<path d="M2.5 4.5 4 6l2.5-3M2.5 11 4 12.5 6.5 9.5M9 5h5M9 11.5h5"/>`,
  audit: svg`<path d="M4 2h6l3 3v9H4zM6.5 7.5h4M6.5 10.5h4"/>`,
};
export const icon = (name) => html`<svg viewBox="0 0 16 16" aria-hidden="true">${ICONS[name]}</svg>`;

export const LOGO = html`<svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10" fill="none" stroke="var(--accent)" stroke-width="2.4"/><path d="M12 6.5V12l3.6 2.3" fill="none" stroke="var(--ink)" stroke-width="2.2" stroke-linecap="round"/><circle cx="12" cy="2" r="1.8" fill="var(--warn)"/></svg>`;

const GLYPHS = {
  bad: svg`<circle cx="12" cy="13" r="8"/><path d="M12 9v4l3 2M9 2h6"/>`,
  good: svg`<path d="M5 13l4.5 4.5L19 7"/>`,
  calm: svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3 2"/>`,
};

/** The first sentence of a screen: whether all is well, and if not, why and what next. */
export function verdict({ kind, title, text, buttons = nothing }) {
  const look = { bad: '', warn: 'warnv', good: 'good', calm: 'good' }[kind] ?? '';
  return html`<section class="verdict ${look}"><span class="glyph"><svg viewBox="0 0 24 24" aria-hidden="true">${GLYPHS[kind === 'warn' ? 'bad' : kind] ?? GLYPHS.calm}</svg></span>
    <div><h1 tabindex="-1">${title}</h1><p>${text}</p></div><div class="buttons">${buttons}</div></section>`;
}

const CHIPS = {
  late: ['bad', 'late', svg`<path d="M5 0l5 9H0z"/>`],
  limited: ['warn', 'limited', svg`<path d="M0 3h10v4H0z"/>`],
  paused: ['', 'paused', svg`<path d="M1 1h3v8H1zM6 1h3v8H6z"/>`],
  ontime: ['ok', 'on time', svg`<circle cx="5" cy="5" r="4"/>`],
  idle: ['', 'nothing scheduled', svg`<circle cx="5" cy="5" r="4"/>`],
};

/** The state of a queue as the server judges it. */
export function chip(state, text) {
  const [kind, name, shape] = CHIPS[state] ?? CHIPS.ontime;
  return html`<span class=${'chip ' + kind}><svg viewBox="0 0 10 10" aria-hidden="true">${shape}</svg>${text ?? name}</span>`;
}

const STATES = { SCHEDULED: ['', 'waiting'], READY: ['acc', 'ready'], LEASED: ['lease', 'running'], DEAD: ['bad', 'dead'], FINISHED: ['', 'finished'] };
export const stateChip = (state) => html`<span class=${'chip ' + (STATES[state]?.[0] ?? '')}>${STATES[state]?.[1] ?? state}</span>`;

export const at = (iso) => html`<span title=${fullTime(iso)}>${time(iso)} <span class="dim">${relative(iso)}</span></span>`;
export const ago = (iso) => html`<span title=${fullTime(iso)}>${relative(iso)}</span>`;

/** What the audit calls by its request, in plain words. */
const DEEDS = {
  'PUT workers/pause': 'paused the worker', 'DELETE workers/pause': 'resumed the worker',
  'PUT queues/pause': 'paused the queue', 'DELETE queues/pause': 'resumed the queue', 'DELETE queues': 'deleted the queue',
  'PUT queues/limits': 'set the limits', 'DELETE queues/limits': 'removed the limits',
  'POST tasks': 'began the task', 'DELETE tasks': 'ended the task',
  'PUT webhooks': 'set the webhook', 'DELETE webhooks': 'removed the webhook', 'POST webhooks/enable': 'enabled the webhook',
  'POST webhooks/keys': 'made a key of the webhook', 'POST webhooks/test': 'tested the webhook', 'POST webhooks/replay': 'replayed the webhook',
  'PUT queues/message': 'scheduled a message', 'PATCH queues/message': 'rescheduled a message', 'DELETE queues/message': 'cancelled a message',
  'POST queues/message/run': 'made a message due', 'POST queues/message/redrive': 'redrove a dead letter', 'DELETE queues/message/dead': 'deleted a dead letter',
};
export function deed({ action }) {
  const [method, path, kind] = action.split(' ');
  const words = DEEDS[`${method} ${path.replace('/v1/', '').replace(/\/\{\w+\}/g, '').replace('messages', 'message')}`] ?? action;
  return kind ? `${words}: ${kind.toLowerCase()}` : words;
}

/** Figures in a row: [name, value, note]. */
export const figures = (items) => html`<dl class="figures">${items.map(
  ([name, value, note, bad]) => html`<div><dt>${name}</dt><dd class=${bad ? 'bad' : ''}>${value}</dd><dd class="note">${note ?? nothing}</dd></div>`)}</dl>`;

export const percentiles = (lateness) =>
  lateness?.count
    ? html`<span class="two">${split(lateness.p50Millis, 'p50')} · ${split(lateness.p99Millis, 'p99')}</span>`
    : '–';
const split = (ms, name) => {
  const [n, ...unit] = span(ms).split(' ');
  return html`${n} <small>${unit.join(' ')} ${name}</small>`;
};

export const segments = (items, chosen, choose) => html`<span class="seg">${items.map(
  ([value, text]) => html`<button class=${value === chosen ? 'on' : ''} aria-pressed=${value === chosen} @click=${() => choose(value)}>${text}</button>`)}</span>`;

/** JSON with colours, as text nodes: nothing in it is read as markup. */
const json = (text) => api.pretty(text).split(/("[^"\\]*(?:\\.[^"\\]*)*":?|[\w+.-]+)/)
  .map((t, i) => (i % 2 ? html`<span class=${t.endsWith('"') ? 's' : 'k'}>${t}</span>` : t));

/** A payload of a message view: JSON, text or bytes; or why it is not shown. */
export function payload(message) {
  if (message.payloadBase64 != null) {
    const raw = atob(message.payloadBase64);
    return html`<pre class="pre-wide"><span class="x">${plural(raw.length, 'byte')}, not text</span>
${hex(raw)}</pre>`;
  }
  if (message.payload === undefined) return html`<p class="dim">This token has no right to payloads.</p>`;
  if (message.payloadText) return html`<pre class="pre-wide">${JSON.parse(message.payload)}</pre>`;
  return html`<pre class="pre-wide">${json(message.payload)}</pre>`;
}

function hex(raw, lines = 64) {
  const out = [];
  for (let i = 0; i < raw.length && out.length < lines; i += 16) {
    const part = [...raw.slice(i, i + 16)].map((c) => c.charCodeAt(0));
    out.push(`${i.toString(16).padStart(6, '0')}  ${part.map((b) => b.toString(16).padStart(2, '0')).join(' ').padEnd(47)}  ${part.map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : '·')).join('')}`);
  }
  if (raw.length > lines * 16) out.push(`… ${count(raw.length - lines * 16)} more bytes`);
  return out.join('\n');
}

/** A payload in one line of a table. */
export function brief(message) {
  if (message.payloadBase64 != null) return `${message.payloadBase64.length * 3 >> 2} bytes`;
  if (message.payload === undefined) return '';
  return message.payloadText ? JSON.parse(message.payload) : message.payload;
}

export const failure = (f) => html`<pre class="pre-wide"><span class="e">${f.type ? f.type + (f.text ? ': ' : '') : ''}${f.text ?? f.reason ?? ''}</span>${f.origin && !f.reason?.startsWith(f.origin) ? html`
    <span class="x">at</span> ${f.origin.replace(/^.* at /, '')}` : nothing}</pre>`;

// ---------------------------------------------------------------- messages to the reader

let toast = null, toastTimer = null;
const redraw = () => dispatchEvent(new Event('punctual-draw'));

/** Says what happened; an action, such as an undo, stays for five seconds. */
export function say(text, { error = false, action, actionText = 'Undo', millis = error ? 12_000 : 6000 } = {}) {
  clearTimeout(toastTimer);
  toast = { text, error, action, actionText };
  toastTimer = setTimeout(() => ((toast = null), redraw()), millis);
  redraw();
}

export const toastView = () =>
  toast
    ? html`<div class=${'toast' + (toast.error ? ' error' : '')} role=${toast.error ? 'alert' : 'status'}><span>${toast.text}</span>${toast.action
        ? html`<button data-key="undo" @click=${() => { const act = toast.action; toast = null; redraw(); act(); }}>${toast.actionText}</button>`
        : html`<button aria-label="Close" @click=${() => ((toast = null), redraw())}>×</button>`}</div>`
    : nothing;

let dialog = null;

/** Opens a dialog, also right after another one: `body` is drawn with its state, `run` answers its button and may throw. */
export function open(spec) {
  dialog = { state: {}, problem: null, busy: false, ...spec };
  redraw();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const element = document.querySelector('dialog');
    if (element && !element.open) element.showModal();
    if (dialog) dialog.shown = true;
    element?.querySelector('[autofocus], input, textarea, button')?.focus();
  }));
}

/** Whether a dialog is shown, or is about to be. */
export const hasDialog = () => dialog != null;

export function close() {
  document.querySelector('dialog')?.close();
  dialog = null;
  redraw();
}

async function submit(e) {
  e?.preventDefault();
  const d = dialog;
  d.busy = true;
  d.problem = null;
  redraw();
  try {
    const keep = await d.run(d.state);
    if (dialog === d && keep !== true) close();
  } catch (problem) {
    d.problem = problem.message;
  }
  d.busy = false;
  redraw();
}

export const dialogView = () =>
  dialog
    ? html`<dialog aria-labelledby="dialog-title" @cancel=${close} @close=${(e) => dialog?.shown && !e.target.open && ((dialog = null), redraw())}>
        <form @submit=${submit}><header><h2 id="dialog-title">${dialog.title}</h2></header>
          <div class="body">${dialog.body(dialog.state, redraw)}${dialog.problem ? html`<p class="problem" role="alert">${dialog.problem}</p>` : nothing}</div>
          <footer><button type="button" class="btn" @click=${close}>${dialog.run ? 'Cancel' : 'Close'}</button>${dialog.run
            ? html`<button class=${'btn ' + (dialog.danger ? 'danger' : 'primary')} ?disabled=${dialog.busy || dialog.ready?.(dialog.state) === false}>${typeof dialog.action === 'function' ? dialog.action(dialog.state) : dialog.action}</button>`
            : nothing}</footer></form></dialog>`
    : nothing;

export const field = (label, state, name, { kind = 'text', area = false, hint, options } = {}) => html`<label class="field">${label}${
  options
    ? html`<select class="in" .value=${state[name] ?? options[0][0]} @change=${(e) => ((state[name] = e.target.value), redraw())}>${options.map(([v, t]) => html`<option value=${v} ?selected=${v === (state[name] ?? options[0][0])}>${t}</option>`)}</select>`
    : area
      ? html`<textarea class="in" spellcheck="false" .value=${state[name] ?? ''} @input=${(e) => ((state[name] = e.target.value), redraw())}></textarea>`
      : html`<input class="in" type=${kind} autocomplete="off" spellcheck="false" .value=${state[name] ?? ''} @input=${(e) => ((state[name] = e.target.value), redraw())} />`}${hint ? html`<span class="dim">${hint}</span>` : nothing}</label>`;

const KEYS = [
  ['/', 'find a queue, or a message by its id'], ['g o', 'overview'], ['g q', 'queues'], ['g d', 'dead letters'], ['g r', 'recurring'],
  ['g w', 'workers'], ['g h', 'webhooks'], ['g t', 'tasks'], ['g a', 'audit'], ['j k', 'move in a list'], ['Enter', 'open'], ['x', 'select'],
  ['p', 'pause or resume the queue'], ['r', 'redrive'], ['t', 'try one first'], ['f', 'filter'], ['u', 'undo'], ['?', 'this list'],
];
export const showKeys = () =>
  open({ title: 'Keys', body: () => html`<div class="keys">${KEYS.map(([k, text]) => html`<span>${k.split(' ').map((x) => html`<kbd>${x}</kbd> `)}</span><span>${text}</span>`)}</div>` });

/** Asks for the zone of all times. */
export const pickZone = () =>
  open({ title: 'Times are shown in', action: 'Use this zone', state: { zone: chosenZone() }, body: (s) => field('Time zone', s, 'zone', { options: zones() }), run: async (s) => chooseZone(s.zone) });

/** The server waits so long before it begins a task, and an undo ends the task before it begins. */
const UNDO_MILLIS = 5000;

/**
 * A change of many messages as a task: asks for the reason, and above 1,000 for the queue's name; starts after five seconds,
 * in which it can be undone.
 *
 * @param task the request of the task without its reason
 * @param n how many messages match now
 */
export function changeMany({ title, text, action, danger, task, n, onStarted }) {
  const large = n > 1000;
  // An answer can be lost: who tries again in this dialog begins no second task.
  const id = 'console-' + Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, '0')).join('');
  open({
    title, action, danger,
    ready: (s) => !large || s.name === task.queue,
    body: (s) => html`<p>${text}</p>${field('Why? It stands in the audit', s, 'reason')}
      ${large ? field(`More than 1,000 messages: type the queue's name, ${task.queue}`, s, 'name') : nothing}`,
    run: async (s) => {
      await api.post('tasks', { ...task, id, reason: s.reason || undefined, delay: UNDO_MILLIS + 'ms' });
      const begun = setTimeout(() => {
        say(`${title}: started.`, { action: () => go('tasks'), actionText: 'Show' });
        onStarted?.();
      }, UNDO_MILLIS + 500);
      const undo = async () => {
        clearTimeout(begun);
        const ended = await api.remove(`tasks/${api.segment(id)}`);
        onStarted?.();
        say(ended.state === 'CANCELLED' && !ended.changed ? 'Nothing was changed.' : 'The task ends; some messages are changed already.');
      };
      say(`${title}: starts in 5 s.`, { millis: UNDO_MILLIS, action: () => undo().catch((e) => say(e.message, { error: true })) });
    },
  });
}

/** Asks for the reason, and pauses or resumes a queue. */
export function pauseQueue(queue, paused, done) {
  if (paused) {
    return api.remove(`queues/${api.segment(queue)}/pause`).then(() => (say(`${queue} runs again.`), done()), (e) => say(e.message, { error: true }));
  }
  open({
    title: `Pause ${queue}`, action: 'Pause',
    body: (s) => html`<p>Workers finish what they have, and receive nothing more until somebody resumes the queue. Schedules are accepted.</p>${field('Why?', s, 'reason')}`,
    run: async (s) => {
      await api.put(`queues/${api.segment(queue)}/pause`, { reason: s.reason || undefined });
      say(`${queue} is paused.`);
      done();
    },
  });
}

/** Buttons for the next page of a list, and for the first. */
export const more = (shown, total, next, first) => html`<div class="more"><span>${count(shown)}${total != null ? ` of ${count(total)}` : ''} shown</span>${first ? html`<button class="btn small" @click=${first}>First page</button>` : nothing}${next ? html`<button class="btn small" @click=${next}>Show more</button>` : nothing}</div>`;
