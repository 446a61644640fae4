/** The frame of the console: addresses to screens, the rail, keys, and what is live. */
import { html, render, nothing } from './lit-html.js';
import * as api from './api.js';
import { clock, compact, count, zoneName, visible } from './format.js';
import { icon, LOGO, toastView, dialogView, hasDialog, close, showKeys, pickZone, say } from './parts.js';
import { overview } from './pages/overview.js';
import { queues } from './pages/queues.js';
import { queue } from './pages/queue.js';
import { message } from './pages/message.js';
import { deadLetters } from './pages/dead-letters.js';
import { recurring } from './pages/recurring.js';
import { workers } from './pages/workers.js';
import { webhooks, webhook } from './pages/webhooks.js';
import { tasks } from './pages/tasks.js';
import { audit } from './pages/audit.js';
import { signIn } from './pages/sign-in.js';

/** Screens by address: the names of groups are parameters. */
const ROUTES = [
  [/^$/, overview, 'overview'],
  [/^queues$/, queues, 'queues'],
  [/^q\/(?<queue>[^/]+)$/, queue, 'queues'],
  [/^q\/(?<queue>[^/]+)\/m(?:\/(?<id>[^/]+))?$/, message, 'queues'],
  [/^q\/(?<queue>[^/]+)\/dead$/, deadLetters, 'dead'],
  [/^dead$/, deadLetters, 'dead'],
  [/^recurring$/, recurring, 'recurring'],
  [/^workers$/, workers, 'workers'],
  [/^webhooks$/, webhooks, 'webhooks'],
  [/^webhooks\/(?<webhook>[^/]+)$/, webhook, 'webhooks'],
  [/^tasks$/, tasks, 'tasks'],
  [/^audit$/, audit, 'audit'],
];

const RAIL = [
  ['overview', '', 'Overview'],
  ['queues', 'queues', 'Queues', (o) => o?.queues, false, (o) => (o.more ? '+' : '')],
  ['dead', 'dead', 'Dead letters', (o) => o?.dead, true],
  ['recurring', 'recurring', 'Recurring'],
  ['workers', 'workers', 'Workers', (o) => o?.workers],
  ['webhooks', 'webhooks', 'Webhooks'],
  ['tasks', 'tasks', 'Tasks'],
  ['audit', 'audit', 'Audit'],
];

const app = {
  screen: null, params: {}, query: new URLSearchParams(), state: {}, data: null, problem: null, loading: false,
  overview: null, isLive: false, lastTick: null, storeProblem: null, outage: null, caller: null, cursor: -1, signInProblem: null,
};
let known = Promise.resolve(), loading = null, timer = null, stopEvents = null, drawing = false;

const path = () => decodeURI(location.pathname.slice(api.root.pathname.length)).replace(/\/$/, '');
const rawPath = () => location.pathname.slice(api.root.pathname.length).replace(/\/$/, '');

export const link = (to, query) => {
  const url = new URL(to, api.root);
  for (const [k, v] of Object.entries(query ?? {})) if (v != null && v !== '') url.searchParams.set(k, v);
  return url.pathname + url.search;
};

export function go(to, query, replace = false) {
  history[replace ? 'replaceState' : 'pushState'](null, '', link(to, query));
  open();
}

/** Changes parameters of the address without leaving the screen. */
export function filter(changes, replace = true) {
  const url = new URL(location.href);
  for (const [k, v] of Object.entries(changes)) {
    if (v == null || v === '') url.searchParams.delete(k);
    else url.searchParams.set(k, v);
  }
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  app.query = url.searchParams;
  load();
}

function open() {
  const raw = rawPath();
  const found = ROUTES.map(([pattern, screen, rail]) => ({ match: pattern.exec(raw), screen, rail })).find((r) => r.match);
  const before = app.screen;
  app.screen = found?.screen ?? null;
  app.rail = found?.rail;
  app.query = new URL(location.href).searchParams;
  const names = Object.entries(found?.match.groups ?? {}).filter(([, v]) => v != null);
  app.params = { id: app.query.get('id'), ...Object.fromEntries(names.map(([k, v]) => [k, decodeURIComponent(v)])) };
  app.state = {};
  app.data = null;
  app.problem = null;
  app.cursor = -1;
  load();
  if (before) {
    scrollTo(0, 0);
    queueMicrotask(() => document.querySelector('main h1')?.focus?.({ preventScroll: true }));
  }
}

