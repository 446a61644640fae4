'use strict';

const report = JSON.parse(document.getElementById('data').textContent);
const COLOURS = ['#2f6fde', '#d9722e', '#2f9e62', '#b5489b', '#8a6fd1', '#c2a021', '#3aa6b9', '#7d8896', '#c2484f', '#6b8f23'];
const contenders = [...new Set(report.results.map(result => result.contender))];
const colour = contender => COLOURS[contenders.indexOf(contender) % COLOURS.length];
const charts = [];

const SHAPES = ['circle', 'rect', 'triangle', 'rectRot', 'star', 'crossRot', 'rectRounded', 'cross'];
const DASHES = [[], [6, 3], [2, 3]];
const LEGEND = { labels: { usePointStyle: true, boxHeight: 7, padding: 12 } };

function line(contender) {
  return {
    borderColor: colour(contender), backgroundColor: colour(contender), borderWidth: 2, pointRadius: 4, tension: 0,
    pointStyle: SHAPES[contenders.indexOf(contender) % SHAPES.length],
  };
}

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function number(value, fixed = false) {
  const size = Math.abs(value);
  const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString('en', { minimumFractionDigits: fixed ? digits : 0, maximumFractionDigits: digits });
}

const figure = value => number(value, true);
const sizesOf = results => [...new Set(results.map(result => result.size))].sort((a, b) => a - b);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

function addChart(panel, height, config) {
  const box = element('div', undefined, 'chart');
  box.style.height = height + 'px';
  const canvas = document.createElement('canvas');
  canvas.setAttribute('role', 'img');
  box.append(canvas);
  panel.append(box);
  config.options = { animation: false, maintainAspectRatio: false, ...config.options };
  charts.push(new Chart(canvas, config));
}

function spansDecades(values) {
  const positive = values.filter(value => value > 0);
  return positive.length > 1 && Math.max(...positive) / Math.min(...positive) > 50;
}

function axis(title, values) {
  const logarithmic = values && spansDecades(values);
  return {
    type: logarithmic ? 'logarithmic' : 'linear',
    beginAtZero: !logarithmic,
    title: { display: true, text: title + (logarithmic ? ' (logarithmic)' : '') },
    ticks: { callback: logarithmic ? powerOfTen : value => number(value), maxTicksLimit: logarithmic ? undefined : 7, maxRotation: 0 },
  };
}

function powerOfTen(value) {
  return Number.isInteger(Math.round(Math.log10(value) * 1e9) / 1e9) ? number(value) : null;
}

function bars(panel, results) {
  const values = results.map(result => result.median);
  addChart(panel, 46 + 26 * results.length, {
    type: 'bar',
    data: {
      labels: results.map(result => result.contender),
      datasets: [{ data: values, backgroundColor: results.map(result => colour(result.contender)) }],
    },
    options: {
      indexAxis: 'y',
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: item => figure(item.raw) + ' ' + results[0].unit } } },
      scales: { x: axis(results[0].unit, values) },
    },
  });
}

function againstSize(panel, results) {
  const sizes = sizesOf(results);
  const byContender = groupBy(results, result => result.contender);
  addChart(panel, 340, {
    type: 'line',
    data: {
      labels: sizes.map(size => number(size)),
      datasets: [...byContender].map(([contender, own]) => ({
        label: contender,
        data: sizes.map(size => own.find(result => result.size === size)?.median ?? null),
        ...line(contender), spanGaps: true,
      })),
    },
    options: {
      plugins: { legend: LEGEND },
      scales: { y: axis(results[0].unit, results.map(result => result.median)), x: { title: { display: true, text: 'size' } } },
    },
  });
}

function latenessCurves(panel, results) {
  const sizes = sizesOf(results);
  const nines = percentile => (percentile >= 100 ? 5 : -Math.log10(1 - percentile / 100));
  addChart(panel, 320, {
    type: 'line',
    data: {
      datasets: results.map(result => ({
        label: result.contender + (result.size >= 0 ? ', ' + number(result.size) : ''),
        data: Object.entries(result.latenessMicros)
          .map(([percentile, micros]) => ({ x: nines(Number(percentile)), y: Math.max(micros, 1) / 1000 }))
          .sort((a, b) => a.x - b.x),
        ...line(result.contender),
        ...(sizes.length > 1 ? { borderDash: DASHES[sizes.indexOf(result.size) % DASHES.length] } : {}),
      })),
    },
    options: {
      plugins: { legend: LEGEND },
      scales: {
        y: { type: 'logarithmic', title: { display: true, text: 'late by (ms, logarithmic)' }, ticks: { callback: powerOfTen } },
        x: {
          type: 'linear', min: 0, max: 5, title: { display: true, text: 'percentile' },
          ticks: { stepSize: 1, callback: value => ['0', '90', '99', '99.9', '99.99', 'max'][value] ?? '' },
        },
      },
    },
  });
}

