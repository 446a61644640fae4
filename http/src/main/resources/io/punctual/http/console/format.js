/** Numbers, spans and times as people read them. */

const ZONE = 'punctual.zone';

/** The zone of all times that are shown: the browser's, unless the reader has chosen another one. */
export const chosenZone = () => localStorage.getItem(ZONE) ?? '';
export function chooseZone(name) {
  if (name) localStorage.setItem(ZONE, name);
  else localStorage.removeItem(ZONE);
}
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** All zones that can be chosen: [value, text]. */
export const zones = () => [['', `local time (${ownZone})`], ['UTC', 'UTC'], ...Intl.supportedValuesOf('timeZone').filter((z) => z !== 'UTC').map((z) => [z, z])];
const zone = () => {
  const name = chosenZone();
  try {
    return name && formatter({}, name) ? name : ownZone;
  } catch {
    return ownZone;
  }
};
export const zoneName = () => (chosenZone() ? zone() : 'local time');

/** Formatters are kept, because a new one costs more than a hundred uses. */
const formatters = new Map();
function formatter(options, timeZone) {
  const key = timeZone + JSON.stringify(options);
  let found = formatters.get(key);
  if (!found) formatters.set(key, (found = new Intl.DateTimeFormat('en-GB', { ...options, timeZone, hourCycle: 'h23' })));
  return found;
}

export const count = (n) => (n == null ? '–' : Number(n).toLocaleString('en-US'));

export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;

/** As many digits as a narrow place holds: 18,352, 184K, 1.2M. */
export const compact = (n) => (n < 100_000 ? count(n) : new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }).format(n));

const UNITS = [
  [86_400_000, 'day', 'h', 3_600_000],
  [3_600_000, 'h', 'min', 60_000],
  [60_000, 'min', 's', 1000],
];

