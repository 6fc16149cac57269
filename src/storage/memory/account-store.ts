import type { Account, AccountLimits, Invitation, Role, Session } from '../../core/account.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'

type Options = { readonly signal: AbortSignal }

export class MemoryAccountStore implements AccountStore {
  readonly #accounts = new Map<string, Account>()
  readonly #passwordHashes = new Map<string, string>()
  readonly #sessions = new Map<string, Session>()
  readonly #invitations = new Map<string, Invitation>()

  async create(account: Account, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    if (this.#accounts.has(account.id)) throw new Error(`The account ${account.id} exists already.`)
    this.#accounts.set(account.id, account)
  }

  async find(id: string, { signal }: Options): Promise<Account | null> {
    signal.throwIfAborted()
    return this.#accounts.get(id) ?? null
  }

  async list({ signal }: Options): Promise<readonly Account[]> {
    signal.throwIfAborted()
    return [...this.#accounts.values()].sort((a, b) => a.createdAt - b.createdAt)
  }

  async findByEmail(email: string, { signal }: Options): Promise<{ readonly account: Account; readonly passwordHash: string } | null> {
    signal.throwIfAborted()
    const account = this.#accounts.values().find((candidate) => isSame(candidate.email, email))
    const passwordHash = account === undefined ? undefined : this.#passwordHashes.get(account.id)
    return account === undefined || passwordHash === undefined ? null : { account, passwordHash }
  }

  async setSignIn(
    accountId: string,
    { name, email, passwordHash }: { readonly name: string; readonly email: string; readonly passwordHash: string },
    { signal }: Options,
  ): Promise<boolean> {
    signal.throwIfAborted()
    const account = this.#accounts.get(accountId)
    const taken = this.#accounts.values().some((other) => other.id !== accountId && isSame(other.email, email))
    if (account === undefined || taken) return false
    this.#accounts.set(accountId, { ...account, name, email })
    this.#passwordHashes.set(accountId, passwordHash)
    return true
  }

  async setRole(accountId: string, role: Role, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#change(accountId, { role })
  }

  async setDisabled(accountId: string, disabledAt: number | null, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#change(accountId, { disabledAt })
  }

  async setLimits(accountId: string, changes: Partial<AccountLimits>, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    const account = this.#accounts.get(accountId)
    if (account !== undefined) this.#change(accountId, { limits: { ...account.limits, ...changes } })
  }

  async createSession(session: Session, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#sessions.set(session.hash, session)
  }

  async findSession(hash: string, { signal }: Options): Promise<Session | null> {
    signal.throwIfAborted()
    return this.#sessions.get(hash) ?? null
  }

  async deleteSession(hash: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#sessions.delete(hash)
  }

  async deleteSessionsOf(accountId: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    for (const session of this.#sessions.values()) if (session.accountId === accountId) this.#sessions.delete(session.hash)
  }

  async createInvitation(invitation: Invitation, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#invitations.set(invitation.hash, invitation)
  }

  async findInvitation(hash: string, { signal }: Options): Promise<Invitation | null> {
    signal.throwIfAborted()
    return this.#invitations.get(hash) ?? null
  }

  async listInvitations({ signal }: Options): Promise<readonly Invitation[]> {
    signal.throwIfAborted()
    return [...this.#invitations.values()].sort((a, b) => a.createdAt - b.createdAt)
  }

  async takeInvitation(hash: string, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    return this.#invitations.delete(hash)
  }

  #change(accountId: string, changes: Partial<Account>): void {
    const account = this.#accounts.get(accountId)
    if (account !== undefined) this.#accounts.set(accountId, { ...account, ...changes })
  }
}

function isSame(known: string | null, email: string): boolean {
  return known !== null && known.toLowerCase() === email.toLowerCase()
}