/** Loads what the screen shows; a newer load ends an older one. */
export async function load() {
  clearTimeout(timer);
  loading?.abort();
  const control = (loading = new AbortController());
  const screen = app.screen;
  if (!screen) return draw();
  app.loading = true;
  draw();
  try {
    await known;
    const data = await screen.load({ ...context(), signal: control.signal });
    if (control.signal.aborted) return;
    app.data = data;
    app.problem = null;
  } catch (e) {
    if (e.name === 'AbortError' || control.signal.aborted) return;
    if (e.status === 401) return ask();
    app.problem = e;
  }
  app.loading = false;
  draw();
  if (screen.every) timer = setTimeout(() => (document.hidden ? resumeLater() : load()), screen.every);
}

const resumeLater = () => document.addEventListener('visibilitychange', () => load(), { once: true });

function ask() {
  stopEvents?.();
  stopEvents = null;
  app.loading = false;
  app.screen = signIn;
  draw();
}

export function signedIn(value) {
  api.setProof('token', value);
  app.signInProblem = null;
  listen();
  open();
}

/** Uses the link of the terminal, which must not stay in the address or in the history. */
async function begin() {
  const link = /^#sign-in=(.+)$/.exec(location.hash)?.[1];
  if (link) {
    history.replaceState(null, '', location.pathname + location.search);
    try {
      await api.useLink(link);
    } catch (e) {
      app.signInProblem = e.message;
    }
  }
  listen();
  open();
}

const context = () => ({
  api, params: app.params, query: app.query, state: app.state, data: app.data, problem: app.problem, loading: app.loading, isLive: app.isLive,
  signInProblem: app.signInProblem, overview: app.overview, outage: app.outage, caller: app.caller, now: Date.now(), draw, load, may,
});

/** Whether the caller has a right to a queue; buttons without the right are absent. */
function may(right, queue) {
  const caller = app.caller;
  if (!caller) return false;
  if (caller.readOnly && right !== 'OBSERVE' && right !== 'PAYLOADS') return false;
  return caller.grants.some((g) => g.right === right && (queue == null || queue.startsWith(g.prefix)));
}

function listen() {
  stopEvents?.();
  known = api.get('caller').then((c) => void (app.caller = c), (e) => e.status === 401 && ask());
  stopEvents = api.events(
    'events',
    (name, data) => {
      if (name === 'overview') {
        app.lastTick = Date.now();
        app.overview = data;
        app.outage = null;
      } else if (name === 'problem') {
        // The server answers, and its store does not.
        app.outage = { since: app.outage?.since ?? Date.now(), text: data.detail ?? data.title };
      }
      draw();
    },
    (live, problem) => {
      if (problem?.status === 401) return ask();
      app.isLive = live;
      app.storeProblem = live ? null : problem;
      draw();
    },
  );
}

function rail() {
  return html`<nav class=${'rail' + (app.isLive ? '' : ' stale')} aria-label="Main">
    <a class="brand" href=${link('')}>${LOGO}Punctual</a>
    ${RAIL.map(([key, to, text, value, hot, more]) => {
      const n = value?.(app.overview), shown = n ? compact(n) + (more?.(app.overview) ?? '') : '';
      return html`<a class=${'nav' + (app.rail === key ? ' here' : '')} aria-current=${app.rail === key ? 'page' : nothing} href=${link(to)} title=${text}
        aria-label=${n ? `${text}, ${count(n)}` : text}>${icon(key)}${text}${n ? html`<b class=${hot ? 'hot' : ''}>${shown}</b>` : nothing}</a>`;
    })}
    ${foot('wide')}
  </nav>`;
}

/** Below the rail, or on a narrow screen below the page. */
function foot(place) {
  const store = app.overview?.store, away = app.outage || store?.reachable === false;
  return html`<div class=${'foot ' + place}>
      <span class=${'dot' + (away ? ' bad' : app.isLive ? '' : ' off')}></span><strong>${
        !app.isLive ? 'No news from the server' : away ? 'Store does not answer' : store ? 'Store answers' : '…'}</strong><br />
      <span class="mono">${store?.name ?? ''}</span><br />
      ${app.caller?.name ?? ''}${app.caller?.readOnly ? ' · read-only' : ''}${api.proof()
        ? html` · <button class="link" @click=${() => api.signOut().then(() => location.reload())}>sign out</button>` : nothing}
      · <button class="link" title="Times are shown in this zone" @click=${pickZone}>${zoneName()}</button>
    </div>`;
}

