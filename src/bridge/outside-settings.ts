/**
 * Owns: what a person may set of the world outside, as the screens know it: how the desk behaves, where calls may go.
 * Leaves: what each of these is to world/; keeping them to lab/.
 */
export type { AddressRefused } from '../world/address.ts';
export { checkAddress } from '../world/address.ts';
export type { DeskSettings, DeskTrouble } from '../world/desk-settings.ts';
export { defaultDeskSettings, delays, troubles } from '../world/desk-settings.ts';
