/** The four charts of the console, as SVG: bars over time, sparkline, histogram, life line. */
import { html, svg, nothing } from './lit-html.js';
import { count, span, minute, nearMinute, day, clock, between, offset, offsetText } from './format.js';

const STEPS = [1, 2, 4, 5, 10];

/** The lines of a scale from 0 to at least the largest value: at most four. */
function scale(largest) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(largest, 4) / 4));
  const step = Math.max(1, STEPS.map((s) => s * unit).find((s) => s * 4 >= largest) ?? 10 * unit);
  const lines = [];
  for (let v = 0; v <= Math.max(largest, 1) + step * 0.15 && lines.length < 6; v += step) lines.push(v);
  return { lines, top: Math.max(lines[lines.length - 1], largest * 1.08, 1) };
}

/** Full hours, minutes or days of the zone's clocks, also where the clocks change. */
function ticks(from, to, wanted) {
  const steps = [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800].map((s) => s * 1000);
  const step = steps.find((s) => (to - from) / s <= wanted) ?? steps[steps.length - 1];
  const format = step >= 86_400_000 ? day : minute, result = [];
  const aligned = (t) => {
    const beyond = (((t + offset(t)) % step) + step) % step;
    return beyond > step / 2 ? t - beyond + step : t - beyond;
  };
  for (let t = aligned(from + step / 2); t < to; t = aligned(t + step)) {
    if (t < from) continue;
    const changed = result.length && offset(t) !== offset(result[result.length - 1].at);
    result.push({ at: t, label: changed ? `${format(t)} ${offsetText(t)}` : format(t) });
  }
  return result;
}

/**
 * The past by lateness and the future by due time, on one axis.
 *
 * @param past spans {at, onTime, late, waiting}
 * @param future spans {at, count, expectedLateMillis}
 */
export function timeline({ past, future, spanMillis, now, note }) {
  const w = 1150, h = 236, left = 46, top = 26, bottom = 26;
  const plot = h - top - bottom, n = past.length + future.length, width = (w - left - 8) / Math.max(n, 1);
  const largest = Math.max(1, ...past.map((p) => p.onTime + p.late + (p.waiting ?? 0)), ...future.map((f) => f.count));
  const { lines, top: max } = scale(largest);
  const y = (v) => top + plot * (1 - v / max);
  const from = past.length ? past[0].at : now, to = from + n * spanMillis;
  const x = (t) => left + ((t - from) / spanMillis) * width;
  const bar = (cls, i, low, high) =>
    high > low
      ? svg`<rect class=${cls} x=${(left + i * width + 0.7).toFixed(1)} width=${Math.max(width - 1.4, 0.6).toFixed(1)}
          y=${y(high).toFixed(1)} height=${Math.max(y(low) - y(high), 0.8).toFixed(1)}/>`
      : nothing;
  const peak = future.reduce((best, f, i) => (f.count > (future[best]?.count ?? 0) ? i : best), -1);
  const mid = left + past.length * width;
  const axis = ticks(from, to, 9);
  const px = mid + peak * width + width / 2, anchorEnd = px > w * 0.75;
  const showPeak = peak >= 0 && future[peak].count > 0;
  return html`<svg class="chart wide" viewBox="0 0 ${w} ${h}" role="img"
    aria-label="Deliveries of the past and messages that are due, in spans of ${spanMillis / 60_000} minutes">
    ${lines.map((v) => svg`<line class=${v ? 'g' : 'axis'} x1=${left} x2=${w - 8} y1=${y(v)} y2=${y(v)} />
      <text x=${left - 8} y=${y(v) + 4} text-anchor="end">${count(v)}</text>`)}
    ${past.map((p, i) => {
      const late = p.onTime + p.late;
      return [bar('b-ok', i, 0, p.onTime), bar('b-warn', i, p.onTime, late), bar('b-bad', i, late, late + (p.waiting ?? 0))];
    })}
    ${future.map((f, i) => bar(i === peak ? 'b-acc' : 'b-fut', past.length + i, 0, f.count))}
    ${showPeak
      ? svg`<text class="strong" x=${anchorEnd ? px - 12 : px + 10} y=${y(future[peak].count) + 4}
          text-anchor=${anchorEnd ? 'end' : 'start'}>${nearMinute(future[peak].at)} · ${count(future[peak].count)}</text>
        ${note ? svg`<text class="warnt" x=${anchorEnd ? px - 12 : px + 10} y=${y(future[peak].count) + 20}
          text-anchor=${anchorEnd ? 'end' : 'start'}>${note}</text>` : nothing}`
      : nothing}
    <line class="nowline" x1=${mid} x2=${mid} y1=${top - 6} y2=${h - bottom} />
    <rect class="nowtag" x=${Math.max(mid - 29, 0)} y="4" width="58" height="18" rx="4" />
    <text class="nowtext" x=${Math.max(mid, 29)} y="17" text-anchor="middle">now</text>
    ${axis.filter((t) => Math.abs(x(t.at) - mid) > 24).map((t) => svg`<text x=${x(t.at)} y=${h - 8} text-anchor="middle">${t.label}</text>`)}
  </svg>`;
}

