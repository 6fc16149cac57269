import { ServiceError } from '../../../core/error.ts'
import type { AdapterSet } from './adapter-set.ts'
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

/**
 * The running texts by ascending sequence, if each is drawn by its sampler alone, all use the adapters of `key`, and their sequences are
 * consecutive; else null.
 */
export function steadyTexts(all: readonly RunningGeneration[], key: AdapterSet['key']): readonly RunningGeneration[] | null {
  if (all.length === 0) return null
  const running = all.toSorted((a, b) => a.hold.id - b.hold.id)
  const first = running[0]?.hold.id ?? 0
  const continues = ({ generation, hold, next }: RunningGeneration, index: number): boolean =>
    next.length === 1 &&
    generation.drawsAhead &&
    generation.topLogprobs === null &&
    generation.adapters.key === key &&
    hold.id === first + index
  return running.every(continues) ? running : null
}

/** The refusal of a model that is being disposed of. */
export function unloading(): ServiceError {
  return new ServiceError('shutting_down', 'The language model is being unloaded; send the request again.')
}
