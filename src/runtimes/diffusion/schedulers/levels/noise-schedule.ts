import { valueAt } from '../../value-at.ts'
import type { SchedulerConfig } from '../scheduler-config.ts'

/** Noise levels of the training timesteps, in PyTorch's float32 arithmetic. */
export interface NoiseSchedule {
  /** Share of the signal's variance left at each timestep (diffusers' `alphas_cumprod`). */
  readonly alphasCumprod: Float32Array
  /** Noise over signal at each timestep: √((1 − ᾱ) / ᾱ), rising. */
  readonly sigmas: Float32Array
  readonly logSigmas: Float32Array
}

/** @see Ho et al. 2020, arXiv:2006.11239, section 4; diffusers' schedulers for the rounding. */
export function noiseSchedule(config: SchedulerConfig, options: { readonly zeroSnrFloor: boolean }): NoiseSchedule {
  const plain = config.trainedBetas === null ? schedule(config) : Float32Array.from(config.trainedBetas)
  const betas = config.rescaleBetasZeroSnr ? rescaleToZeroSnr(plain) : plain
  const alphasCumprod = cumulativeProduct(betas.map((beta) => 1 - beta))
  // The smallest half-precision number keeps the first sigma finite.
  if (config.rescaleBetasZeroSnr && options.zeroSnrFloor) alphasCumprod[alphasCumprod.length - 1] = 2 ** -24
  const sigmas = alphasCumprod.map((alpha) => Math.sqrt(Math.fround(Math.fround(1 - alpha) / alpha)))
  return { alphasCumprod, sigmas, logSigmas: sigmas.map((sigma) => Math.log(sigma)) }
}

function schedule({ betaSchedule, betaStart, betaEnd, trainTimesteps }: SchedulerConfig): Float32Array {
  switch (betaSchedule) {
    case 'linear':
      return linspace(betaStart, betaEnd, trainTimesteps)
    case 'scaled_linear':
      return linspace(Math.sqrt(betaStart), Math.sqrt(betaEnd), trainTimesteps).map((root) => root * root)
    case 'squaredcos_cap_v2':
      return Float32Array.from({ length: trainTimesteps }, (_, i) =>
        Math.min(1 - cosineAlphaBar((i + 1) / trainTimesteps) / cosineAlphaBar(i / trainTimesteps), 0.999),
      )
  }
}

function cosineAlphaBar(time: number): number {
  return Math.cos((((time + 0.008) / 1.008) * Math.PI) / 2) ** 2
}

/** `torch.linspace` in single precision: the first half is counted from the start, the second from the end. */
function linspace(start: number, end: number, count: number): Float32Array {
  const first = Math.fround(start)
  const last = Math.fround(end)
  const step = Math.fround(Math.fround(last - first) / (count - 1))
  return Float32Array.from({ length: count }, (_, i) =>
    i < count / 2 ? first + Math.fround(step * i) : last - Math.fround(step * (count - 1 - i)),
  )
}

/** Accumulates in double precision and rounds each value, as PyTorch does on a CPU. */
function cumulativeProduct(values: Float32Array): Float32Array {
  let product = 1
  return values.map((value) => {
    product *= value
    return product
  })
}

/** @see Lin et al. 2023, arXiv:2305.08891, algorithm 1 */
function rescaleToZeroSnr(betas: Float32Array): Float32Array {
  const roots = cumulativeProduct(betas.map((beta) => 1 - beta)).map(Math.sqrt)
  const first = roots[0] ?? 1
  const last = roots.at(-1) ?? 0
  const scale = Math.fround(first / Math.fround(first - last))
  const bars = roots.map((root) => Math.fround(Math.fround(root - last) * scale) ** 2)
  return bars.map((bar, i) => 1 - Math.fround(bar / (i === 0 ? 1 : (bars[i - 1] ?? 1))))
}

/** Looks up how much signal is left at training timesteps, for the DDIM family. */
interface CumulativeLevels {
  /** Signal's share of the variance at a timestep; after the last one, according to the model's config. */
  alphaBar(timestep: number): number
  /** Signal and noise as factors. */
  level(timestep: number): { readonly alpha: number; readonly sigma: number }
}

/** @param beyond The share of signal for timesteps below 0. */
export function cumulativeLevels({ alphasCumprod }: NoiseSchedule, beyond: number): CumulativeLevels {
  const alphaBar = (timestep: number): number => (timestep < 0 ? beyond : valueAt(alphasCumprod, timestep))
  return {
    alphaBar,
    level: (timestep) => {
      const bar = alphaBar(timestep)
      return { alpha: Math.sqrt(bar), sigma: Math.sqrt(1 - bar) }
    },
  }
}

/** The value diffusers uses after the last step: all signal, or the level of timestep 0. */
export function finalAlphaBar(config: SchedulerConfig, { alphasCumprod }: NoiseSchedule): number {
  return config.setAlphaToOne ? 1 : (alphasCumprod[0] ?? 1)
}
