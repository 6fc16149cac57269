import type { SchedulerConfig } from '../scheduler-config.ts'

/** NumPy's rounding: halves go to the even neighbour. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}

/** `numpy.linspace(0, last, count)`. */
export function evenlySpaced(last: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : i === count - 1 ? last : i * (last / (count - 1))))
}

/** `numpy.arange(start, 0, -ratio)`, rounded, minus one: "trailing" spacing. */
export function trailingTimesteps(start: number, ratio: number): readonly number[] {
  const count = Math.ceil(start / ratio)
  return Array.from({ length: count }, (_, i) => roundHalfEven(start - i * ratio) - 1)
}

/**
 * The falling training timesteps of diffusers' first-order schedulers.
 *
 * @param rounded Whether "linspace" timesteps are whole numbers (DDIM's family) or keep their fraction in single precision.
 * @see Lin et al. 2023, arXiv:2305.08891, table 2
 */
export function spacedTimesteps(config: SchedulerConfig, steps: number, { rounded }: { readonly rounded: boolean }): readonly number[] {
  const { trainTimesteps, timestepSpacing, stepsOffset } = config
  switch (timestepSpacing) {
    case 'linspace':
      return evenlySpaced(trainTimesteps - 1, steps)
        .map((time) => (rounded ? roundHalfEven(time) : Math.fround(time)))
        .toReversed()
    case 'leading': {
      const ratio = Math.floor(trainTimesteps / steps)
      return Array.from({ length: steps }, (_, i) => (steps - 1 - i) * ratio + stepsOffset)
    }
    case 'trailing':
      return trailingTimesteps(trainTimesteps, trainTimesteps / steps)
  }
}
