import { roundHalfEven } from '../schedulers/levels/timesteps.ts'
import type { Solver } from '../schedulers/solver.ts'

/**
 * The evaluation at which a refiner takes over.
 *
 * @param start Share of the noise range the base model handles, 0 to 1.
 * @see diffusers' `denoising_end` and `denoising_start`
 */
export function refinerIndex({ timesteps, order }: Solver, trainTimesteps: number, start: number): number {
  const cutoff = roundHalfEven(trainTimesteps - start * trainTimesteps)
  const below = timesteps.filter((timestep) => timestep < cutoff).length
  // A second-order step must not be torn apart: its two evaluations belong to one model.
  const whole = order === 2 && below > 0 && below % 2 === 0 ? below + 1 : below
  return timesteps.length - Math.min(whole, timesteps.length)
}
