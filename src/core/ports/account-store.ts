import type { Account, AccountLimits, Invitation, Role, Session } from '../account.ts'

type Options = { readonly signal: AbortSignal }

/** Accounts with their sign-in secrets, sessions and invitations. Secrets arrive hashed. */
export interface AccountStore {
  create(account: Account, options: Options): Promise<void>
  find(id: string, options: Options): Promise<Account | null>
  list(options: Options): Promise<readonly Account[]>
  /** With the password hash, for signing in; e-mail compares without case. */
  findByEmail(email: string, options: Options): Promise<{ readonly account: Account; readonly passwordHash: string } | null>
  /** Sets name, e-mail and password hash at once; false when the e-mail is taken. */
  setSignIn(
    accountId: string,
    signIn: { readonly name: string; readonly email: string; readonly passwordHash: string },
    options: Options,
  ): Promise<boolean>
  setRole(accountId: string, role: Role, options: Options): Promise<void>
  setDisabled(accountId: string, disabledAt: number | null, options: Options): Promise<void>
  /** Changes the limits that are given and leaves the others. */
  setLimits(accountId: string, changes: Partial<AccountLimits>, options: Options): Promise<void>

  createSession(session: Session, options: Options): Promise<void>
  findSession(hash: string, options: Options): Promise<Session | null>
  deleteSession(hash: string, options: Options): Promise<void>
  deleteSessionsOf(accountId: string, options: Options): Promise<void>

  createInvitation(invitation: Invitation, options: Options): Promise<void>
  findInvitation(hash: string, options: Options): Promise<Invitation | null>
  listInvitations(options: Options): Promise<readonly Invitation[]>
  /** Removes it; true for exactly one caller. */
  takeInvitation(hash: string, options: Options): Promise<boolean>
}
