import type { SamplingParameters } from '../../../core/text-generation.ts'
import type { NativeSamplerConfig } from '../binding/native-sampler.ts'

/** Below this the division by the temperature leaves float32's range; the result is greedy anyway. */
const lowestTemperature = 1e-4

/**
 * The sampler chain of one choice, in llama.cpp's order: bias, penalties, top-k, top-p, min-p, temperature, draw.
 *
 * Frequency and presence penalties count the tokens generated; with a repetition penalty, all three count the prompt's too.
 *
 * @param seed 32 bits; 0xffffffff would mean "random" to llama.cpp.
 */
export function samplerConfig(
  sampling: SamplingParameters,
  { seed, prompt, contextLength }: { readonly seed: number; readonly prompt: Uint32Array; readonly contextLength: number },
): NativeSamplerConfig {
  return {
    ...(sampling.temperature >= lowestTemperature && {
      temperature: sampling.temperature,
      ...(sampling.topK > 0 && { topK: sampling.topK }),
      topP: sampling.topP,
      minP: sampling.minP,
      seed,
    }),
    ...(penalises(sampling) && {
      penalties: {
        repetition: sampling.repetitionPenalty,
        frequency: sampling.frequencyPenalty,
        presence: sampling.presencePenalty,
        last: contextLength,
        before: sampling.repetitionPenalty === 1 ? new Uint32Array() : prompt,
      },
    }),
  }
}

function penalises({ repetitionPenalty, frequencyPenalty, presencePenalty }: SamplingParameters): boolean {
  return repetitionPenalty !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0
}