let hits = null, hitIndex = 0, searching = null, wanted = '';

function search(text) {
  clearTimeout(searching);
  wanted = text;
  if (!text) return (hits = null), draw();
  searching = setTimeout(() => lookUp(text), 150);
}

async function lookUp(text) {
  let found, problem, names = { queues: [] };
  try {
    [names, found] = await Promise.all([
      // An id may have characters that no queue's name has.
      /^[\w.-]{1,200}$/.test(text) ? api.get('queues', { prefix: text, limit: 8 }) : names,
      api.get('find', { id: text }).catch((e) => void (problem = e)),
    ]);
  } catch (e) {
    problem = e;
  }
  if (text !== wanted) return;
  const isBusy = problem?.status === 429;
  if (isBusy) searching = setTimeout(() => lookUp(text), problem.retryAfter * 1000);
  hits = {
    text,
    problem: isBusy ? 'Another search is not yet done. This one begins after it.' : problem?.message,
    items: [
      ...(found?.found ?? []).map((f) => ({ to: api.screenOf(f.queue, text), label: text, under: `message in ${f.queue}` })),
      ...(names.queues ?? []).map((q) => ({ to: `q/${api.segment(q.queue)}`, label: q.queue, under: 'queue' })),
    ],
  };
  hitIndex = 0;
  draw();
}

function leaveSearch() {
  const input = document.querySelector('.find input');
  if (input) (input.value = ''), input.blur();
  search('');
}

function searchKeys(e) {
  const items = hits?.items ?? [];
  if (e.key === 'ArrowDown') hitIndex = Math.min(hitIndex + 1, items.length - 1);
  else if (e.key === 'ArrowUp') hitIndex = Math.max(hitIndex - 1, 0);
  else if (e.key === 'Enter' && items[hitIndex]) {
    const to = items[hitIndex].to;
    leaveSearch();
    return go(to);
  } else if (e.key === 'Escape') return leaveSearch();
  else return;
  e.preventDefault();
  draw();
}

function top() {
  return html`<div class="top"><div class="find" role="search"><svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="7" cy="7" r="4.6"/><path d="M10.5 10.5 14 14"/></svg>
      <input type="search" aria-label="Find a queue, or a message by its id" placeholder="Find a queue, or a message by its id" autocomplete="off" spellcheck="false"
        @input=${(e) => search(e.target.value)} @keydown=${searchKeys} /><kbd aria-hidden="true">/</kbd>
      ${hits
        ? html`<div class="hits" aria-live="polite">${hits.problem ? html`<p>${hits.problem}</p>` : nothing}${hits.items.length || hits.problem
            ? hits.items.map((h, i) => html`<a class=${i === hitIndex ? 'on' : ''} href=${link(h.to)} @click=${() => (wanted = '', hits = null)}>${visible(h.label)} <span class="dim">${h.under}</span></a>`)
            : html`<p>No queue begins with “${hits.text}”, and no message has this id.</p>`}</div>`
        : nothing}</div>
    <div class=${'right' + (app.isLive ? '' : ' stale')}><span class="live" role="status"><span class="pulse"></span>${
      app.isLive ? 'live' : app.lastTick ? `as of ${clock(app.lastTick)}` : 'connecting'}</span><span class="clock" aria-hidden="true">${clock(Date.now())}</span>
      <button class="link" aria-label="All keys" @click=${showKeys}><kbd>?</kbd></button></div></div>`;
}

function notice() {
  const store = app.overview?.store;
  if (app.storeProblem && app.lastTick) {
    return html`<p class="problem" role="alert">${app.storeProblem.message}. Shown: ${clock(app.lastTick)}.</p>`;
  }
  const outage = app.outage ?? (store?.reachable === false ? { since: store.since, text: store.problem } : null);
  if (outage) {
    return html`<p class="problem" role="alert">The store does not answer since ${clock(outage.since)}${outage.text ? ` (${outage.text})` : ''}.${app.lastTick ? ` Shown: ${clock(app.lastTick)}.` : ''}</p>`;
  }
  return nothing;
}