let dragged = null;

/** Arrows move to the next bar with messages. */
function barKeys(e) {
  const way = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' }[e.key];
  if (e.key === 'Enter' || e.key === ' ') e.target.dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: e.shiftKey }));
  else if (way) {
    let next = e.target[way];
    while (next && !next.matches?.('.hit[tabindex]')) next = next[way];
    next?.focus();
  } else return;
  e.preventDefault();
}

/**
 * Messages that become due, with the expected lateness below. A click selects a bar; a drag, or a click with Shift, several.
 *
 * @param selected the chosen span {from, to, total}, or null
 * @param onSelect called with the first and the last bar
 */
export function dueChart({ buckets, spanMillis, selected, onSelect, limitText }) {
  const w = 760, left = 46, top = 22, plot = 142, n = Math.max(buckets.length, 1), width = (w - left - 8) / n;
  const lateMax = Math.max(0, ...buckets.map((b) => b.expectedLateMillis ?? 0));
  const h = lateMax > 0 ? 262 : 196;
  const { lines, top: max } = scale(Math.max(1, ...buckets.map((b) => b.count)));
  const y = (v) => top + plot * (1 - v / max);
  const from = buckets[0]?.at ?? Date.now(), to = from + n * spanMillis;
  const axis = ticks(from, to, 7);
  const x = (t) => left + ((t - from) / spanMillis) * width;
  const base = top + plot + 70;
  const points = buckets.map((b, i) => `${(left + (i + 0.5) * width).toFixed(1)} ${(base - (25 * (b.expectedLateMillis ?? 0)) / (lateMax || 1)).toFixed(1)}`);
  const worst = buckets.findIndex((b) => b.expectedLateMillis === lateMax), worstX = left + (worst + 0.5) * width;
  const chosen = (b) => selected != null && b.at >= selected.from && b.at < selected.to;
  const first = Math.max(0, buckets.findIndex((b) => chosen(b) || (!selected && b.count)));
  const side = (at) => (at > w * 0.6 ? { dx: -8, anchor: 'end' } : { dx: 8, anchor: 'start' });
  const note = selected && side(x(selected.from));
  const noteX = note && (note.anchor === 'end' ? x(selected.from) : x(selected.to)) + note.dx;
  const end = (b, e) => {
    if (dragged && dragged.at !== b.at && !e.shiftKey) onSelect(dragged.at < b.at ? dragged : b, dragged.at < b.at ? b : dragged);
    dragged = null;
  };
  const click = (b, e) => {
    const anchor = e.shiftKey && selected ? buckets.find(chosen) ?? b : b;
    onSelect(anchor.at < b.at ? anchor : b, anchor.at < b.at ? b : anchor);
  };
  return html`<svg class="chart due" viewBox="0 0 ${w} ${h}" role="group" aria-label="Messages that become due, in spans; arrow keys move, Enter lists">
    ${lines.map((v) => svg`<line class=${v ? 'g' : 'axis'} x1=${left} x2=${w - 8} y1=${y(v)} y2=${y(v)} />
      <text x=${left - 8} y=${y(v) + 4} text-anchor="end">${count(v)}</text>`)}
    ${selected ? svg`<rect class="brush" x=${Math.max(left, x(selected.from) - width / 2)} width=${Math.max(0, Math.min(x(selected.to), w - 8) - Math.max(left, x(selected.from)) + width)} y=${top - 8} height=${plot + 8} />` : nothing}
    ${buckets.map((b, i) => b.count ? svg`<rect class=${chosen(b) ? 'b-acc' : 'b-fut'} x=${(left + i * width + 0.6).toFixed(1)}
      width=${Math.max(width - 1.2, 0.6).toFixed(1)} y=${y(b.count).toFixed(1)} height=${Math.max(y(0) - y(b.count), 0.8).toFixed(1)} />` : nothing)}
    ${note ? svg`<text class="strong" x=${noteX} y=${top + 4} text-anchor=${note.anchor}>${between(selected.from, selected.to)} · ${count(selected.total)}</text>
      <text x=${noteX} y=${top + 20} text-anchor=${note.anchor}>selected: listed below</text>` : nothing}
    ${lateMax > 0
      ? svg`<text x=${left} y=${top + plot + 32} class="capt">expected lateness ${limitText ?? ''}</text>
        <line class="axis" x1=${left} x2=${w - 8} y1=${base} y2=${base} />
        <path class="expected" d=${`M${left} ${base} L${points.join(' L')} L${w - 8} ${base}`} />
        <text class="warnt" x=${worstX + side(worstX).dx} y=${base - 12} text-anchor=${side(worstX).anchor}>up to ${span(lateMax)}</text>`
      : nothing}
    ${axis.map((t) => svg`<text x=${x(t.at)} y=${lateMax > 0 ? base + 16 : h - 8} text-anchor="middle">${t.label}</text>`)}
    ${buckets.map((b, i) => {
      const text = `${clock(b.at)}: ${count(b.count)} due`;
      return svg`<rect class="hit" x=${left + i * width} width=${width} y=${top} height=${plot} role=${b.count ? 'button' : nothing} aria-label=${b.count ? text : nothing}
        tabindex=${b.count ? (i === first ? 0 : -1) : nothing} @keydown=${barKeys} @pointerdown=${() => (dragged = b)} @pointerup=${(e) => end(b, e)}
        @click=${(e) => click(b, e)}><title>${text}</title></rect>`;
    })}
  </svg>`;
}

