import { lambda, type Shares } from './levels/dpm-levels.ts'
import type { SchedulerConfig } from './scheduler-config.ts'

/** Factors of a DPM-Solver++ step between two noise levels. */
export interface DpmUpdate {
  /** Factor of the latents. */
  readonly kept: number
  /** Factor of the clean estimate. */
  readonly gain: number
  /** Factor of the clean estimate's slope over the step, for second order. */
  readonly slope: number
  /** Fresh noise, for the SDE variant. */
  readonly added: readonly [number, Float32Array] | null
}

/**
 * @param noise null = the deterministic variant.
 * @see Lu et al. 2022, arXiv:2211.01095, equations 9 and 18
 */
export function dpmUpdate(from: Shares, to: Shares, noise: Float32Array | null, { solverType }: SchedulerConfig): DpmUpdate {
  const h = lambda(to) - lambda(from)
  // The SDE variant behaves like a step of twice the length.
  const length = noise === null ? h : 2 * h
  const gain = to.alpha * (1 - Math.exp(-length))
  return {
    kept: (to.sigma / from.sigma) * (noise === null ? 1 : Math.exp(-h)),
    gain,
    slope: solverType === 'heun' ? to.alpha * ((Math.exp(-length) - 1) / length + 1) : 0.5 * gain,
    added: noise === null ? null : [to.sigma * Math.sqrt(1 - Math.exp(-length)), noise],
  }
}
