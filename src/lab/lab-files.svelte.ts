/**
 * Owns: what goes in and out of the lab as files, and Reset and Undo.
 * Leaves: looking at a file to its own worker (file-inspector.ts); the dialogs to their components.
 */
import type { FileInspector, Inspection } from '../bridge/file-inspector.ts';
import type { QuarantinedImage } from '../bridge/protocol.ts';
import type { LabView } from '../bridge/views.ts';
import type { Failure } from '../engine/failure.ts';
import { download } from '../ui/download.ts';
import type { Lab } from './lab.svelte.ts';

/** A file on its way in: looked at, and then refused or waiting for a yes. */
export type Offer =
  | { readonly type: 'none' }
  | { readonly type: 'looking'; readonly name: string; readonly cancel: AbortController }
  | { readonly type: 'refused'; readonly name: string; readonly failure: Failure }
  | { readonly type: 'asks'; readonly name: string; readonly file: File; readonly inspection: Inspection };

/** "It breaks I4 and I5.", or nothing to say. */
export function brokenSentence(view: LabView): string {
  const broken = view.invariants.filter((one) => one.violations > 0).map((one) => one.id);
  return broken.length === 0 ? '' : `It breaks ${broken.join(' and ')}.`;
}

export class LabFiles {
  offer = $state.raw<Offer>({ type: 'none' });
  quarantined = $state.raw<readonly QuarantinedImage[]>([]);
  readonly #lab: Lab;
  readonly #inspector: FileInspector;

  constructor(lab: Lab, inspector: FileInspector) {
    this.#lab = lab;
    this.#inspector = inspector;
  }

  async look(file: File): Promise<void> {
    this.#lab.pause();
    this.#lab.restarts.cancel();
    const { name } = file;
    const cancel = new AbortController();
    this.dismiss();
    this.offer = { type: 'looking', name, cancel };
    const looked = await this.#inspector.inspect(file, cancel.signal);
    if (looked === null) return;
    if (looked.ok) this.offer = { type: 'asks', name, file, inspection: looked.value };
    else this.#refuse(name, looked.failure);
  }

  /** A second click finds nothing to accept. What could not be saved is told with its ways on, and can be looked at again. */
  async accept(): Promise<void> {
    if (this.offer.type !== 'asks') return;
    const { name, file, inspection } = this.offer;
    const { image } = inspection;
    this.offer = { type: 'none' };
    const opened = await this.#lab.worker.ask(
      (agent) => agent.request('importFile', { image }, [image.buffer]),
      () => void this.look(file),
    );
    if (opened === null) return;
    if (!opened.ok) {
      if (opened.failure.type !== 'FileRefused') return;
      this.#lab.worker.trouble = null;
      return this.#refuse(name, opened.failure);
    }
    this.#replaced();
    this.#lab.receive(opened.value);
    const broken = brokenSentence(opened.value);
    this.#lab.said = `${name} is open. ${broken} Undo brings the former database back until the next run starts.`;
  }

  /** Ends looking at a file, too. */
  dismiss(): void {
    if (this.offer.type === 'looking') this.offer.cancel.abort();
    this.offer = { type: 'none' };
  }

  async reset(): Promise<void> {
    this.#lab.pause();
    if (
      await this.#lab.show(
        (agent) => agent.request('reset', {}),
        () => void this.reset(),
      )
    ) {
      this.#replaced();
      this.#lab.said = 'The lab is empty. Undo brings everything back until the next run starts.';
    }
  }

  async undo(): Promise<void> {
    this.#lab.pause();
    if (
      await this.#lab.show(
        (agent) => agent.request('undo', {}),
        () => void this.undo(),
      )
    ) {
      this.#replaced();
      this.#lab.said = 'The former database is back.';
    }
  }

  async downloadDatabase(): Promise<void> {
    const image = await this.#lab.worker.ask((agent) => agent.request('exportDatabase', {}));
    if (image?.ok) download('crashpoint.db', image.value, 'application/vnd.sqlite3');
  }

  async downloadTrace(): Promise<void> {
    const runId = this.#lab.run?.run.runId ?? null;
    const trace = await this.#lab.worker.ask((agent) => agent.request('exportTrace', { runId }));
    if (trace?.ok) download(`${runId ?? 'crashpoint'}-trace.csv`, trace.value, 'text/csv');
  }

  async listQuarantined(): Promise<void> {
    const found = await this.#lab.worker.ask((agent) => agent.request('quarantined', {}));
    if (found?.ok) this.quarantined = found.value;
  }

  async downloadQuarantined(name: string): Promise<void> {
    const image = await this.#lab.worker.ask((agent) => agent.request('exportQuarantined', { name }));
    if (image?.ok) download(`${name.replace(/[^\w.-]+/g, '_')}.db`, image.value, 'application/octet-stream');
  }

  async deleteQuarantined(name: string): Promise<void> {
    const left = await this.#lab.worker.ask((agent) => agent.request('deleteQuarantined', { name }));
    if (left?.ok) this.quarantined = left.value;
  }

  #refuse(name: string, failure: Failure): void {
    this.offer = { type: 'refused', name, failure };
  }

  #replaced(): void {
    this.#lab.stepping.replaced();
    this.#lab.restarts.dismiss();
    this.#lab.showTicket(null);
  }
}
