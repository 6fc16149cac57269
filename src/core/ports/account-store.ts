import type { Account, AccountChange, Invitation, Session } from '../account.ts'
import type { Abortable } from '../waiting.ts'

/** Conditions checked within the write. */
export interface ChangeCondition {
  readonly by: string | null
  readonly keepsOwner?: boolean
}

/** Accounts with their sign-in secrets, sessions and invitations. Secrets arrive hashed. */
export interface AccountStore {
  /** Stores a new account. */
  create(account: Account, options: Abortable): Promise<void>
  /** Stores the account unless an owner exists, atomically; returns whether it was stored. */
  createFirstOwner(account: Account, options: Abortable): Promise<boolean>
  /** Finds an account, including disabled ones; null = none. */
  find(id: string, options: Abortable): Promise<Account | null>
  /** Every account, oldest first. */
  list(options: Abortable): Promise<readonly Account[]>
  /** Weights of all accounts whose weight is not 1. */
  weights(options: Abortable): Promise<ReadonlyMap<string, number>>
  /** Finds an account and its password hash by e-mail address, ignoring case. */
  findByEmail(email: string, options: Abortable): Promise<{ readonly account: Account; readonly passwordHash: string } | null>
  /**
   * Sets name, e-mail and password hash (null = as it is) together; false = the e-mail is taken or the account has another password, and
   * nothing changes.
   *
   * @param options.verifiedHash Required earlier hash of the account's password; absent = any.
   */
  setSignIn(
    accountId: string,
    signIn: { readonly name: string; readonly email: string; readonly passwordHash: string | null },
    options: Abortable & { readonly verifiedHash?: string | null },
  ): Promise<boolean>
  /** Sets name and e-mail of an account without an e-mail; false = it has one, or the e-mail is taken, and nothing changes. */
  setProfile(accountId: string, profile: { readonly name: string; readonly email: string }, options: Abortable): Promise<boolean>
  /**
   * Applies all given changes in one write. Returns false and changes nothing if there is no such account or `by` is not an enabled owner.
   * Disabling an account deletes its sessions and its sign-in links; an account that is no longer an enabled owner loses the invitations it
   * made.
   *
   * @param change.by The acting account; null = the operator.
   * @param change.keepsOwner Whether to return false if no enabled owner with an e-mail would be left.
   */
  change(accountId: string, change: AccountChange & ChangeCondition, options: Abortable): Promise<boolean>
  /**
   * Deletes all rows of some owners from all tables except the audit log, in several commits. Owners are account ids and the derived names under which
   * documents are stored. Repeat the call to delete rows written meanwhile.
   */
  erase(owners: readonly string[], options: Abortable): Promise<void>

  /**
   * Stores a session; false = the account is disabled or has another password, and nothing is stored.
   *
   * @param options.passwordHash Required hash of the account's password; absent = any.
   */
  createSession(session: Session, options: Abortable & { readonly passwordHash?: string | null }): Promise<boolean>
  /** Records the use of a session; ignores unknown sessions. */
  touchSession(hash: string, lastUsedAt: number, options: Abortable): Promise<void>
  /** Finds a session by hash, including expired ones; null = none. */
  findSession(hash: string, options: Abortable): Promise<Session | null>
  /** All sessions of an account, oldest first; may include expired ones. */
  listSessions(accountId: string, options: Abortable): Promise<readonly Session[]>
  /** Ends a session; ignores unknown sessions. */
  deleteSession(hash: string, options: Abortable): Promise<void>
  /** Ends all sessions of an account. */
  deleteSessionsOf(accountId: string, options: Abortable): Promise<void>

  /**
   * Stores an invitation. Returns false and stores nothing if its maker is not an enabled owner and invites somebody else, or if its
   * account is disabled or missing.
   */
  createInvitation(invitation: Invitation, options: Abortable): Promise<boolean>
  /**
   * Stores a first-run link to an account (null = a new one) in place of earlier ones, unless one of them was made since `unlessSince`
   * (Unix milliseconds). Atomic: of concurrent calls one succeeds. Returns whether this one did.
   */
  createFirstRunInvitation(
    invitation: Invitation & { readonly invitedBy: null },
    options: Abortable & { readonly unlessSince: number },
  ): Promise<boolean>
  /** Finds an invitation by hash, including expired ones; null = none. */
  findInvitation(hash: string, options: Abortable): Promise<Invitation | null>
  /** All invitations, oldest first, including expired ones. */
  listInvitations(options: Abortable): Promise<readonly Invitation[]>
  /**
   * Removes an invitation and stores its account in one commit: a new one, or the name, e-mail and password of the one it is for, whose
   * sessions end. False = the invitation is gone or the e-mail is taken, and nothing changes.
   *
   * @param account.passwordHash Hash of its password; null = none for a new account, as it is for another.
   */
  redeemInvitation(
    invitation: Pick<Invitation, 'hash' | 'accountId'>,
    account: Account & { readonly passwordHash: string | null },
    options: Abortable,
  ): Promise<boolean>
  /** Removes an invitation; returns true to exactly one caller. */
  takeInvitation(hash: string, options: Abortable): Promise<boolean>
}
