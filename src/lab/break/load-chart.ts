/** Owns: refused writes and waits over the number of writers, on a canvas, with Chart.js; loaded when it is first shown. */
import { Chart, LinearScale, LineController, LineElement, PointElement, Tooltip } from 'chart.js';
import { Legend } from 'chart.js';
import type { LoadPoint } from '../../bridge/experiment-client.ts';

Chart.register(LinearScale, LineController, LineElement, PointElement, Tooltip, Legend);

export interface LoadChart {
  /** Colours are read anew each time. */
  show(points: readonly LoadPoint[], knee: number | null): void;
  destroy(): void;
}

export function drawLoad(canvas: HTMLCanvasElement): LoadChart {
  const colour = (name: string): string => {
    canvas.style.color = `var(${name})`;
    const resolved = getComputedStyle(canvas).color;
    canvas.style.color = '';
    return resolved;
  };
  const chart = new Chart<'line', { x: number; y: number }[]>(canvas, {
    type: 'line',
    data: { datasets: [] },
    options: { responsive: true, maintainAspectRatio: false, animation: false },
  });
  return {
    show(points, knee) {
      const [ink, line] = [colour('--muted'), colour('--line')];
      const drawn = (label: string, shade: string, y: (point: LoadPoint) => number, axis: string) => ({
        label,
        yAxisID: axis,
        data: points.map((point) => ({ x: point.writers, y: y(point) })),
        borderColor: shade,
        backgroundColor: shade,
        pointRadius: points.map(({ writers }) => (writers === knee ? 8 : 2.5)),
        pointStyle: axis === 'y' ? ('circle' as const) : ('rect' as const),
        tension: 0.2,
      });
      chart.data.datasets = [
        drawn('refused of 100 writes', colour('--danger'), (one) => (100 * one.refused) / one.attempted, 'y'),
        drawn('p95 wait, ms', colour('--session-0'), (one) => one.p95Wait, 'wait'),
      ];
      const ticks = { color: ink };
      const title = (text: string) => ({ display: true, text, color: ink });
      chart.options.scales = {
        x: { type: 'linear', min: 1, max: 64, ticks, grid: { color: line }, title: title('writers') },
        y: { type: 'linear', min: 0, ticks, grid: { color: line }, title: title('refused of 100') },
        wait: {
          type: 'linear',
          position: 'right',
          min: 0,
          ticks,
          grid: { display: false },
          title: title('ms'),
        },
      };
      chart.options.plugins = { legend: { labels: { color: ink, usePointStyle: true } } };
      chart.update();
    },
    destroy: () => chart.destroy(),
  };
}
