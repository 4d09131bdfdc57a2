/** Owns: what the tabs of the torture tell the test process, and what the page can be asked. No code. */

/** A worker from its start to its end: `<tab>.<number>`. */
export type Life = string;

export type Told =
  | { readonly type: 'opened'; readonly life: Life; readonly generation: number }
  /** The database has said that this transaction is durable. */
  | { readonly type: 'acknowledged'; readonly life: Life; readonly id: string }
  /** The database has refused a transaction; `surely`: nothing of it is stored, as it says. */
  | {
      readonly type: 'refused';
      readonly life: Life;
      readonly id: string;
      readonly failure: string;
      readonly surely: boolean;
    }
  /** Opening or refreshing failed. */
  | { readonly type: 'failed'; readonly life: Life; readonly failure: string; readonly reason: string }
  | { readonly type: 'folded'; readonly life: Life }
  /** It writes no more; `opened`: it has a database that it can show. */
  | { readonly type: 'stopped'; readonly life: Life; readonly opened: boolean }
  /** What must never happen: an error nobody expected. */
  | { readonly type: 'threw'; readonly life: Life; readonly text: string };

export type Sabotage = 'none' | 'early' | 'no-base' | 'twice' | 'torn';

/** From the page to its worker, first of all. */
export interface Order {
  readonly life: Life;
  readonly seed: number;
  readonly storageName: string;
  readonly sabotage: Sabotage;
  /** Opens the database and shows it, and writes nothing. */
  readonly onlyShow: boolean;
}

/** `window.torture`. */
export interface TorturePage {
  /** The worker that works now. */
  life(): Life;
  /** Terminates the worker, whatever it is doing, and starts another one. */
  kill(): void;
  /** The worker ends what it is doing, tells that it has stopped, and does nothing more. */
  stop(): void;
  /** The stopped worker takes in what others wrote, and sends its image to `/image/<life>`. */
  show(): void;
}
