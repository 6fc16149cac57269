import type { Account, AccountChange, Invitation, Session } from '../../core/account.ts'
import { type AccountLimits, noLimits } from '../../core/limits/use-limits.ts'
import type { AccountStore, ChangeCondition } from '../../core/ports/account-store.ts'

type Options = { readonly signal: AbortSignal }

/** Accounts, sessions and invitations that are gone when the process is. */
export class MemoryAccountStore implements AccountStore {
  readonly #accounts = new Map<string, Account>()
  readonly #passwordHashes = new Map<string, string>()
  readonly #sessions = new Map<string, Session>()
  readonly #invitations = new Map<string, Invitation>()
  readonly #onDisabled: (id: string, at: number) => void

  /** @param onDisabled Called when an account is disabled, in the same turn. */
  constructor(onDisabled: (id: string, at: number) => void) {
    this.#onDisabled = onDisabled
  }

  limitsOf(id: string): AccountLimits {
    return this.#accounts.get(id)?.limits ?? noLimits
  }

  isDisabled(id: string): boolean {
    return typeof this.#accounts.get(id)?.disabledAt === 'number'
  }

  async create(account: Account, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    if (this.#accounts.has(account.id)) throw new Error(`The account ${account.id} exists already.`)
    this.#accounts.set(account.id, account)
  }

  async createFirstOwner(account: Account, options: Options): Promise<boolean> {
    if (this.#accounts.values().some(({ role }) => role === 'owner')) return false
    await this.create(account, options)
    return true
  }

  async find(id: string, { signal }: Options): Promise<Account | null> {
    signal.throwIfAborted()
    return this.#accounts.get(id) ?? null
  }

  async list({ signal }: Options): Promise<readonly Account[]> {
    signal.throwIfAborted()
    return [...this.#accounts.values()].sort((a, b) => a.createdAt - b.createdAt)
  }

  async weights({ signal }: Options): Promise<ReadonlyMap<string, number>> {
    signal.throwIfAborted()
    return new Map([...this.#accounts.values()].flatMap(({ id, limits: { weight } }) => (weight === null ? [] : [[id, weight]])))
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

  async setProfile(accountId: string, profile: { readonly name: string; readonly email: string }, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const account = this.#accounts.get(accountId)
    const taken = this.#accounts.values().some(({ email }) => isSame(email, profile.email))
    if (account === undefined || account.email !== null || taken) return false
    this.#accounts.set(accountId, { ...account, ...profile })
    return true
  }

  async change(
    accountId: string,
    { by, keepsOwner = false, limits, ...changes }: AccountChange & ChangeCondition,
    { signal }: Options,
  ): Promise<boolean> {
    signal.throwIfAborted()
    const account = this.#accounts.get(accountId)
    if (account === undefined || !(by === null || this.#isOwner(by))) return false
    const others = this.#accounts.values().filter(({ id, email }) => id !== accountId && email !== null)
    if (keepsOwner && this.#isOwner(accountId) && !others.some(({ id }) => this.#isOwner(id))) return false
    this.#accounts.set(accountId, { ...account, ...changes, limits: { ...account.limits, ...limits } })
    this.#withdrawFrom(accountId)
    if (typeof changes.disabledAt === 'number') this.#onDisabled(accountId, changes.disabledAt)
    return true
  }

  async createSession(session: Session, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    if (!this.#isEnabled(session.accountId)) return false
    this.#sessions.set(session.hash, session)
    return true
  }

  async touchSession(hash: string, lastUsedAt: number, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    const session = this.#sessions.get(hash)
    if (session !== undefined) this.#sessions.set(hash, { ...session, lastUsedAt })
  }

  async findSession(hash: string, { signal }: Options): Promise<Session | null> {
    signal.throwIfAborted()
    return this.#sessions.get(hash) ?? null
  }

  async listSessions(accountId: string, { signal }: Options): Promise<readonly Session[]> {
    signal.throwIfAborted()
    return [...this.#sessions.values()].filter((session) => session.accountId === accountId).sort((a, b) => a.createdAt - b.createdAt)
  }

  async deleteSession(hash: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    this.#sessions.delete(hash)
  }

  async deleteSessionsOf(accountId: string, { signal }: Options): Promise<void> {
    signal.throwIfAborted()
    for (const session of this.#sessions.values()) if (session.accountId === accountId) this.#sessions.delete(session.hash)
  }

  async createInvitation(invitation: Invitation, { signal }: Options): Promise<boolean> {
    signal.throwIfAborted()
    const { accountId, invitedBy } = invitation
    const mayInvite = invitedBy === null || invitedBy === accountId || this.#isOwner(invitedBy)
    if (!mayInvite || (accountId !== null && !this.#isEnabled(accountId))) return false
    this.#invitations.set(invitation.hash, invitation)
    return true
  }

  async createFirstRunInvitation(
    invitation: Invitation & { readonly invitedBy: null },
    { signal, unlessSince }: Options & { readonly unlessSince: number },
  ): Promise<boolean> {
    signal.throwIfAborted()
    const { accountId } = invitation
    const earlier = [...this.#invitations.values()].filter((each) => each.invitedBy === null && each.accountId === accountId)
    if ((accountId !== null && !this.#isEnabled(accountId)) || earlier.some(({ createdAt }) => createdAt >= unlessSince)) return false
    for (const { hash } of earlier) this.#invitations.delete(hash)
    this.#invitations.set(invitation.hash, invitation)
    return true
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

  /** Ends every way in that an account has lost the right to give or to use. */
  #withdrawFrom(id: string): void {
    const isLost = ({ accountId, invitedBy }: Invitation) =>
      (!this.#isEnabled(id) && (accountId === id || invitedBy === id)) || (!this.#isOwner(id) && invitedBy === id && accountId !== id)
    for (const invitation of this.#invitations.values()) if (isLost(invitation)) this.#invitations.delete(invitation.hash)
    if (!this.#isEnabled(id)) for (const { hash, accountId } of this.#sessions.values()) if (accountId === id) this.#sessions.delete(hash)
  }

  #isEnabled(id: string): boolean {
    return this.#accounts.get(id)?.disabledAt === null
  }

  #isOwner(id: string): boolean {
    return this.#isEnabled(id) && this.#accounts.get(id)?.role === 'owner'
  }
}

function isSame(known: string | null, email: string): boolean {
  return known !== null && known.toLowerCase() === email.toLowerCase()
}
