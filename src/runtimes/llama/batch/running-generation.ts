import { ServiceError } from '../../../core/error.ts'
import type { Draw } from './draw-token.ts'
import type { Generation, GenerationEnd } from './generation.ts'
import type { GuessTally } from './guess-tally.ts'
import type { SequenceHold } from './sequence-table.ts'

/** A generation that holds a sequence. */
export interface RunningGeneration {
  readonly generation: Generation
  readonly hold: SequenceHold
  readonly arrival: number
  /** Tokens not evaluated yet: the rest of the prompt, then the last token drawn. */
  next: Uint32Array
  /** Tokens that may follow `next`, to be checked in the same batch. */
  guess: Uint32Array
  /** null when nothing is ever guessed. */
  readonly guesses: GuessTally | null
  drawn: number
  done: boolean
  /** It gave its sequence back; its last token may still have to be handed out. */
  left: boolean
}

/** A token on its way to its reader. */
export interface Delivery {
  readonly running: RunningGeneration
  readonly draw: Draw
  readonly end: GenerationEnd | null
}

/** Delivers a drawn token to its generation; an error it throws fails only that generation. */
export function handOut({ running, draw, end }: Delivery): void {
  const { generation } = running
  try {
    if (running.drawn === 1) generation.onPrompt(running.hold.cachedTokens)
    if (draw.token !== null && !generation.onToken(draw.token, draw.logprobs)) running.done = true
    else if (end !== null) generation.onEnd(end)
  } catch (error) {
    running.done = true
    generation.onFailure(error instanceof Error ? error : new Error(String(error)))
  }
}

/** The refusal of a model that is being disposed of. */
export function unloading(): ServiceError {
  return new ServiceError('shutting_down', 'The language model is being unloaded; send the request again.')
}
