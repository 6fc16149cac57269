import { type Caller, tokenRevoked } from '../../core/access-token.ts'
import { accountDisabled, isEnabled } from '../../core/account.ts'
import type { ServiceError } from '../../core/error.ts'
import type { AccessTokenStore } from '../../core/ports/access-token-store.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import { TransientMap } from '../../core/transient-map.ts'
import type { Abortable } from '../../core/waiting.ts'

/** Owner of the work; without a token it ends only with its account. */
export type WorkHolder = Pick<Caller, 'accountId' | 'tokenId'>

type EndWork = (reason: ServiceError) => void

/** Running work of this process by account and token, so that it can be ended when one of them is disabled or revoked. */
export class WorkUnderWay {
  readonly #works = new TransientMap<WorkHolder, EndWork>()

  /** Registers work until disposed of; `end` is called at most once, with the reason. */
  note({ accountId, tokenId }: WorkHolder, end: EndWork): Disposable {
    const holder = { accountId, tokenId }
    this.#works.set(holder, end)
    return { [Symbol.dispose]: () => this.#works.delete(holder) }
  }

  accounts(): readonly string[] {
    return [...new Set([...this.#works.keys()].map(({ accountId }) => accountId))]
  }

  tokens(): readonly string[] {
    return [...new Set([...this.#works.keys()].flatMap(({ tokenId }) => tokenId ?? []))]
  }

  endOfAccount(id: string, reason: ServiceError): void {
    this.#end(({ accountId }) => accountId === id, reason)
  }

  endOfToken(id: string, reason: ServiceError): void {
    this.#end(({ tokenId }) => tokenId === id, reason)
  }

  #end(isOver: (holder: WorkHolder) => boolean, reason: ServiceError): void {
    const over = [...this.#works].filter(([holder]) => isOver(holder))
    for (const [holder] of over) this.#works.delete(holder)
    for (const [, end] of over) end(reason)
  }
}

/** Ends the work of disabled accounts, also those disabled by another process. */
export async function endWorkOfDisabled(
  { accounts, underWay }: { readonly accounts: AccountStore; readonly underWay: WorkUnderWay },
  options: Abortable,
): Promise<void> {
  for (const accountId of underWay.accounts())
    if (!isEnabled(await accounts.find(accountId, options))) underWay.endOfAccount(accountId, accountDisabled())
}

/** Ends the synchronous work of revoked tokens, also those revoked by another process. */
export async function endWorkOfRevoked(
  { tokens, underWay }: { readonly tokens: AccessTokenStore; readonly underWay: WorkUnderWay },
  options: Abortable,
): Promise<void> {
  const used = underWay.tokens()
  if (used.length === 0) return
  for (const tokenId of await tokens.revokedOf(used, options)) underWay.endOfToken(tokenId, tokenRevoked())
}
