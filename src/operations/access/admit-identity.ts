import { randomUUID } from 'node:crypto'
import type { Account, Role } from '../../core/account.ts'
import { noLimits } from '../../core/limits/use-limits.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { findInvitation } from './invitations.ts'
import {
  findIdentity,
  type IdentityDependencies,
  type IdentityName,
  type LinkedIdentity,
  linkIdentity,
  unlinkIdentity,
} from './linked-identities.ts'
import { SignInRefusal } from './sign-in-refusal.ts'

export interface AdmissionDependencies extends IdentityDependencies {
  readonly accounts: AccountStore
}

/** A user as currently described by the provider. */
export interface ProviderIdentity extends IdentityName {
  readonly name: string
  /** null = no verified address. */
  readonly verifiedEmail: string | null
  readonly groups: readonly string[]
}

/** Rules for admitting users of a provider. */
export interface AdmissionRules {
  readonly createAccounts: boolean
  /** In lower case; empty = any domain. */
  readonly emailDomains: readonly string[]
  /** Empty = roles are set in the console. */
  readonly roles: GroupRoles
}

/** The purpose of a sign-in besides signing in. */
export interface Admission {
  /** Code of an invitation to redeem; null = none. */
  readonly code: string | null
  /** Account to link, signed in at the start; null = none. */
  readonly linkTo: string | null
}

export interface Admitted {
  readonly account: Account
  /** Changes made besides the sign-in. */
  readonly change: 'none' | 'created' | 'joined' | 'linked'
  /** The account's previous role; null = unchanged. */
  readonly earlierRole: Role | null
}

/**
 * Finds or creates the account of an identity and sets its role by its groups. Accounts are found by issuer and subject, never by e-mail.
 * The last owner keeps the role in any case.
 *
 * @throws {SignInRefusal} if the identity is not admitted; if its groups no longer admit it, its sessions end too.
 */
export async function admitIdentity(
  deps: AdmissionDependencies,
  { identity, rules, admission }: { readonly identity: ProviderIdentity; readonly rules: AdmissionRules; readonly admission: Admission },
  options: Abortable,
): Promise<Admitted> {
  const linked = await findIdentity(deps, identity, options)
  const wanted = rules.roles.length === 0 ? undefined : roleOfGroups(identity.groups, rules.roles)
  const refusal = !isOfDomain(identity.verifiedEmail, rules.emailDomains) ? 'email' : wanted === null ? 'group' : null
  if (refusal !== null) {
    if (linked !== null) await deps.accounts.deleteSessionsOf(linked.accountId, options)
    throw new SignInRefusal(refusal)
  }
  const { accountId, change } = await placeIdentity(deps, { identity, linked, rules, admission, role: wanted ?? 'member' }, options)
  const account = await deps.accounts.find(accountId, options)
  if (account === null) throw new Error(`The account ${accountId} of an identity no longer exists.`)
  if (account.disabledAt !== null) throw new SignInRefusal('locked')
  return { change, ...(await giveRole(deps, account, wanted ?? account.role, options)) }
}

function isOfDomain(email: string | null, domains: readonly string[]): boolean {
  return domains.length === 0 || (email !== null && domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase()))
}

interface Placing {
  readonly identity: ProviderIdentity
  readonly linked: LinkedIdentity | null
  readonly rules: AdmissionRules
  readonly admission: Admission
  /** Role of a newly created account. */
  readonly role: Role
}

async function placeIdentity(
  deps: AdmissionDependencies,
  { identity, linked, rules, admission, role }: Placing,
  options: Abortable,
): Promise<{ readonly accountId: string; readonly change: Admitted['change'] }> {
  const { code, linkTo } = admission
  const known = linked !== null && (await deps.accounts.find(linked.accountId, options)) !== null ? linked : null
  if (linkTo !== null) {
    // A link without an account is left when the account could not be stored.
    if (linked !== null && known === null) await unlinkIdentity(deps, linked, options)
    const { accountId } = known ?? (await link(deps, identity, linkTo, options))
    if (accountId !== linkTo) throw new SignInRefusal('linked')
    return { accountId, change: known === null ? 'linked' : 'none' }
  }
  if (known !== null) return { accountId: known.accountId, change: 'none' }
  if (code !== null) return { accountId: await join(deps, { identity, linked, code }, options), change: 'joined' }
  if (!rules.createAccounts) throw new SignInRefusal('unknown')
  await refuseTaken(deps, identity, options)
  // The link is stored first: a concurrent sign-in finds it, and a link without an account gets one at the next sign-in.
  const { accountId } = linked ?? (await link(deps, identity, randomUUID(), options))
  const made = await makeAccount(deps, { id: accountId, identity, role }, options)
  return { accountId, change: made ? 'created' : 'none' }
}