/** A span of milliseconds in at most two units: 0.4 ms, 2.1 s, 4 min 18 s, 3 days. */
export function span(millis) {
  if (millis == null) return '–';
  const ms = Math.abs(millis);
  if (ms < 10) return `${+ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${+(ms / 1000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  for (const [size, unit, below, part] of UNITS) {
    if (ms < size) continue;
    const whole = Math.floor(ms / size);
    const rest = Math.floor((ms % size) / part);
    const name = unit === 'day' ? (whole === 1 ? 'day' : 'days') : unit;
    return rest && whole < 10 ? `${whole} ${name} ${rest} ${below}` : `${whole} ${name}`;
  }
  return `${ms} ms`;
}

const part = (options) => (date) => formatter(options, zone()).format(new Date(date));

const QUARTER = 900_000, HALF_DAY = 43_200_000;
const offsets = new Map();

/** How much the clocks of the zone are ahead of UTC at a time, in milliseconds. */
export function offset(at) {
  const key = zone() + Math.floor(at / QUARTER);
  if (!offsets.has(key)) {
    if (offsets.size > 5000) offsets.clear();
    const text = formatter({ timeZoneName: 'longOffset' }, zone()).formatToParts(new Date(at)).find((p) => p.type === 'timeZoneName').value;
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [0, '+', 0, 0];
    offsets.set(key, (sign === '-' ? -1 : 1) * (hours * 60 + +minutes) * 60_000);
  }
  return offsets.get(key);
}

/** The distance from UTC: "+02:00". */
export function offsetText(at) {
  const minutes = Math.abs(offset(at)) / 60_000, two = (n) => String(n).padStart(2, '0');
  return `${offset(at) < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** On a day on which the clocks change, a time needs its distance from UTC: an hour may come twice. */
const marked = (format) => (date) => {
  const at = +new Date(date);
  return format(at) + (offset(at - HALF_DAY) === offset(at + HALF_DAY) ? '' : ` ${offsetText(at)}`);
};

export const minute = part({ hour: '2-digit', minute: '2-digit' });
/** The nearest minute: a span that began some seconds before the hour is about the hour. */
export const nearMinute = (at) => minute(+new Date(at) + 30_000);
export const day = part({ day: 'numeric', month: 'short' });
export const clock = marked(part({ hour: '2-digit', minute: '2-digit', second: '2-digit' }));
const withDay = marked(part({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' }));
const withYear = marked(part({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' }));
const full = part({ dateStyle: 'full', timeStyle: 'long' });

/** An absolute time, as short as it is clear beside the present. */
export function time(iso, now = Date.now()) {
  if (!iso) return '–';
  const at = new Date(iso).getTime();
  if (Math.abs(at - now) < HALF_DAY && day(at) === day(now)) return clock(at);
  return Math.abs(at - now) < 180 * 86_400_000 ? withDay(at) : withYear(at);
}

/** A span of time, with its day if that is another one: "15:00 to 15:05". */
export function between(from, to, now = Date.now()) {
  const text = marked(minute);
  return `${day(from) === day(now) ? '' : `${day(from)}, `}${text(from)} to ${day(to) === day(from) ? '' : `${day(to)}, `}${text(to)}`;
}

export const fullTime = (iso) => (iso ? `${full(iso)} (${iso})` : '');

/** The distance from now: "in 27 min", "3 days ago". */
export function relative(iso, now = Date.now()) {
  if (!iso) return '';
  const distance = new Date(iso).getTime() - now;
  if (Math.abs(distance) < 1000) return 'now';
  const text = span(Math.abs(distance) < 60_000 ? Math.round(distance / 1000) * 1000 : distance);
  return distance > 0 ? `in ${text}` : `${text} ago`;
}

export const late = (millis) => (millis == null ? '–' : span(millis));

/** A rate: "100 a second", "5 a minute". */
export function rate(limits) {
  if (!limits || limits.rate == null) return '';
  const per = { 1000: 'second', 60000: 'minute', 3600000: 'hour', 86400000: 'day' }[limits.perMillis ?? 1000];
  return `${count(limits.rate)} ${per ? `a ${per}` : `in ${span(limits.perMillis)}`}`;
}

const DAYS = { MON: 'Mondays', TUE: 'Tuesdays', WED: 'Wednesdays', THU: 'Thursdays', FRI: 'Fridays', SAT: 'Saturdays', SUN: 'Sundays' };
const MILLIS = { D: 86_400_000, H: 3_600_000, M: 60_000, S: 1000 };

/** A rhythm in words, if it is a common one: "weekdays at 09:00, Berlin". */
export function rhythm(text) {
  const every = /^every P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text);
  if (every) return `every ${span(['D', 'H', 'M', 'S'].reduce((sum, unit, i) => sum + (every[i + 1] ?? 0) * MILLIS[unit], 0))}`;
  const cron = /^cron (\S+) (\S+) (\S+) (\S+) (\S+) (\S+)$/.exec(text);
  if (!cron) return text;
  const [, zoneId, minutes, hours, dates, months, days] = cron, place = zoneId.split('/').pop().replaceAll('_', ' ');
  const isNumber = (value) => /^\d+$/.test(value), at = `at ${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}, ${place}`;
  if (isNumber(minutes) && isNumber(hours) && months === '*') {
    if (dates === '*' && days === '*') return `daily ${at}`;
    if (dates === '*' && days === 'MON-FRI') return `weekdays ${at}`;
    if (dates === '*' && days.split(',').every((d) => DAYS[d])) return `${days.split(',').map((d) => DAYS[d]).join(', ')} ${at}`;
    if (isNumber(dates) && days === '*') return `on day ${dates} of each month ${at}`;
  }
  if (isNumber(minutes) && [hours, dates, months, days].every((v) => v === '*')) return `each hour at :${minutes.padStart(2, '0')}`;
  return text;
}

const UNSEEN = /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;

/** An id as it is: characters that nobody sees, or that turn the text around, by their numbers. */
export const visible = (id) =>
  id.replace(UNSEEN, (c) => `[U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`).replace(/^ +| +$/g, (spaces) => '␣'.repeat(spaces.length));
