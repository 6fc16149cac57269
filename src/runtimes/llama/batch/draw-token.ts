import { ServiceError } from '../../../core/error.ts'
import type { DecodingContext, LogitIndex } from '../binding/native-context.ts'
import type { DrawnLogprobs, Generation } from './generation.ts'

/** A drawn token; null = no token is allowed, as after a finished grammar. */
export interface Draw {
  readonly token: number | null
  readonly logprobs: DrawnLogprobs | null
}

/**
 * Draws a generation's next token from the logits at `index`.
 *
 * @param ahead The draw, if it was queued after its batch.
 * @throws {ServiceError} `numerical_error` if the logits are NaN.
 */
export async function drawToken(
  context: DecodingContext,
  index: LogitIndex,
  generation: Generation,
  ahead: Promise<number> | null,
): Promise<Draw> {
  const token = await (ahead ?? generation.draw(context, index))
  if (token < 0) return { token: null, logprobs: null }
  // One number suffices: a NaN in any layer makes all logits NaN.
  if (Number.isNaN(context.logits(index)[token]))
    throw new ServiceError(
      'numerical_error',
      'The language model produced NaN; its file is damaged, or the device computes its quantization wrongly.',
    )
  return { token, logprobs: generation.topLogprobs === null ? null : scoreToken(context.logits(index), token, generation.topLogprobs) }
}

/** Log probability of a token under these logits, and the most likely tokens. */
export function scoreToken(logits: Float32Array, token: number, top: number): DrawnLogprobs {
  const likeliest = findHighest(logits, Math.max(1, top))
  const highest = logits[likeliest[0] ?? 0] ?? 0
  let weight = 0
  for (const logit of logits) weight += Math.exp(logit - highest)
  const offset = highest + Math.log(weight)
  const logprobOf = (index: number): number => (logits[index] ?? Number.NEGATIVE_INFINITY) - offset
  return { logprob: logprobOf(token), top: likeliest.slice(0, top).map((index) => ({ token: index, logprob: logprobOf(index) })) }
}

/** Indexes of the `count` highest values, highest first. */
function findHighest(values: Float32Array, count: number): readonly number[] {
  const found: number[] = []
  let least = Number.NEGATIVE_INFINITY
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (found.length === count && value <= least) continue
    const place = found.findIndex((other) => (values[other] ?? 0) < value)
    found.splice(place < 0 ? found.length : place, 0, index)
    if (found.length > count) found.pop()
    least = values[found.at(-1) ?? 0] ?? 0
  }
  return found
}
