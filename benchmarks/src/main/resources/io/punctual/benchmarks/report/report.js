'use strict';

const report = JSON.parse(document.getElementById('data').textContent);
const COLOURS = ['#2f6fde', '#d9722e', '#2f9e62', '#b5489b', '#8a6fd1', '#c2a021', '#3aa6b9', '#7d8896', '#c2484f', '#6b8f23'];
const contenders = [...new Set(report.results.map(result => result.contender))];
const colour = contender => COLOURS[contenders.indexOf(contender) % COLOURS.length];
const charts = [];

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function number(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

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
    ticks: { callback: number, maxTicksLimit: 8 },
  };
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
      plugins: { legend: { display: false }, tooltip: { callbacks: { label: item => number(item.raw) + ' ' + results[0].unit } } },
      scales: { x: axis(results[0].unit, values) },
    },
  });
}

function againstSize(panel, results) {
  const sizes = [...new Set(results.map(result => result.size))].sort((a, b) => a - b);
  const byContender = groupBy(results, result => result.contender);
  addChart(panel, 280, {
    type: 'line',
    data: {
      labels: sizes.map(number),
      datasets: [...byContender].map(([contender, own]) => ({
        label: contender,
        data: sizes.map(size => own.find(result => result.size === size)?.median ?? null),
        borderColor: colour(contender), backgroundColor: colour(contender), spanGaps: true, tension: 0,
      })),
    },
    options: {
      scales: { y: axis(results[0].unit, results.map(result => result.median)), x: { title: { display: true, text: 'size' } } },
    },
  });
}

function latenessCurves(panel, results) {
  const nines = percentile => (percentile >= 100 ? 5 : -Math.log10(1 - percentile / 100));
  addChart(panel, 320, {
    type: 'line',
    data: {
      datasets: results.map(result => ({
        label: result.contender + (result.size >= 0 ? ', ' + number(result.size) : ''),
        data: Object.entries(result.latenessMicros)
          .map(([percentile, micros]) => ({ x: nines(Number(percentile)), y: Math.max(micros, 1) / 1000 }))
          .sort((a, b) => a.x - b.x),
        borderColor: colour(result.contender), backgroundColor: colour(result.contender), pointRadius: 2, tension: 0,
      })),
    },
    options: {
      scales: {
        y: { type: 'logarithmic', title: { display: true, text: 'late by (ms, logarithmic)' }, ticks: { callback: number, maxTicksLimit: 8 } },
        x: {
          type: 'linear', min: 0, max: 5, title: { display: true, text: 'percentile' },
          ticks: { stepSize: 1, callback: value => ['0', '90', '99', '99.9', '99.99', 'max'][value] ?? '' },
        },
      },
    },
  });
}

function faults(cell, tally) {
  if (!tally) return;
  const bad = ['lost', 'early', 'duplicates'].filter(fault => tally[fault] > 0).map(fault => number(tally[fault]) + ' ' + fault);
  cell.textContent = bad.length ? bad.join(', ') + ' of ' + number(tally.scheduled) : 'none of ' + number(tally.scheduled);
  if (tally.lost > 0 || tally.early > 0) cell.className = 'bad';
}

function table(panel, results) {
  const made = element('table');
  const head = element('tr');
  const sized = results.some(result => result.size >= 0);
  const counted = results.some(result => result.tally);
  const columns = ['contender', ...(sized ? ['size'] : []), 'median', 'spread', 'to first', ...(counted ? ['lost, early, twice'] : [])];
  columns.forEach(name => head.append(element('th', name)));
  made.append(head);
  for (const result of results) {
    const row = element('tr');
    const first = results.find(other => other.size === result.size);
    if (result.contender.startsWith('Punctual')) row.className = 'ours';
    row.append(element('td', result.contender));
    if (sized) row.append(element('td', result.size >= 0 ? number(result.size) : ''));
    row.append(element('td', number(result.median)), element('td', '±' + Math.round(result.spread * 100) + ' %'));
    row.append(element('td', first.median ? '× ' + number(result.median / first.median) : ''));
    if (counted) {
      const cell = element('td');
      faults(cell, result.tally);
      row.append(cell);
    }
    made.append(row);
  }
  const scroll = element('div', undefined, 'scroll');
  scroll.append(made);
  panel.append(scroll);
}

function panelFor(metric, results) {
  const curves = results.filter(result => result.latenessMicros);
  const panel = element('section', undefined, curves.length ? 'panel wide' : 'panel');
  panel.append(element('h3', metric), element('p', results[0].unit + ', ' + (results[0].higherIsBetter ? 'more' : 'less') + ' is better', 'unit'));
  const sizes = new Set(results.map(result => result.size));
  if (curves.length) latenessCurves(panel, curves);
  else if (sizes.size > 1) againstSize(panel, results);
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
    main.append(element('h2', workload));
    const panels = element('div', undefined, 'panels');
    main.append(panels);
    for (const [metric, own] of groupBy(results, result => result.metric)) panels.append(panelFor(metric, own));
  }
}

document.getElementById('subject').textContent = report.subject;
document.getElementById('machine').textContent = report.machine + '; ' + report.rounds + ' rounds, medians';
document.getElementById('versions').textContent = report.versions.join(', ');
document.getElementById('quick').hidden = !report.quick;
const notes = document.getElementById('notes');
if (report.leftOut.length + report.failures.length > 0) notes.append(element('h2', 'Left out and failed'));
report.leftOut.forEach(line => notes.append(element('p', line)));
report.failures.forEach(line => notes.append(element('p', line, 'bad')));
paint();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
