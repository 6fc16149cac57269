import { accountDisabled, isEnabled } from '../../core/account-disabled.ts'
import type { ServiceError } from '../../core/error.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'

/** What accounts have under way in this process, so that it can be ended when one of them is disabled. */
export class WorkUnderWay {
  readonly #ends = new Map<string, Set<(reason: ServiceError) => void>>()

  /** Notes work until it is disposed of; `end` is called at most once, with the reason to end it. */
  note(accountId: string, end: (reason: ServiceError) => void): Disposable {
    const ends = this.#ends.get(accountId) ?? new Set()
    this.#ends.set(accountId, ends.add(end))
    return {
      [Symbol.dispose]: () => {
        ends.delete(end)
        if (ends.size === 0 && this.#ends.get(accountId) === ends) this.#ends.delete(accountId)
      },
    }
  }

  accounts(): readonly string[] {
    return [...this.#ends.keys()]
  }

  end(accountId: string, reason: ServiceError): void {
    const ends = [...(this.#ends.get(accountId) ?? [])]
    this.#ends.delete(accountId)
    for (const end of ends) end(reason)
  }
}

/** Ends what disabled accounts have under way, whoever disabled them, also in another process. */
export async function endWorkOfDisabled(
  { accounts, underWay }: { readonly accounts: AccountStore; readonly underWay: WorkUnderWay },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (const accountId of underWay.accounts())
    if (!isEnabled(await accounts.find(accountId, options))) underWay.end(accountId, accountDisabled())
}
