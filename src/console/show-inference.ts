import type { Account } from '../core/account.ts'
import type { Inference } from '../core/inference.ts'

/** An inference as a person may see it: why it failed is for owners, what others' came to for nobody. */
export function showInference(inference: Inference, { id, role }: Pick<Account, 'id' | 'role'>): Inference {
  const { error } = inference
  const shown = inference.accountId === id ? inference : { ...inference, output: null }
  if (error === null || role === 'owner') return shown
  const { cause: _, ...visible } = error
  return { ...shown, error: visible }
}
