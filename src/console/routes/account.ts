import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { deleteAccount } from '../../operations/access/deleted-accounts.ts'
import { emailTaken } from '../../operations/access/invitations.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { AccountChange, OwnDeletion, OwnLimits } from '../contract/account.ts'
import type { SignedIn } from '../contract/session.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { confirmPassword } from '../sign-in/confirm-password.ts'
import { browserOf } from '../sign-in/known-browser.ts'
import { refuseGuessable } from '../sign-in/password-rule.ts'
import { openSession } from '../sign-in/session.ts'
import { emailField, nameField, newPasswordField, passwordField } from '../sign-in/sign-in-fields.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { ownPasswordKeys } from '../sign-in/throttle-keys.ts'
import { type SessionRouteDependencies, signInBrowser } from './session.ts'

const readBody: BodyReader<AccountChange> = createBodyReader({
  name: nameField,
  email: emailField,
  currentPassword: passwordField,
  newPassword: Type.Optional(newPasswordField),
  revokeTokens: Type.Optional(Type.Boolean()),
})

const readDeletion: BodyReader<OwnDeletion> = createBodyReader({
  name: Type.String({ maxLength: 200 }),
  password: Type.Optional(passwordField),
})

/**
 * /console/api/account: the caller's limits, name, e-mail and password. A new password or e-mail, and revoking every access token,
 * signs out every other browser.
 */
export function registerAccount(
  own: FastifyInstance,
  deps: SessionRouteDependencies & Pick<ConsoleDependencies, 'tokens' | 'ledger' | 'documents'>,
): void {
  const { accounts, clock, ledger, tokens, passwords, throttle, signIn } = deps

  own.get('/console/api/account/limits', async (request, reply): Promise<OwnLimits> => {
    const { id, limits } = personOf(request)
    return { limits, budgets: await ledger.budgets({ accountId: id, tokenId: null }, { signal: clientSignal(reply) }) }
  })

  own.post('/console/api/account/deletion', async (request, reply) => {
    const { name, password = '' } = readDeletion(request)
    const { id, email } = personOf(request)
    const signal = clientSignal(reply)
    // An account that signs in with an organisation has no password to confirm.
    if (email !== null && (await accounts.findByEmail(email, { signal })) !== null)
      await confirmPassword(deps, request, { password, signal })
    await deleteAccount(deps, { accountId: id, by: null, name }, { signal })
    await recordAudit(deps, request, 'account-deleted', { subject: id })
    return reply.code(202).send()
  })

  own.patch('/console/api/account', async (request, reply): Promise<SignedIn> => {
    const { name, email, currentPassword, newPassword, revokeTokens = false } = readBody(request)
    if (newPassword !== undefined) refuseGuessable(newPassword, { field: 'newPassword', name, email })
    const person = personOf(request)
    const signal = clientSignal(reply)
    const attempt = throttle.begin(ownPasswordKeys(person.id))
    const known = await accounts.findByEmail(person.email ?? '', { signal })
    if (known === null || !(await passwords.verify(currentPassword, known.passwordHash))) throw wrongPassword()
    attempt.succeeded()
    const isRenamed = name.trim() !== person.name
    if (newPassword === undefined && email === person.email && !isRenamed && !revokeTokens) return { account: person }
    const passwordHash = newPassword === undefined ? null : await passwords.hash(newPassword)
    const verifiedHash = known.passwordHash
    if (!(await accounts.setSignIn(person.id, { name: name.trim(), email, passwordHash }, { signal, verifiedHash }))) {
      const isCurrent = (await accounts.findByEmail(person.email ?? '', { signal }))?.passwordHash === verifiedHash
      throw isCurrent ? emailTaken() : wrongPassword()
    }
    const signsOut = newPassword !== undefined || email !== person.email || revokeTokens
    if (signsOut) await accounts.deleteSessionsOf(person.id, { signal })
    const revoked = revokeTokens ? await tokens.revokeAll(person.id, clock.now(), { signal }) : 0
    const changed = [
      ...(isRenamed ? ['name'] : []),
      ...(newPassword === undefined ? [] : ['password']),
      ...(email === person.email ? [] : ['e-mail']),
      ...(revoked > 0 ? ['tokens revoked'] : []),
    ]
    if (changed.length > 0) await recordAudit(deps, request, 'sign-in-changed', { detail: changed.join(', ') })
    if (signsOut) {
      const secret = { accountId: person.id, passwordHash: passwordHash ?? verifiedHash }
      const opened = { ...secret, lifetimeMs: signIn.sessionMs, ...browserOf(request) }
      signInBrowser(reply, deps, { ...secret, session: await openSession(deps, opened, { signal }) })
    }
    const account = await accounts.find(person.id, { signal })
    if (account === null) throw new ServiceError('not_found', 'This account no longer exists.')
    return { account }
  })
}

function wrongPassword(): ServiceError {
  return new ServiceError('validation_error', 'The current password is wrong.', { param: 'currentPassword' })
}
