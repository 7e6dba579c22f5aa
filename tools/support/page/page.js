/* SPDX-License-Identifier: Apache-2.0 */
'use strict';
// Draws the figures of the document in #data. Names come from models: they reach the page as text, never as markup.
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const COLORS = 7;

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const shape = (tag, attributes = {}, text = null) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== null) made.textContent = text;
    return made;
  };
  const number = (value) => {
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(2);
    return String(Number(value.toPrecision(4)));
  };
  const shorten = (text, letters) => (text.length > letters ? text.slice(0, letters - 1) + '\u2026' : text);

  // Colours by group, in order of first appearance.
  const colors = (names) => {
    const known = [...new Set(names)];
    return { of: (name) => `var(--c${known.indexOf(name) % COLORS})`, known };
  };
  const legend = (palette) => {
    const list = element('div', { class: 'legend' });
    if (palette.known.length < 2) return list;
    for (const name of palette.known) {
      list.append(element('span', { style: `--color:${palette.of(name)}` }, name || '(none)'));
    }
    return list;
  };

  // Makes the items of a figure focusable. One item is in the tab order and the arrow keys select the others. The
  // details of the focused item are shown below the figure.
  const choosable = (items, textOf, neighbour) => {
    const details = element('p', { class: 'details', 'aria-live': 'polite' });
    items.forEach((item, index) => {
      item.classList.add('item');
      item.setAttribute('tabindex', index === 0 ? '0' : '-1');
      item.setAttribute('role', 'img');
      item.setAttribute('aria-label', textOf(index));
      item.append(shape('title', {}, textOf(index)));
      item.addEventListener('focus', () => {
        items.forEach((other, at) => other.setAttribute('tabindex', at === index ? '0' : '-1'));
        details.textContent = textOf(index);
      });
      item.addEventListener('click', () => item.focus());
      item.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        let target = step === undefined ? null : neighbour ? neighbour(index, event.key) : index + step;
        if (event.key === 'Home') target = 0;
        if (event.key === 'End') target = items.length - 1;
        if (target === null || target === undefined || !items[target]) return;
        event.preventDefault();
        items[target].focus();
        items[target].scrollIntoView({ block: 'nearest', inline: 'nearest' });
      });
    });
    return details;
  };

  const describe = (lines) => lines.filter((line) => line !== '').join('\n');
  const detailLines = (details) => Object.entries(details || {}).map(([key, value]) => `${key}: ${value}`);

  // Returns the ticks of an axis from 0 to `most`, in about `count` steps of a round size.
  const ticks = (most, count) => {
    if (!(most > 0)) return [0];
    const raw = most / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
    const list = [];
    for (let at = 0; at <= most * 1.0001; at += step) list.push(at);
    return list;
  };

  const drawFacts = (figure) => {
    const list = element('dl');
    for (const [name, value] of figure.rows) list.append(element('dt', {}, name), element('dd', {}, value));
    return [list];
  };

  // Returns the sort key of a cell: "12.3 ms" and "4.5 MB" are sorted as numbers, other text as text.
  const SCALES = { k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
  const sortKey = (text) => {
    const match = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([kKMGT]?)/.exec(text);
    return match ? Number(match[1]) * (SCALES[match[2]] || 1) : null;
  };
  const compareCells = (left, right) => {
    const [a, b] = [sortKey(left), sortKey(right)];
    if (a !== null && b !== null) return a - b;
    return left.localeCompare(right);
  };

  const drawTable = (figure) => {
    const body = element('tbody');
    const rows = figure.rows.map((cells) => {
      const row = element('tr');
      cells.forEach((cell, at) => {
        const kind = figure.columns[at].right ? 'right' : cell.length > 40 ? 'wrap' : '';
        row.append(element('td', { class: kind }, cell));
      });
      return { cells, row };
    });
    const head = element('tr');
    figure.columns.forEach((column, at) => {
      const button = element('button', { type: 'button' }, column.title);
      const cell = element('th', { scope: 'col', class: column.right ? 'right' : '' }, button);
      button.addEventListener('click', () => {
        const descending = cell.getAttribute('aria-sort') === 'ascending';
        for (const other of head.children) other.removeAttribute('aria-sort');
        cell.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
        const sorted = [...rows].sort((a, b) => compareCells(a.cells[at], b.cells[at]) * (descending ? -1 : 1));
        body.append(...sorted.map((entry) => entry.row));
      });
      head.append(cell);
    });
    body.append(...rows.map((entry) => entry.row));
    const drawn = [];
    if (rows.length > 12) {
      const input = element('input', { type: 'search', 'aria-label': `Rows of ${figure.title} that contain` });
      input.addEventListener('input', () => {
        const wanted = input.value.toLowerCase();
        for (const { cells, row } of rows) row.hidden = !cells.some((cell) => cell.toLowerCase().includes(wanted));
      });
      drawn.push(element('div', { class: 'tools' }, 'Show rows with ', input));
    }
    const titled = figure.columns.some((column) => column.title);
    const table = titled ? element('table', {}, element('thead', {}, head), body) : element('table', {}, body);
    drawn.push(element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': figure.title }, table));
    return drawn;
  };

  const drawBars = (figure) => {
    const palette = colors(figure.bars.map((bar) => bar.group));
    const most = Math.max(...figure.bars.map((bar) => Math.abs(bar.value)), 1e-12);
    const [left, width, height] = [300, 700, 18];
    const svg = shape('svg', { width: left + width + 110, height: figure.bars.length * height + 8 });
    const items = figure.bars.map((bar, at) => {
      const item = shape('g');
      const length = (Math.abs(bar.value) / most) * width;
      item.append(shape('text', { x: left - 8, y: at * height + 14, 'text-anchor': 'end' }, shorten(bar.name, 44)));
      item.append(shape('rect', {
        x: left, y: at * height + 3, width: Math.max(length, 1), height: height - 5, class: 'mark',
        fill: palette.of(bar.group) }));
      item.append(shape('text', { x: left + length + 6, y: at * height + 14, class: 'faint' },
        `${number(bar.value)} ${figure.unit}`));
      svg.append(item);
      return item;
    });
    const details = choosable(items, (at) => {
      const bar = figure.bars[at];
      return describe([`${bar.name}: ${number(bar.value)} ${figure.unit}`, bar.group, ...detailLines(bar.details)]);
    });
    return [legend(palette), element('div', { class: 'scroll' }, svg), details];
  };

  // Draws points on logarithmic axes, below the highest speed and the highest bandwidth of any point.
  const drawRoofline = (figure) => {
    const palette = colors(figure.points.map((point) => point.group));
    const [left, top, width, height] = [70, 12, 820, 380];
    const range = (values) => {
      const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
      const high = 10 ** Math.ceil(Math.log10(Math.max(...values) * 1.01));
      return [low, Math.max(high, low * 10)];
    };
    const [xLow, xHigh] = range(figure.points.map((point) => point.x));
    const [yLow, yHigh] = range([...figure.points.map((point) => point.y), figure.peak]);
    const xOf = (x) => left + (Math.log(x / xLow) / Math.log(xHigh / xLow)) * width;
    const yOf = (y) => top + height - (Math.log(y / yLow) / Math.log(yHigh / yLow)) * height;
    const svg = shape('svg', { width: left + width + 20, height: top + height + 48 });
    for (let x = xLow; x <= xHigh * 1.001; x *= 10) {
      svg.append(shape('line', { x1: xOf(x), x2: xOf(x), y1: top, y2: top + height, class: 'axis' }));
      svg.append(shape('text', { x: xOf(x), y: top + height + 16, 'text-anchor': 'middle' }, number(x)));
    }
    for (let y = yLow; y <= yHigh * 1.001; y *= 10) {
      svg.append(shape('line', { x1: left, x2: left + width, y1: yOf(y), y2: yOf(y), class: 'axis' }));
      svg.append(shape('text', { x: left - 6, y: yOf(y) + 4, 'text-anchor': 'end' }, number(y)));
    }
    svg.append(shape('text', { x: left + width / 2, y: top + height + 36, 'text-anchor': 'middle', class: 'faint' }, figure.x));
    svg.append(shape('text', { x: left, y: top - 1, class: 'faint' }, figure.y));
    const roof = [];
    for (let step = 0; step <= 100; ++step) {
      const x = xLow * (xHigh / xLow) ** (step / 100);
      const y = Math.min(figure.peak, x * figure.slope);
      if (y >= yLow) roof.push(`${xOf(x)},${yOf(y)}`);
    }
    svg.append(shape('polyline', { points: roof.join(' '), fill: 'none', stroke: 'var(--focus)', 'stroke-width': 2 }));
    const items = figure.points.map((point) => {
      const item = shape('g');
      item.append(shape('circle', {
        cx: xOf(point.x), cy: yOf(point.y), r: 4 + 14 * Math.sqrt(point.share), class: 'mark',
        fill: palette.of(point.group), 'fill-opacity': 0.65 }));
      svg.append(item);
      return item;
    });
    const details = choosable(items, (at) => {
      const point = figure.points[at];
      return describe([point.name, `${number(point.x)} ${figure.x}, ${number(point.y)} ${figure.y}`, point.group,
        ...detailLines(point.details)]);
    });
    return [legend(palette), element('div', { class: 'scroll' }, svg), details];
  };

  // Returns, for each span, the number of enclosing spans on its track.
  const depths = (spans) => {
    const open = new Map();
    return spans.map((span) => {
      const stack = open.get(span.track) || [];
      while (stack.length && stack[stack.length - 1] <= span.start + 1e-6) stack.pop();
      stack.push(span.end);
      open.set(span.track, stack);
      return stack.length - 1;
    });
  };

  const drawTimeline = (figure) => {
    const palette = colors(figure.spans.map((span) => span.category));
    const depth = depths(figure.spans);
    const [left, row] = [150, 22];
    const rowsOf = figure.tracks.map((_, track) =>
      1 + Math.max(0, ...figure.spans.map((span, at) => (span.track === track ? depth[at] : 0))));
    const tops = rowsOf.reduce((list, rows) => [...list, list[list.length - 1] + rows * row + 8], [4]);
    const end = Math.max(...figure.spans.map((span) => span.end), 1e-9);
    const svg = shape('svg', { height: tops[tops.length - 1] + 24 });
    const holder = element('div');
    let scale = 1;
    let items = [];
    const draw = () => {
      const width = 1000 * scale;
      svg.replaceChildren();
      svg.setAttribute('width', left + width + 20);
      const xOf = (time) => left + (time / end) * width;
      for (const time of ticks(end, 10 * scale)) {
        svg.append(shape('line', { x1: xOf(time), x2: xOf(time), y1: 0, y2: tops[tops.length - 1], class: 'axis' }));
        svg.append(shape('text', { x: xOf(time), y: tops[tops.length - 1] + 16, 'text-anchor': 'middle', class: 'faint' },
          `${number(time / 1000)} ms`));
      }
      figure.tracks.forEach((name, track) =>
        svg.append(shape('text', { x: 4, y: tops[track] + 15 }, shorten(name, 22))));
      items = figure.spans.map((span, at) => {
        const item = shape('g');
        const [x, length] = [xOf(span.start), Math.max(((span.end - span.start) / end) * width, 1)];
        const y = tops[span.track] + depth[at] * row;
        item.append(shape('rect', {
          x, y, width: length, height: row - 3, rx: 2, class: 'mark', fill: palette.of(span.category),
          'fill-opacity': span.category === 'wait' ? 0.25 : 0.75 }));
        if (length > 40) {
          const label = shape('text', { x: x + 4, y: y + 14, 'pointer-events': 'none' }, shorten(span.name, length / 7));
          item.append(label);
        }
        svg.append(item);
        return item;
      });
      return choosable(items, (at) => {
        const span = figure.spans[at];
        return describe([`${span.name} (${span.category}) on ${figure.tracks[span.track]}`,
          `${number(span.start / 1000)} to ${number(span.end / 1000)} ms: ${number((span.end - span.start) / 1000)} ms`,
          ...detailLines(span.details)]);
      });
    };
    const redraw = (factor) => {
      scale = Math.min(64, Math.max(1, scale * factor));
      holder.replaceChildren(draw());
    };
    const zoom = (label, factor) => {
      const button = element('button', { type: 'button' }, label);
      button.addEventListener('click', () => redraw(factor));
      return button;
    };
    const scroll = element('div', { class: 'scroll' }, svg);
    scroll.addEventListener('keydown', (event) => {
      const factor = { '+': 2, '=': 2, '-': 0.5 }[event.key];
      if (!factor) return;
      const at = items.indexOf(document.activeElement);
      redraw(factor);
      if (at >= 0) items[at].focus();
    });
    redraw(1);
    return [legend(palette), element('div', { class: 'tools' }, zoom('Zoom in (+)', 2), zoom('Zoom out (-)', 0.5)),
      scroll, holder];
  };

  // Draws the tensors in the arena: lifetimes from left to right, offsets from top to bottom.
  const drawMemory = (figure) => {
    const palette = colors(figure.blocks.map((block) => block.group));
    const [left, width, height] = [80, 960, 420];
    const svg = shape('svg', { width: left + width + 10, height: height + 40 });
    const xOf = (step) => left + (step / figure.steps) * width;
    const yOf = (bytes) => 8 + (bytes / figure.bytes) * height;
    for (const bytes of ticks(figure.bytes, 8)) {
      svg.append(shape('line', { x1: left, x2: left + width, y1: yOf(bytes), y2: yOf(bytes), class: 'axis' }));
      svg.append(shape('text', { x: left - 6, y: yOf(bytes) + 4, 'text-anchor': 'end', class: 'faint' },
        `${number(bytes / 1e6)} MB`));
    }
    svg.append(shape('text', { x: left + width / 2, y: height + 32, 'text-anchor': 'middle', class: 'faint' },
      `operators 0 to ${figure.steps - 1}`));
    const items = figure.blocks.map((block) => {
      const item = shape('g');
      item.append(shape('rect', {
        x: xOf(block.first), y: yOf(block.offset), width: Math.max(xOf(block.last + 1) - xOf(block.first) - 1, 1),
        height: Math.max((block.bytes / figure.bytes) * height - 1, 1), class: 'mark', fill: palette.of(block.group),
        'fill-opacity': 0.7 }));
      svg.append(item);
      return item;
    });
    const details = choosable(items, (at) => {
      const block = figure.blocks[at];
      return describe([block.name, `${block.bytes} bytes at ${block.offset}, operators ${block.first} to ${block.last}`,
        block.group]);
    });
    return [legend(palette), element('div', { class: 'scroll' }, svg), details];
  };

  // Assigns rows by the longest path from an input, and columns by the columns of the predecessors, so that few edges
  // cross.
  const arrange = (figure) => {
    const before = figure.nodes.map(() => []);
    for (const [from, to] of figure.edges) before[to].push(from);
    const level = [];
    figure.nodes.forEach((_, node) => {
      level[node] = 1 + Math.max(-1, ...before[node].map((from) => level[from]));
    });
    const rows = [];
    figure.nodes.forEach((_, node) => (rows[level[node]] = [...(rows[level[node]] || []), node]));
    const column = [];
    for (const row of rows) {
      const wish = (node) => {
        const known = before[node].map((from) => column[from]);
        return known.length ? known.reduce((sum, at) => sum + at, 0) / known.length : 0;
      };
      const sorted = [...row].sort((a, b) => wish(a) - wish(b) || a - b);
      const middle = sorted.reduce((sum, node) => sum + wish(node), 0) / sorted.length;
      sorted.forEach((node, at) => (column[node] = middle + at - (sorted.length - 1) / 2));
    }
    return { before, level, column, rows: rows.length };
  };

  const drawGraph = (figure) => {
    const palette = colors(figure.nodes.map((node) => node.group));
    const { before, level, column, rows } = arrange(figure);
    const [boxWidth, boxHeight, gapX, gapY] = [210, 40, 24, 26];
    const leftmost = Math.min(...column);
    const xOf = (node) => 12 + (column[node] - leftmost) * (boxWidth + gapX);
    const yOf = (node) => 10 + level[node] * (boxHeight + gapY);
    const width = Math.max(...figure.nodes.map((_, node) => xOf(node))) + boxWidth + 12;
    const svg = shape('svg', { width, height: 10 + rows * (boxHeight + gapY) });
    for (const [from, to] of figure.edges) {
      const [x1, y1, x2, y2] = [xOf(from) + boxWidth / 2, yOf(from) + boxHeight, xOf(to) + boxWidth / 2, yOf(to)];
      const bend = Math.max(gapY, (y2 - y1) / 2);
      svg.append(shape('path', { d: `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`, class: 'edge' }));
    }
    const items = figure.nodes.map((node, at) => {
      const item = shape('g');
      item.append(shape('rect', {
        x: xOf(at), y: yOf(at), width: boxWidth, height: boxHeight, rx: 4, class: 'mark', fill: palette.of(node.group),
        'fill-opacity': 0.3, stroke: palette.of(node.group) }));
      item.append(shape('text', { x: xOf(at) + 6, y: yOf(at) + 16 }, shorten(`${node.kind}  ${node.name}`, 32)));
      item.append(shape('text', { x: xOf(at) + 6, y: yOf(at) + 32, class: 'faint' }, shorten(node.shape, 34)));
      svg.append(item);
      return item;
    });
    const after = figure.nodes.map(() => []);
    before.forEach((list, to) => list.forEach((from) => after[from].push(to)));
    const neighbour = (node, step) => {
      const row = figure.nodes.map((_, at) => at).filter((at) => level[at] === level[node]);
      row.sort((a, b) => column[a] - column[b]);
      return row[row.indexOf(node) + step];
    };
    const details = choosable(items, (at) => {
      const node = figure.nodes[at];
      return describe([`${node.kind} ${node.name}`, node.shape, node.group, ...detailLines(node.details)]);
    }, (node, key) => ({ ArrowDown: after[node][0], ArrowUp: before[node][0], ArrowLeft: neighbour(node, -1),
      ArrowRight: neighbour(node, 1) })[key]);
    return [legend(palette), element('div', { class: 'scroll' }, svg), details];
  };

  const DRAWERS = {
    facts: drawFacts, table: drawTable, bars: drawBars, roofline: drawRoofline, timeline: drawTimeline,
    memory: drawMemory, graph: drawGraph };

  const page = JSON.parse(document.getElementById('data').textContent);
  document.title = page.title;
  document.getElementById('title').textContent = page.title;
  document.getElementById('subtitle').textContent = page.subtitle;
  page.figures.forEach((figure, at) => {
    const section = element('section', { id: `figure-${at}`, 'data-kind': figure.kind, 'aria-labelledby': `title-${at}` });
    section.append(element('h2', { id: `title-${at}` }, figure.title));
    if (figure.note) section.append(element('p', { class: 'note' }, figure.note));
    section.append(...DRAWERS[figure.kind](figure));
    document.getElementById('figures').append(section);
    document.getElementById('contents').append(element('a', { href: `#figure-${at}` }, figure.title));
  });
  document.body.dataset.drawn = String(page.figures.length);
})();
