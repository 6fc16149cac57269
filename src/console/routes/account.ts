import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { ServiceError } from '../../core/error.ts'
import { clientSignal } from '../../http/client-signal.ts'
import { emailTaken } from '../../operations/access/redeem-invitation.ts'
import type { AccountChange } from '../contract/account.ts'
import type { SignedIn } from '../contract/session.ts'
import { type BodyReader, createBodyReader } from '../read-console-body.ts'
import { openSession } from '../sign-in/session.ts'
import { emailField, nameField, newPasswordField, passwordField } from '../sign-in/sign-in-fields.ts'
import { personOf } from '../sign-in/signed-in.ts'
import { signInKeys } from '../sign-in/throttle-keys.ts'
import { type SessionRouteDependencies, signInBrowser } from './session.ts'

const readBody: BodyReader<AccountChange> = createBodyReader(
  Type.Object({ name: nameField, email: emailField, currentPassword: passwordField, newPassword: Type.Optional(newPasswordField) }),
)

/** PATCH /console/api/account: one's own name, e-mail and password. Every other browser is signed out. */
export function registerAccount(own: FastifyInstance, deps: SessionRouteDependencies): void {
  const { accounts, addresses, passwords, throttle } = deps
  own.patch('/console/api/account', async (request, reply): Promise<SignedIn> => {
    const { name, email, currentPassword, newPassword } = readBody(request)
    const person = personOf(request)
    const signal = clientSignal(reply)
    const keys = signInKeys(person.email ?? '', request.ip)
    throttle.check(keys)
    const known = await accounts.findByEmail(person.email ?? '', { signal })
    if (known === null || !(await passwords.verify(currentPassword, known.passwordHash))) {
      throttle.noteFailure(keys)
      throw new ServiceError('validation_error', 'The current password is another one.', { param: 'currentPassword' })
    }
    const passwordHash = newPassword === undefined ? known.passwordHash : await passwords.hash(newPassword)
    if (!(await accounts.setSignIn(person.id, { name: name.trim(), email, passwordHash }, { signal }))) throw emailTaken()
    await accounts.deleteSessionsOf(person.id, { signal })
    signInBrowser(reply, addresses().publicUrl, await openSession(deps, person.id, { signal }))
    const account = await accounts.find(person.id, { signal })
    if (account === null) throw new ServiceError('not_found', 'This account is gone.')
    return { account }
  })
}
