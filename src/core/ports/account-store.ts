import type { Account, AccountChange, Invitation, Session } from '../account.ts'

type Options = { readonly signal: AbortSignal }

/** What must hold at the moment of the write. */
export interface ChangeCondition {
  readonly by: string | null
  readonly keepsOwner?: boolean
}

/** Accounts with their sign-in secrets, sessions and invitations. Secrets arrive hashed. */
export interface AccountStore {
  /** Keeps an account of a new id. */
  create(account: Account, options: Options): Promise<void>
  /** Keeps the account unless there is an owner already, however many ask at once; says whether it was kept. */
  createFirstOwner(account: Account, options: Options): Promise<boolean>
  /** Null when there is none; a disabled one is found. */
  find(id: string, options: Options): Promise<Account | null>
  /** Every account, oldest first. */
  list(options: Options): Promise<readonly Account[]>
  /** Accounts with another weight than 1. */
  weights(options: Options): Promise<ReadonlyMap<string, number>>
  /** With the password hash, for signing in; e-mail compares without case. */
  findByEmail(email: string, options: Options): Promise<{ readonly account: Account; readonly passwordHash: string } | null>
  /** Sets name, e-mail and password hash at once; false when the e-mail is taken. */
  setSignIn(
    accountId: string,
    signIn: { readonly name: string; readonly email: string; readonly passwordHash: string },
    options: Options,
  ): Promise<boolean>
  /** Sets name and e-mail of an account that has no e-mail yet; false, and nothing changed, when it has one or the e-mail is taken. */
  setProfile(accountId: string, profile: { readonly name: string; readonly email: string }, options: Options): Promise<boolean>
  /**
   * Changes all that is given in one write; false, and nothing changed, when there is no such account or `by` is no enabled owner (any more).
   * An account that becomes disabled loses its sessions and the links that lead into it; an account that is no longer an enabled owner loses the invitations it made.
   *
   * @param change.by The account that makes the change; null = the operator.
   * @param change.keepsOwner Whether nothing changes either when no enabled owner with an e-mail would be left.
   */
  change(accountId: string, change: AccountChange & ChangeCondition, options: Options): Promise<boolean>
  /**
   * Deletes every row of some owners, in all tables but the audit log: of accounts, and of names that documents are kept under for them.
   * Called again, it deletes what was written meanwhile.
   */
  erase(owners: readonly string[], options: Options): Promise<void>

  /** False, and nothing kept, when the account is disabled. */
  createSession(session: Session, options: Options): Promise<boolean>
  /** Notes that a session was used; nothing happens when there is none. */
  touchSession(hash: string, lastUsedAt: number, options: Options): Promise<void>
  /** The session of this hash, also one that has ended by time; null when there is none. */
  findSession(hash: string, options: Options): Promise<Session | null>
  /** An account's sessions, oldest first; those that have ended by time may be among them. */
  listSessions(accountId: string, options: Options): Promise<readonly Session[]>
  /** Ends a session; nothing happens when there is none. */
  deleteSession(hash: string, options: Options): Promise<void>
  /** Ends all sessions of an account. */
  deleteSessionsOf(accountId: string, options: Options): Promise<void>

  /** False, and nothing kept, when its maker is no enabled owner and invites another than himself, or its account is disabled or absent. */
  createInvitation(invitation: Invitation, options: Options): Promise<boolean>
  /**
   * Keeps a link into an account (null = a new one) that nobody invited to, in place of the earlier ones into it, unless one of those was made since `unlessSince`
   * (Unix milliseconds); however many ask at once, one is kept. Says whether it was this one.
   */
  createFirstRunInvitation(
    invitation: Invitation & { readonly invitedBy: null },
    options: Options & { readonly unlessSince: number },
  ): Promise<boolean>
  /** The invitation of this hash, also one that has expired; null when there is none. */
  findInvitation(hash: string, options: Options): Promise<Invitation | null>
  /** Every invitation, oldest first, those that have expired among them. */
  listInvitations(options: Options): Promise<readonly Invitation[]>
  /** Removes it; true for exactly one caller. */
  takeInvitation(hash: string, options: Options): Promise<boolean>
}
