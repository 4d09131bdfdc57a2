/** Owns: the colour of a run's status; the word beside it says the same. */
export function statusTone(status: string): 'ok' | 'warn' | 'danger' | 'accent' {
  switch (status) {
    case 'completed':
      return 'ok';
    case 'waiting':
      return 'warn';
    case 'failed':
      return 'danger';
    default:
      return 'accent';
  }
}
