/** Owns: a Chart.js plugin that draws a dashed, labelled line before each session but the first. */
import type { ChartType, Plugin } from 'chart.js';

export interface RestartLineOptions {
  /** Sequences of the first event of each later session. */
  before: readonly number[];
  colour: string;
}

declare module 'chart.js' {
  interface PluginOptionsByType<TType extends ChartType> {
    restartLine?: RestartLineOptions & (TType extends ChartType ? object : never);
  }
}

export const restartLine: Plugin = {
  id: 'restartLine',
  beforeDatasetsDraw({ ctx, chartArea, scales }, _args, options) {
    const { before, colour } = options as RestartLineOptions;
    ctx.save();
    Object.assign(ctx, {
      strokeStyle: colour,
      fillStyle: colour,
      lineWidth: 1.5,
      textAlign: 'center',
      font: '600 11px system-ui',
    });
    ctx.setLineDash([5, 4]);
    for (const sequence of before ?? []) {
      const x = scales['x']?.getPixelForValue(sequence - 0.5) ?? 0;
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      ctx.fillText('restart', x, chartArea.top - 6);
    }
    ctx.restore();
  },
};
