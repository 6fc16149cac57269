import type { LogitIndex, NativeContext } from '../binding/native-binding.ts'
import type { DrawnLogprobs, Generation } from './generation.ts'

/** A drawn token; null when nothing may follow, as after a finished grammar. */
export interface Draw {
  readonly token: number | null
  readonly logprobs: DrawnLogprobs | null
}

/**
 * Draws a generation's next token from the logits at `index`.
 *
 * @param ahead The draw, where it has been queued behind its batch.
 */
export async function drawToken(
  context: NativeContext,
  index: LogitIndex,
  generation: Generation,
  ahead: Promise<number> | null,
): Promise<Draw> {
  const token = await (ahead ?? generation.draw(context, index))
  if (token < 0) return { token: null, logprobs: null }
  return { token, logprobs: generation.logprobs === null ? null : await scoreToken(context, index, token, generation.logprobs) }
}

/** How likely a token is after the logits at `index`, and what is likeliest there. */
export async function scoreToken(
  context: NativeContext,
  index: LogitIndex,
  token: number,
  { sampler, top }: NonNullable<Generation['logprobs']>,
): Promise<DrawnLogprobs> {
  const details = await context.sampleToken(index, sampler, false, false, [[token], false, false, false, Math.max(1, top)], true)
  return toLogprobs(token, top, details[3] ?? [], details[4] ?? 1)
}

/**
 * @param pairs `[token, logit, …]`: the likeliest by falling logit, then the drawn token.
 * @param totalWeight Σ exp(logit − highest logit) over the vocabulary.
 */
function toLogprobs(token: number, top: number, pairs: readonly number[], totalWeight: number): DrawnLogprobs {
  const highest = pairs[1] ?? 0
  const offset = highest + Math.log(totalWeight)
  const all: { token: number; logprob: number }[] = []
  for (let index = 0; index + 1 < pairs.length; index += 2)
    all.push({ token: pairs[index] ?? 0, logprob: (pairs[index + 1] ?? 0) - offset })
  return { logprob: all.find((entry) => entry.token === token)?.logprob ?? 0, top: all.slice(0, top) }
}
