import type { OutputReference } from '../inference.ts'

/** A picture that somebody keeps beyond the day that outputs live: a copy of one's own. */
export interface KeptPicture {
  readonly id: string
  /** Where it came from; the request may be forgotten by now. */
  readonly inferenceId: string
  readonly index: number
  readonly seed: number
  readonly model: string
  /** The beginning of its prompt; empty = nobody knows any more. */
  readonly prompt: string
  /** Its file. */
  readonly file: OutputReference
  /** Unix milliseconds. */
  readonly keptAt: number
}