async function join(
  deps: AdmissionDependencies,
  { identity, linked, code }: Pick<Placing, 'identity' | 'linked'> & { readonly code: string },
  options: Abortable,
): Promise<string> {
  const invitation = await findInvitation(deps, code, options).catch((error: unknown) => {
    throw new SignInRefusal('invitation', error)
  })
  if (invitation.accountId === null) {
    await refuseTaken(deps, identity, options)
    // As above, the link is stored first: after an error the invitation is still valid.
    const { accountId } = linked ?? (await link(deps, identity, randomUUID(), options))
    const account = { ...describeAccount(deps, { id: accountId, identity, role: invitation.role }), passwordHash: null }
    if (await deps.accounts.redeemInvitation(invitation, account, options)) return accountId
    throw new SignInRefusal((await deps.accounts.findInvitation(invitation.hash, options)) === null ? 'invitation' : 'taken')
  }
  if (!(await deps.accounts.takeInvitation(invitation.hash, options))) throw new SignInRefusal('invitation')
  try {
    return await joinAccount(deps, { identity, linked, id: invitation.accountId }, options)
  } catch (error) {
    await deps.accounts.createInvitation(invitation, neverAborted)
    throw error
  }
}

async function joinAccount(
  deps: AdmissionDependencies,
  { identity, linked, id }: Pick<Placing, 'identity' | 'linked'> & { readonly id: string },
  options: Abortable,
): Promise<string> {
  if (linked !== null && linked.accountId !== id) await unlinkIdentity(deps, linked, options)
  await deps.accounts.deleteSessionsOf(id, options)
  if (identity.verifiedEmail !== null) await deps.accounts.setProfile(id, { name: identity.name, email: identity.verifiedEmail }, options)
  return (await link(deps, identity, id, options)).accountId
}

/** E-mail addresses of accounts are not verified, so that a matching address proves nothing; only the password allows linking. */
async function refuseTaken({ accounts }: AdmissionDependencies, { verifiedEmail }: ProviderIdentity, options: Abortable): Promise<void> {
  const wanted = verifiedEmail?.toLowerCase()
  const taken = wanted !== undefined && (await accounts.list(options)).some(({ email }) => email?.toLowerCase() === wanted)
  if (taken) throw new SignInRefusal('taken')
}

function link(
  deps: AdmissionDependencies,
  { issuer, subject, verifiedEmail }: ProviderIdentity,
  accountId: string,
  options: Abortable,
): Promise<LinkedIdentity> {
  return linkIdentity(deps, { issuer, subject, email: verifiedEmail, accountId }, options)
}

interface NewAccount {
  readonly id: string
  readonly identity: ProviderIdentity
  readonly role: Role
}

function describeAccount({ clock }: Pick<AdmissionDependencies, 'clock'>, { id, identity, role }: NewAccount): Account {
  return { id, name: identity.name, email: identity.verifiedEmail, role, createdAt: clock.now(), disabledAt: null, limits: noLimits }
}

/** Whether this call created the account, rather than a concurrent sign-in. */
async function makeAccount(
  { accounts, clock }: AdmissionDependencies,
  { id, identity, role }: NewAccount,
  options: Abortable,
): Promise<boolean> {
  if ((await accounts.find(id, options)) !== null) return false
  try {
    await accounts.create(describeAccount({ clock }, { id, identity, role }), options)
    return true
  } catch (error) {
    if ((await accounts.find(id, options)) !== null) return false
    throw new SignInRefusal('taken', error)
  }
}

async function giveRole(
  { accounts }: AdmissionDependencies,
  account: Account,
  role: Role,
  options: Abortable,
): Promise<Pick<Admitted, 'account' | 'earlierRole'>> {
  const changed = role !== account.role && (await accounts.change(account.id, { by: null, role, keepsOwner: true }, options))
  return changed ? { account: { ...account, role }, earlierRole: account.role } : { account, earlierRole: null }
}

/** Roles by group; the group `*` is everybody. */
export type GroupRoles = readonly (readonly [group: string, role: Role])[]

/** The highest role among somebody's groups; null = none. */
function roleOfGroups(groups: readonly string[], roles: GroupRoles): Role | null {
  const given = roles.filter(([group]) => group === '*' || groups.includes(group)).map(([, role]) => role)
  if (given.includes('owner')) return 'owner'
  return given.includes('member') ? 'member' : null
}