function faults(results) {
  const sum = fault => results.reduce((total, result) => total + (result.tally?.[fault] ?? 0), 0);
  const bad = ['lost', 'early', 'duplicates'].filter(fault => sum(fault) > 0).map(fault => number(sum(fault)) + ' ' + fault);
  const cell = element('td', bad.join(', ') || 'none', sum('lost') + sum('early') > 0 ? 'bad' : undefined);
  cell.title = 'of ' + number(sum('scheduled'));
  return cell;
}

function ratio(result, first) {
  return first?.median && first !== result ? '× ' + figure(result.median / first.median) : '';
}

function spread(result) {
  return result.rounds.length > 1 ? '±' + Math.round(result.spread * 100) + ' %' : '';
}

/** In one cell when there is a column for each size, else in three. */
function cells(result, first, sized) {
  if (!result) return [element('td', '–')];
  const median = element('td', figure(result.median));
  if (!sized) return [median, element('td', ratio(result, first)), element('td', spread(result))];
  median.append(element('small', [ratio(result, first), spread(result)].filter(Boolean).join(', ')));
  return [median];
}

function table(panel, results) {
  const made = element('table');
  const head = element('tr');
  const sizes = sizesOf(results);
  const sized = sizes.length > 1;
  const counted = results.some(result => result.tally);
  const columns = sized ? sizes.map(size => number(size)) : ['median', 'to first', report.rounds > 1 ? 'spread' : ''];
  ['', ...columns, ...(counted ? ['faults'] : [])].forEach(name => head.append(element('th', name)));
  made.append(head);
  for (const [contender, own] of groupBy(results, result => result.contender)) {
    const row = element('tr', undefined, contender.startsWith('Punctual') ? 'ours' : undefined);
    row.append(element('td', contender));
    for (const size of sizes) {
      const at = list => list.find(result => result.size === size);
      row.append(...cells(at(own), at(results), sized));
    }
    if (counted) row.append(faults(own));
    made.append(row);
  }
  const scroll = element('div', undefined, 'scroll');
  scroll.append(made);
  panel.append(scroll);
}

function panelFor(metric, results, wide) {
  const curves = results.filter(result => result.latenessMicros);
  const panel = element('section', undefined, wide || curves.length ? 'panel wide' : 'panel');
  const title = element('div', undefined, 'title');
  title.append(element('h3', metric), element('p', results[0].unit + ', ' + (results[0].higherIsBetter ? 'more' : 'less') + ' is better', 'unit'));
  panel.append(title);
  if (curves.length) latenessCurves(panel, curves);
  else if (sizesOf(results).length > 1) againstSize(panel, results);
  else bars(panel, results);
  table(panel, results);
  return panel;
}

function paint() {
  Chart.defaults.color = style('--soft');
  Chart.defaults.borderColor = style('--line');
  Chart.defaults.font.family = 'system-ui, sans-serif';
  charts.splice(0).forEach(chart => chart.destroy());
  const main = document.getElementById('workloads');
  main.replaceChildren();
  for (const [workload, results] of groupBy(report.results, result => result.workload)) {
    const sizes = sizesOf(results);
    main.append(element('h2', workload + (sizes.length === 1 && sizes[0] >= 0 ? ', ' + number(sizes[0]) : '')));
    const panels = element('div', undefined, 'panels');
    main.append(panels);
    const metrics = groupBy(results, result => result.metric);
    for (const [metric, own] of metrics) panels.append(panelFor(metric, own, metrics.size === 1));
  }
}

document.getElementById('subject').textContent = report.subject;
document.getElementById('machine').textContent = report.machine + '; ' + (report.rounds > 1 ? 'medians of ' + report.rounds + ' rounds' : 'one round');
document.getElementById('versions').textContent = report.versions.join(', ');
document.getElementById('legend').textContent = 'In the tables: × is the median compared with the first row; ± is half the distance between the quartiles of the rounds; faults are messages or counts that were lost, early or twice.';
document.getElementById('quick').hidden = !report.quick;
const notes = document.getElementById('notes');
if (report.leftOut.length + report.failures.length > 0) notes.append(element('h2', 'Left out and failed'));
report.leftOut.forEach(line => notes.append(element('p', line)));
report.failures.forEach(line => notes.append(element('p', line, 'bad')));
paint();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
