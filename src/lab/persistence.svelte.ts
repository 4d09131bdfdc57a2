/** Owns: asking the browser not to evict what is stored, once by itself and whenever a person wants it. */
import { readKept, writeKept } from './kept.ts';
import type { LabPorts } from './lab-ports.ts';

export class Persistence {
  /** Null: not asked yet, or the browser does not say. */
  granted = $state<boolean | null>(null);
  readonly #ports: Pick<LabPorts, 'keep' | 'askToPersist'>;

  constructor(ports: Pick<LabPorts, 'keep' | 'askToPersist'>) {
    this.#ports = ports;
  }

  /** A run was saved: from now on there is something to lose. Asked by itself once; some browsers ask the person. */
  async started(): Promise<void> {
    const { keep } = this.#ports;
    if (this.granted === true || (await readKept(keep)).askedToPersist) return;
    await writeKept(keep, 'askedToPersist', true);
    await this.ask();
  }

  async ask(): Promise<void> {
    this.granted = await this.#ports.askToPersist();
  }
}
