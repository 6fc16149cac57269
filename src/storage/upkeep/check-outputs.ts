import { ServiceError } from '../../core/error.ts'
import type { Inference } from '../../core/inference.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'

export interface OutputCheck {
  readonly checked: number
  /** Ids whose output is missing or damaged. */
  readonly damaged: readonly string[]
}

/**
 * Reads every output that is still to be had and compares it with its record.
 *
 * @throws {ServiceError} `server_is_overloaded` when the store of outputs does not answer.
 */
export async function checkOutputs(
  {
    accounts,
    log,
    outputs,
    now,
  }: { readonly accounts: AccountStore; readonly log: InferenceLog; readonly outputs: OutputStore; readonly now: number },
  options: { readonly signal: AbortSignal },
): Promise<OutputCheck> {
  const damaged: string[] = []
  let checked = 0
  for (const { id: accountId } of await accounts.list(options)) {
    for await (const { id, output, expiresAt } of completedInferences(log, accountId, options)) {
      if (output === null || expiresAt === null || expiresAt <= now) continue
      checked += 1
      const whole = await outputs.open(output, options).then(() => true, isDamage)
      if (!whole) damaged.push(id)
    }
  }
  return { checked, damaged }
}

async function* completedInferences(
  log: InferenceLog,
  accountId: string,
  options: { readonly signal: AbortSignal },
): AsyncGenerator<Inference> {
  let after: string | null = null
  do {
    const page: Awaited<ReturnType<InferenceLog['list']>> = await log.list({ accountId, status: 'completed', limit: 100, after }, options)
    yield* page.inferences
    after = page.next
  } while (after !== null)
}

/** @throws what kept it from being read: a store that is away has lost nothing. */
function isDamage(error: unknown): false {
  if (error instanceof ServiceError && error.code === 'internal_error') return false
  throw error
}
