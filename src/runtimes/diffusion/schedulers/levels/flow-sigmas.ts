import type { JsonRecord } from '../../onnx/model-file.ts'

/** Noise schedule of a flow-matching model, named as in diffusers. */
export interface FlowSchedule {
  /** Factor that moves steps towards more noise, the same for all sizes. */
  readonly shift: number
  /** Shift by the picture's size: values of the exponent at two numbers of tokens; null = independent of size. */
  readonly bySize: { readonly base: number; readonly max: number; readonly baseTokens: number; readonly maxTokens: number } | null
  /**
   * `even`: levels from 1 to 1/n; `trained`: from the noisiest to the cleanest level of training, both moved already; `empirical`: as even,
   * moved by a formula of tokens and steps.
   */
  readonly spacing: 'even' | 'trained' | 'empirical'
}

/** Training steps that noise levels are counted in. */
export const flowTimesteps = 1000

/** Reads `scheduler_config.json`; absent fields have fixed defaults. */
export function parseFlowSchedule(json: JsonRecord, spacing: FlowSchedule['spacing']): FlowSchedule {
  const number = (key: string, fallback: number): number => (typeof json[key] === 'number' ? json[key] : fallback)
  return {
    shift: number('shift', number('flow_shift', 1)),
    bySize:
      json.use_dynamic_shifting === true
        ? {
            base: number('base_shift', 0.5),
            max: number('max_shift', 1.15),
            baseTokens: number('base_image_seq_len', 256),
            maxTokens: number('max_image_seq_len', 4096),
          }
        : null,
    spacing,
  }
}

/** How a schedule shifts noise levels for a number of tokens. @see Esser et al. 2024, arXiv:2403.03206, section 5.3.2 */
interface Shift {
  readonly factor: number
  /** Whether the factor depends on the picture's size. */
  readonly isDynamic: boolean
}

function shiftOf({ shift, bySize, spacing }: FlowSchedule, steps: number, tokens: number): Shift {
  if (spacing === 'empirical') return { factor: Math.exp(empiricalExponent(tokens, steps)), isDynamic: true }
  if (bySize === null) return { factor: shift, isDynamic: false }
  const slope = (bySize.max - bySize.base) / (bySize.maxTokens - bySize.baseTokens)
  return { factor: Math.exp(tokens * slope + bySize.base - slope * bySize.baseTokens), isDynamic: true }
}

/** The same number in two forms, whose last digits differ: diffusers cuts timesteps to integers. */
function shifted({ factor, isDynamic }: Shift, sigma: number): number {
  return isDynamic ? factor / (factor + (1 / sigma - 1)) : (factor * sigma) / (1 + (factor - 1) * sigma)
}

/** FLUX.2's, fitted to 10 and 200 steps; large pictures are moved as by 200. */
function empiricalExponent(tokens: number, steps: number): number {
  const many = 0.00016927 * tokens + 0.45666666
  if (tokens > 4300) return many
  const few = 8.73809524e-5 * tokens + 1.89833333
  return many + ((few - many) * (200 - steps)) / 190
}

/** The noise level of each step, falling from 1, followed by a 0. */
export function flowSigmas(schedule: FlowSchedule, steps: number, tokens: number): Float32Array {
  const shift = shiftOf(schedule, steps, tokens)
  const move = (sigma: number): number => Math.fround(shifted(shift, sigma))
  // Only a shift by size leaves the levels of training unmoved.
  const cleanest = shift.isDynamic ? 1 / flowTimesteps : move(1 / flowTimesteps)
  const end = schedule.spacing === 'trained' ? cleanest : 1 / steps
  const levels = Array.from({ length: steps }, (_, i) => Math.fround(steps === 1 ? 1 : 1 + (i * (end - 1)) / (steps - 1)))
  return Float32Array.from([...levels.map(move), 0])
}

/** Noise levels that DPM-Solver++ takes for flow matching: from the last training step but none, evenly, then moved. */
export function dpmFlowTrack(schedule: FlowSchedule, steps: number, tokens: number): SharedTrack {
  const { factor } = shiftOf(schedule, steps, tokens)
  const moved = { factor, isDynamic: false }
  return sharedTrack(
    evenLevels(steps)
      .map((level) => shifted(moved, 1 - level))
      .toReversed()
      .slice(0, -1),
  )
}

/** Noise levels that UniPC takes for flow matching: from pure noise, evenly, then moved. */
export function uniPcFlowTrack(schedule: FlowSchedule, steps: number, tokens: number): SharedTrack {
  const shift = shiftOf(schedule, steps, tokens)
  const [, ...levels] = evenLevels(steps).map((level) => shifted(shift, level))
  // Pure noise has no signal whose logarithm the solver could take.
  return sharedTrack([1 - 1e-6, ...levels.slice(0, steps - 1)])
}

/** `numpy.linspace(1, 1 / 1000, steps + 1)`: its last digits decide where timesteps are cut. */
function evenLevels(steps: number): readonly number[] {
  const least = 1 / flowTimesteps
  return Array.from({ length: steps + 1 }, (_, i) => (i === steps ? least : i * ((least - 1) / steps) + 1))
}

function sharedTrack(levels: readonly number[]): SharedTrack {
  const sigmas = Float32Array.from([...levels, 0])
  return {
    // These schedulers use integers.
    timesteps: levels.map((sigma) => Math.trunc(sigma * flowTimesteps)),
    sigmas,
    shares: (index) => {
      const sigma = sigmas[index] ?? 0
      return { alpha: 1 - sigma, sigma }
    },
  }
}

/** Noise levels of a solver's steps whose shares of signal and noise are their own, not those of latents at variance 1. */
export interface SharedTrack {
  readonly timesteps: readonly number[]
  /** Falling, followed by the final one; single precision. */
  readonly sigmas: Float32Array
  readonly shares: (index: number) => { readonly alpha: number; readonly sigma: number }
}
