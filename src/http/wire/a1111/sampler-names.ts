import { type ForeignSampler, foreignSampler } from '../../../core/images/image-servers.ts'
import { type Sampler, samplers } from '../../../core/sampler.ts'

/** Our samplers by A1111's names of solver and spacing. */
const known: readonly (ForeignSampler & { readonly sampler: Sampler })[] = samplers.flatMap((sampler) => {
  const found = foreignSampler('a1111', sampler)
  return found === undefined ? [] : [{ ...found, sampler }]
})

/** The solvers, each once, in A1111's words. */
export const solverNames: readonly string[] = [...new Set(known.map(({ solver }) => solver))]

/** The ways to space noise levels, in A1111's words. */
export const schedulers = [
  { name: 'automatic', label: 'Automatic' },
  { name: 'uniform', label: 'Uniform' },
  { name: 'karras', label: 'Karras' },
] as const

/** Solvers for which A1111 chooses another spacing than the model's own where none is named; Karras is the one of these that Sepia has. */
const karrasByDefault: readonly string[] = ['DPM++ 2M', 'DPM++ SDE', 'DPM++ 2M SDE', 'DPM2', 'DPM2 a']

/**
 * The sampler that a solver and a spacing name together; older clients write both in one name, such as `DPM++ 2M Karras`.
 *
 * @returns The end of a sentence about the field at fault where there is none.
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

/** What A1111 calls a sampler; its own name where A1111 has none. */
export function solverOf(sampler: Sampler): string {
  return known.find((each) => each.sampler === sampler)?.solver ?? sampler
}