function body() {
  if (!app.screen) return html`<section class="card empty"><h1>No such page</h1><p><a class="link" href=${link('')}>Overview</a></p></section>`;
  if (app.problem && !app.data) {
    const p = app.problem;
    if (p.status === 403) return html`<section class="card empty"><h1>Not allowed</h1><p>This token may not see this. It may see: ${(app.caller?.grants ?? []).map((g) => `${g.right.toLowerCase()} ${g.prefix || 'all queues'}`).join(', ')}.</p></section>`;
    return html`<section class="card empty"><h1>${p.title ?? 'This can’t be shown now'}</h1><p>${p.message}</p><p><button class="btn" @click=${load}>Try again</button></p></section>`;
  }
  if (!app.data && app.screen.load && app.screen !== signIn) return html`<p class="dim" role="status">Loading …</p>`;
  return app.screen.view(context());
}

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    const title = app.screen?.title?.(app.params) ?? 'Punctual';
    document.title = `${title} · Punctual`;
    render(
      app.screen === signIn
        ? html`<main>${signIn.view(context())}</main>${toastView()}`
        : html`${rail()}<main>${top()}${notice()}${body()}${foot('narrow')}</main>${toastView()}${dialogView()}`,
      document.body,
    );
    mark();
  });
}

const rows = () => [...document.querySelectorAll('main tbody tr[data-to], main .grp[data-key]')];

function mark() {
  // A wide chart on a narrow screen begins at the present.
  for (const box of document.querySelectorAll('.chartbox.centred:not([data-placed])')) {
    box.dataset.placed = '';
    box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
  }
  rows().forEach((row, i) => row.classList.toggle('cursor', i === app.cursor));
}

const GO = { o: '', q: 'queues', d: 'dead', r: 'recurring', w: 'workers', h: 'webhooks', t: 'tasks', a: 'audit' };
let prefix = null;

function keys(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) || e.target.isContentEditable;
  if (hasDialog()) {
    // A dialog that is not shown yet does not get the key.
    if (e.key === 'Escape' && !document.querySelector('dialog[open]')) close();
    return;
  }
  if (typing) return;
  if (prefix === 'g') {
    prefix = null;
    if (e.key in GO) return e.preventDefault(), go(GO[e.key]);
  }
  const list = rows();
  const act = (selector) => {
    const button = document.querySelector(`[data-key="${selector}"]:not(:disabled)`);
    if (button) e.preventDefault(), button.click();
  };
  switch (e.key) {
    case '/': e.preventDefault(); document.querySelector('.find input')?.focus(); break;
    case '?': showKeys(); break;
    case 'g': prefix = 'g'; setTimeout(() => (prefix = null), 1200); break;
    case 'j': case 'k':
      app.cursor = Math.max(0, Math.min(list.length - 1, app.cursor + (e.key === 'j' ? 1 : -1)));
      list[app.cursor]?.scrollIntoView({ block: 'nearest' });
      mark();
      break;
    case 'Enter': if (e.target.closest('a, button')) return; list[app.cursor]?.dataset.to && go(list[app.cursor].dataset.to); break;
    case 'x': list[app.cursor]?.querySelector('input[type=checkbox]')?.click(); break;
    case 'p': act('pause'); break;
    case 'r': act('redrive'); break;
    case 't': act('try'); break;
    case 'f': act('filter'); break;
    case 'u': act('undo'); break;
    default:
  }
}

// A relative address of the icon would follow the address of each screen.
document.querySelector('link[rel=icon]').href = new URL('logo.svg', import.meta.url);
addEventListener('keydown', keys);
addEventListener('popstate', open);
addEventListener('click', (e) => {
  const a = e.target.closest?.('a[href]');
  if (!a || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || a.target || a.hasAttribute('download')) return;
  const url = new URL(a.href);
  if (url.origin !== location.origin || !url.pathname.startsWith(api.root.pathname)) return;
  e.preventDefault();
  history.pushState(null, '', url);
  open();
});
addEventListener('punctual-draw', draw);
addEventListener('unhandledrejection', (e) => e.reason?.message && say(e.reason.message, { error: true }));
setInterval(() => !document.hidden && draw(), 1000);

begin();