export function spark(values, { kind = 'b-fut', width = 112, height = 22 } = {}) {
  if (!values?.length) return nothing;
  const largest = Math.max(1, ...values), bar = width / values.length;
  return html`<svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" aria-hidden="true">
    ${values.map((v, i) => {
      const tall = v ? Math.max(1.5, (height * v) / largest) : 1;
      return svg`<rect class=${v ? kind : 'b-futs'} x=${(i * bar + 0.5).toFixed(1)} width=${Math.max(bar - 1, 0.6).toFixed(1)}
        y=${(height - tall).toFixed(1)} height=${tall.toFixed(1)} />`;
    })}
  </svg>`;
}

export function histogram(rows, foot) {
  const w = 360, h = 10 + rows.length * 25 + 32, largest = Math.max(1, ...rows.map((r) => r.count));
  return html`<svg class="chart" viewBox="0 0 ${w} ${h}" role="img" aria-label="Deliveries by lateness">
    ${rows.map((r, i) => {
      const y = 10 + i * 25, bar = (150 * r.count) / largest;
      return svg`<text x="72" y=${y + 13} text-anchor="end">${r.label}</text>
        <rect class=${r.late ? 'b-warn' : 'b-ok'} x="80" y=${y + 2} width=${Math.max(bar, 1).toFixed(1)} height="14" rx="2" />
        <text x=${86 + bar} y=${y + 13} class="strong">${count(r.count)}</text>
        ${r.mark ? svg`<text class="capt" x=${w - 8} y=${y + 13} text-anchor="end">${r.mark}</text>` : nothing}`;
    })}
    <text x="80" y=${h - 8}>${foot}</text>
  </svg>`;
}

/**
 * The life of a message: events {at, label, kind} in the order of time.
 *
 * @param line what else the line is, if its distances are to scale
 */
export function lifeline(events, line) {
  if (!events.length) return nothing;
  const w = 640, first = events[0].at, last = events[events.length - 1].at, room = 608;
  const xs = events.map((e, i) => {
    const even = (i / Math.max(events.length - 1, 1)) * room, exact = last > first ? ((e.at - first) / (last - first)) * room : even;
    return 16 + (line ? exact : (exact + even) / 2);
  });
  const end = xs[xs.length - 1];
  let before = -Infinity;
  const placed = events.map((e, i) => {
    const x = xs[i], isLast = i === events.length - 1, show = isLast ? !line : x - before >= 62 && (line || end - x >= 62);
    if (show) before = x;
    return { ...e, x, show, anchor: i === 0 ? 'start' : isLast ? 'end' : 'middle' };
  });
  return html`<svg class="chart life" viewBox="0 0 ${w} 62" role="img" aria-label=${`${line ?? 'Life of the message'}: ` + events.map((e) => `${e.label} ${clock(e.at)}`).join(', ')}>
    <line class="axis" x1="16" x2="624" y1="30" y2="30" />
    ${placed.map((e) => svg`<circle cx=${e.x.toFixed(1)} cy="30" r="6" class=${'p-' + e.kind} />
      ${e.show ? svg`<text x=${e.x} y="14" text-anchor=${e.anchor} class="strong">${e.label}</text>
      <text x=${e.x} y="54" text-anchor=${e.anchor}>${clock(e.at)}</text>` : nothing}`)}
  </svg>`;
}
