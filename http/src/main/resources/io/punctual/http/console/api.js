/** Calls of the HTTP API below this console's address, also behind a proxy with a sub-path. */

/** The address of the console, above the folder of this version's files. */
export const root = new URL(import.meta.url.replace(/(files\/[^/]+\/)?[^/]+$/, ''));
export const base = new URL('../v1/', root);
/** What proves who looks: a token, or the key of a session, whose other half is a cookie. */
const PROOFS = { token: 'punctual.token', key: 'punctual.key' };

export const proof = () => Object.keys(PROOFS).find((kind) => sessionStorage.getItem(PROOFS[kind]));
export function setProof(kind, value) {
  for (const name of Object.values(PROOFS)) sessionStorage.removeItem(name);
  if (kind) sessionStorage.setItem(PROOFS[kind], value);
}

/** Begins a session with the secret of a link that the server printed, which works once. */
export async function useLink(link) {
  setProof('key', (await post('../console/session', { link })).key);
}

export async function signOut() {
  if (proof() === 'key') await remove('../console/session').catch(() => {});
  setProof(null);
}

/** A refusal of the server, or its silence. */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body?.detail ?? body?.title ?? (status ? `The server answered ${status}` : 'The server does not answer'));
    this.status = status;
    this.retryAfter = Number(retryAfter) || 1;
    this.title = body?.title;
    this.outcome = body?.outcome;
    this.body = body;
  }
}

export const segment = (name) => encodeURIComponent(name);

/** Whether a browser keeps an id as a segment of a path: it takes dots for folders. */
const isSegment = (id) => !/^\.{0,2}$/.test(id);

export const screenOf = (queue, id) => (isSegment(id) ? `q/${segment(queue)}/m/${segment(id)}` : `q/${segment(queue)}/m?id=${segment(id)}`);

export function messagePath(queue, id, rest = '') {
  return isSegment(id)
    ? `queues/${segment(queue)}/messages/${segment(id)}${rest}`
    : `queues/${segment(queue)}/message${rest}?id=${segment(id)}`;
}

function headers(all = {}) {
  const kind = proof(), value = kind && sessionStorage.getItem(PROOFS[kind]);
  if (kind === 'token') all.Authorization = `Bearer ${value}`;
  if (kind === 'key') all['Punctual-Session'] = value;
  return all;
}

export function address(path, query) {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, value);
  }
  return url;
}

/** Reads JSON, except payloads, which stay JSON as a text: their numbers would lose digits. */
function read(text) {
  let depth = 0, from = 0;
  return JSON.parse(text.replace(/("[^"\\]*(?:\\.[^"\\]*)*")(:?)|[[\]{},\t]/g, (t, string, colon) => {
    const before = depth;
    depth += '[{'.includes(t) - ']}'.includes(t);
    // Messages are at odd depths: alone, or in a list.
    if (!from) return t === '"payload":' && depth % 2 ? ((from = depth), t + '"') : t;
    if (before === from && ',}'.includes(t)) return (from = 0), '"' + t;
    return string ? JSON.stringify(JSON.stringify(JSON.parse(string))).slice(1, -1) + colon : t.trim();
  }));
}

/** JSON on several lines, whose tokens stay as they are. */
export function pretty(text) {
  let end = '\n';
  return text.replace(/\s+|"[^"\\]*(?:\\.[^"\\]*)*"|[[{]\s*[\]}]|[[\]{},:]/g, (t) =>
    !t.trim() ? '' : t === ':' ? ': ' : t === ',' ? t + end : /^[[{]$/.test(t) ? t + (end += '  ') : /^[\]}]/.test(t) ? (end = end.slice(0, -2) || '\n') + t : t);
}

async function call(method, path, { query, body, signal } = {}) {
  let answer;
  try {
    answer = await fetch(address(path, query), {
      method,
      signal,
      cache: 'no-store',
      headers: headers(),
      body: !body || body instanceof Blob ? body : new Blob([JSON.stringify(body)], { type: 'application/json' }),
    });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Problem(0);
  }
  const type = answer.headers.get('Content-Type') ?? '';
  if (/octet/.test(type)) return answer.blob();
  const text = await answer.text();
  let json = null;
  if (text && /json/.test(type)) json = read(text);
  // A miss of a single thing is an answer: the caller reads its outcome.
  if (!answer.ok) throw new Problem(answer.status, json, answer.headers.get('Retry-After'));
  return json;
}

export const get = (path, query, signal) => call('GET', path, { query, signal });
/** Without a body, none is sent: requests that have no body refuse one. */
export const post = (path, body, query) => call('POST', path, { body, query });
export const put = (path, body) => call('PUT', path, { body });
export const patch = (path, body) => call('PATCH', path, { body });
export const remove = (path, query) => call('DELETE', path, { query });

/** A page of a list. A page can be empty although others follow: such pages are passed over, for up to two seconds. */
export async function page(path, items, query, signal) {
  const until = Date.now() + 2000;
  for (let cursor = query.cursor; ; ) {
    const answer = await get(path, { ...query, cursor }, signal);
    if (answer[items].length || !answer.next || Date.now() > until) return answer;
    cursor = answer.next;
  }
}

/**
 * Server-sent events by fetch, because an EventSource can't send the token. Ends while the page is hidden.
 *
 * @param onEvent called with the name and the data of each event
 * @param onState called with true when events arrive, and false with a problem when they stop
 */
export function events(path, onEvent, onState) {
  let stopped = false, control = null, pause = 500;
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const run = async () => {
    while (!stopped) {
      if (document.hidden) {
        await new Promise((done) => document.addEventListener('visibilitychange', done, { once: true }));
        continue;
      }
      control = new AbortController();
      try {
        const answer = await fetch(address(path), { headers: headers({ Accept: 'text/event-stream' }), signal: control.signal, cache: 'no-store' });
        if (!answer.ok) {
          const text = await answer.text();
          throw new Problem(answer.status, text.startsWith('{') ? JSON.parse(text) : null);
        }
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = '';
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          pause = 500;
          onState(true);
          const parts = (rest + value).split('\n\n');
          rest = parts.pop();
          for (const text of parts) {
            let name = 'message', data = '';
            for (const line of text.split('\n')) {
              if (line.startsWith('event:')) name = line.slice(6).trim();
              if (line.startsWith('data:')) data += line.slice(5).trim();
            }
            if (data) onEvent(name, JSON.parse(data));
          }
        }
        throw new Problem(0);
      } catch (e) {
        if (stopped || document.hidden) continue;
        onState(false, e instanceof Problem ? e : new Problem(0));
        await wait(pause * (0.75 + Math.random() / 2));
        pause = Math.min(pause * 2, 10_000);
      }
    }
  };
  const hide = () => document.hidden && control?.abort();
  document.addEventListener('visibilitychange', hide);
  run();
  return () => {
    stopped = true;
    document.removeEventListener('visibilitychange', hide);
    control?.abort();
  };
}
