/** Owns: a Chart.js plugin that draws a dashed, labelled line wherever another session goes on. */
import type { ChartType, Plugin } from 'chart.js';
import type { Restart } from './event-words.ts';

export interface RestartLineOptions {
  restarts: readonly Restart[];
  colours: Readonly<Record<Restart['kind'], string>>;
}

declare module 'chart.js' {
  interface PluginOptionsByType<TType extends ChartType> {
    restartLine?: RestartLineOptions & (TType extends ChartType ? object : never);
  }
}

export const restartLine: Plugin = {
  id: 'restartLine',
  beforeDatasetsDraw({ ctx, chartArea, scales }, _args, options) {
    const { restarts, colours } = options as RestartLineOptions;
    ctx.save();
    Object.assign(ctx, { lineWidth: 1.5, textAlign: 'center', font: '600 11px system-ui' });
    ctx.setLineDash([5, 4]);
    for (const { before, kind } of restarts ?? []) {
      Object.assign(ctx, { strokeStyle: colours[kind], fillStyle: colours[kind] });
      const x = scales['x']?.getPixelForValue(before - 0.5) ?? 0;
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      ctx.fillText(kind, x, chartArea.top - 6);
    }
    ctx.restore();
  },
};
