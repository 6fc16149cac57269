import { type ForeignSampler, foreignSampler } from '../../../core/images/image-servers.ts'
import { type Sampler, samplers } from '../../../core/sampler.ts'

/** Sepia's samplers by A1111's solver and spacing. */
const known: readonly (ForeignSampler & { readonly sampler: Sampler })[] = samplers.flatMap((sampler) => {
  const found = foreignSampler('a1111', sampler)
  return found === undefined ? [] : [{ ...found, sampler }]
})

/** A1111's names of the solvers, each once. */
export const solverNames: readonly string[] = [...new Set(known.map(({ solver }) => solver))]

/** A1111's names of the spacings of noise levels. */
export const schedulers = [
  { name: 'automatic', label: 'Automatic' },
  { name: 'uniform', label: 'Uniform' },
  { name: 'karras', label: 'Karras' },
] as const

/** Solvers for which A1111 uses Karras by default. Karras is the only such default that Sepia supports. */
const karrasByDefault: readonly string[] = ['DPM++ 2M', 'DPM++ SDE', 'DPM++ 2M SDE', 'DPM2', 'DPM2 a']

/**
 * The sampler of a solver and a spacing. Older clients write both in one name, such as `DPM++ 2M Karras`.
 *
 * @returns The sampler, or the end of a sentence about the invalid field.
 */
export function readSampler(
  name: string,
  scheduler: string,
): Sampler | { readonly field: 'sampler_name' | 'scheduler'; readonly text: string } {
  const [, solver = name, whole] = /^(.*?)( karras)?$/i.exec(name.trim()) ?? []
  const fitting = known.filter((each) => each.solver.toLowerCase() === solver.toLowerCase())
  if (fitting.length === 0) return { field: 'sampler_name', text: `must be one of ${solverNames.join(', ')}.` }
  const wanted = scheduler.trim().toLowerCase()
  if (wanted !== '' && !schedulers.some((each) => each.name === wanted))
    return { field: 'scheduler', text: 'must be Automatic, Uniform or Karras.' }
  const chosen = wanted === '' || wanted === 'automatic'
  const isKarras = chosen ? whole !== undefined || karrasByDefault.some((each) => each === fitting[0]?.solver) : wanted === 'karras'
  const found = fitting.find(({ spacing }) => spacing === (isKarras ? 'karras' : 'plain'))
  if (found !== undefined) return found.sampler
  return { field: 'scheduler', text: `must be ${isKarras ? 'Uniform' : 'Karras'} for the sampler ${fitting[0]?.solver}, or Automatic.` }
}

/** A1111's name of a sampler, or Sepia's name if A1111 has none. */
export function solverOf(sampler: Sampler): string {
  return known.find((each) => each.sampler === sampler)?.solver ?? sampler
}
