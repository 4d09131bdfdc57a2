/**
 * Owns: the timeline on a canvas, with Chart.js; loaded when a timeline is first shown.
 * Leaves: words, legend and keyboard to Timeline.svelte, which shows the same data.
 */
import { Chart, LinearScale, PointElement, ScatterController, Tooltip } from 'chart.js';
import type { AgentEvent } from '../engine/records.ts';
import { eventSentence, restartsOf, sessionsOf } from './event-words.ts';
import { lanesOf } from './lanes.ts';
import { restartLine } from './restart-line.ts';

Chart.register(LinearScale, PointElement, ScatterController, Tooltip);

export interface TimelineInput {
  readonly events: readonly AgentEvent[];
  readonly cursor: number | null;
  readonly animated: boolean;
}

export interface TimelineChart {
  show(input: TimelineInput): void;
  destroy(): void;
}

/** Where there would be more, only the events' own numbers are marked. */
const mostTicks = 2000;

export function drawTimeline(canvas: HTMLCanvasElement, onchoose: (sequence: number) => void): TimelineChart {
  const colour = colourReader(canvas);
  const chart = new Chart<'scatter', { x: number; y: number }[]>(canvas, {
    type: 'scatter',
    data: { datasets: [] },
    plugins: [restartLine],
    options: {
      responsive: true,
      maintainAspectRatio: false,
      layout: { padding: { top: 18, right: 14 } },
      interaction: { mode: 'nearest', intersect: false },
      onClick: (_event, [nearest]) => {
        const point = nearest && chart.data.datasets[nearest.datasetIndex]?.data[nearest.index];
        if (point) onchoose(point.x);
      },
    },
  });
  return {
    show({ events, cursor, animated }) {
      const lanes = lanesOf(events);
      const ink = colour('--muted');
      const grid = colour('--line');
      chart.data.datasets = sessionsOf(events).map(({ session, index, shape }) => {
        const own = events.filter((event) => event.session === session);
        const radius = own.map((event) => (event.sequence === cursor ? 10 : 6.5));
        return {
          label: session,
          data: own.map((event) => ({ x: event.sequence, y: lanes.indexOf(event.eventType) })),
          pointStyle: shape,
          pointRadius: radius,
          pointHoverRadius: radius,
          pointHitRadius: 14,
          // Hollow: after the event at the cursor.
          backgroundColor: own.map((event) =>
            colour(cursor !== null && event.sequence > cursor ? '--surface' : `--session-${index}`),
          ),
          borderColor: own.map((event) => colour(event.sequence === cursor ? '--ink' : `--session-${index}`)),
          borderWidth: own.map((event) => (cursor !== null && event.sequence >= cursor ? 2.5 : 1)),
        };
      });
      const sequences = events.map((event) => event.sequence);
      // A run from elsewhere may begin and end anywhere, with gaps.
      const [first, last] = [Math.min(1, ...sequences), Math.max(4, ...sequences)];
      chart.options.animation = animated ? { duration: 250 } : false;
      chart.options.scales = {
        x: {
          type: 'linear',
          min: first - 0.5,
          max: last + 0.5,
          // With a minimum of 0.5 the whole numbers would not be ticks by themselves.
          afterBuildTicks: (scale) => {
            const count = last - first + 1;
            scale.ticks =
              count > mostTicks
                ? sequences.map((value) => ({ value }))
                : Array.from({ length: count }, (_, at) => ({ value: first + at }));
          },
          ticks: { color: ink, autoSkip: true, maxRotation: 0 },
          grid: { display: false },
          border: { color: grid },
          title: { display: true, text: 'sequence', color: ink },
        },
        y: {
          type: 'linear',
          min: -0.5,
          max: lanes.length - 0.5,
          afterBuildTicks: (scale) => {
            scale.ticks = lanes.map((_, value) => ({ value }));
          },
          ticks: { color: ink, autoSkip: false, callback: (value) => lanes[Number(value)] ?? '' },
          grid: { color: grid },
          border: { display: false },
        },
      };
      // The page's own text size, a little smaller, as it is now.
      chart.options.font = { size: 0.8 * parseFloat(getComputedStyle(canvas).fontSize) };
      chart.options.plugins = {
        restartLine: {
          restarts: restartsOf(events),
          colours: { restart: colour('--danger'), 'other tab': ink },
        },
        tooltip: {
          displayColors: false,
          callbacks: {
            label: ({ raw }) => {
              const at = (raw as { x: number }).x;
              const event = events.find(({ sequence }) => sequence === at);
              return event ? `${event.sequence}. ${eventSentence(event)}` : '';
            },
          },
        },
      };
      chart.update();
    },
    destroy: () => chart.destroy(),
  };
}

/** A custom property as the colour it means now: the theme's functions are resolved by the browser. */
function colourReader(canvas: HTMLCanvasElement): (name: string) => string {
  return (name) => {
    canvas.style.color = `var(${name})`;
    const resolved = getComputedStyle(canvas).color;
    canvas.style.color = '';
    return resolved;
  };
}
