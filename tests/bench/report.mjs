/** Owns: medians and ratios of what was measured, as a table and as a bar chart. */

export const names = {
  ours: 'Crashpoint (IndexedDB, any number of tabs)',
  'whole-image': 'sql.js, export() and put of the whole image',
  'wa-idb-batch': 'wa-sqlite IDBBatchAtomicVFS (IndexedDB)',
  'wa-opfs-pool': 'wa-sqlite AccessHandlePoolVFS (OPFS, one tab)',
  'sqlite-wasm-pool': 'sqlite-wasm opfs-sahpool (OPFS, one tab)',
  pglite: 'PGlite (IndexedDB)',
};

function median(values) {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds (medians), and ratios to what IndexedDB alone took, timed in between. */
export function summary({ contender, megabytes, commits, burst, run, opening }) {
  const raw = median(commits.raw);
  return {
    contender,
    megabytes,
    raw,
    commit: median(commits.taken),
    ratio: median(commits.taken) / raw,
    rounds: commits.taken.length,
    burst: median(burst.taken),
    run: median(run.taken),
    opening: median(opening.taken),
    reading: median(opening.raw),
    openingRatio: median(opening.taken) / median(opening.raw),
  };
}

const cell = (value, digits) => (value === undefined || value === null ? '–' : value.toFixed(digits));

export function table(results, about) {
  const sizes = [...new Set(results.map(({ megabytes }) => megabytes))];
  const lines = [
    `Measured on ${about}. Medians. × of a commit: to one strict 4 KiB put into IndexedDB, timed in turn; × of opening: to reading as many bytes from IndexedDB as one blob. –: a burst of more than 5 s, not measured.`,
  ];
  for (const megabytes of sizes) {
    lines.push('', `**${megabytes} MB**`, '');
    lines.push('| | small commit, ms | × | 100 commits, ms | the lesson’s run, ms | opening, ms | × |');
    lines.push('|---|---:|---:|---:|---:|---:|---:|');
    for (const result of results.filter((one) => one.megabytes === megabytes)) {
      const { commit, ratio, burst, run, opening, openingRatio, error } = result;
      const cells = error
        ? [`failed: ${error.replaceAll('|', ' ')}`, '–', '–', '–', '–', '–']
        : [
            cell(commit, 2),
            cell(ratio, 2),
            cell(burst, 0),
            cell(run, 1),
            cell(opening, 0),
            cell(openingRatio, 2),
          ];
      lines.push(`| ${names[result.contender]} | ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const words =
  'A durable small commit, as a multiple of one strict 4 KiB put, at four sizes and for six ways to keep an SQL database in a browser';

/** Ratios of a small commit as bars on a logarithmic scale, the four sizes below each other. */
export function chart(results, about) {
  const shown = results.filter(({ ratio }) => ratio !== undefined);
  const [left, width, bar] = [330, 760, 18];
  const most = Math.max(10, ...shown.map(({ ratio }) => ratio));
  const scale = (ratio) =>
    (Math.log10(Math.max(ratio, 0.3) / 0.3) / Math.log10(most / 0.3)) * (width - left - 70);
  const rows = [];
  let y = 56;
  for (const megabytes of new Set(shown.map((one) => one.megabytes))) {
    rows.push(`<text x="10" y="${y + 13}" class="size">${megabytes} MB</text>`);
    y += 22;
    for (const { contender, ratio } of shown.filter((one) => one.megabytes === megabytes)) {
      rows.push(
        `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${names[contender]}</text>`,
        `<rect x="${left}" y="${y}" width="${scale(ratio).toFixed(1)}" height="${bar - 4}" class="${contender === 'ours' ? 'ours' : 'other'}"/>`,
        `<text x="${(left + scale(ratio) + 6).toFixed(1)}" y="${y + 12}">${ratio.toFixed(ratio < 10 ? 2 : 0)}×</text>`,
      );
      y += bar;
    }
    y += 10;
  }
  const one = left + scale(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 6}" role="img" aria-label="${words}">
<style>text{font:12px system-ui,sans-serif;fill:#1f2937}.title{font-size:15px;font-weight:600}.size{font-weight:600}.ours{fill:#b45309}.other{fill:#94a3b8}.one{stroke:#1f2937;stroke-dasharray:4 3}</style>
<rect width="${width}" height="${y + 6}" fill="#fff"/>
<text x="10" y="22" class="title">A durable small commit, as a multiple of one strict 4 KiB put (logarithmic)</text>
<text x="10" y="42">${about}</text>
<line x1="${one.toFixed(1)}" x2="${one.toFixed(1)}" y1="52" y2="${y}" class="one"/>
${rows.join('\n')}
</svg>
`;
}
