import { storedSignal } from '../../../state/stored.ts'

/** Ids of further models that answer, beside the chosen one; empty = none. */
export const comparedModels = storedSignal('compare', { second: '', third: '' })

/** The models that a message is sent to, the chosen one first. */
export function chosenModels(chosen: string): readonly string[] {
  const { second, third } = comparedModels.value
  return [chosen, ...[second, third].filter((id) => id !== '')]
}
