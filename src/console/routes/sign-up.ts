import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { clientSignal } from '../../http/client-signal.ts'
import { emailTaken, findInvitation, redeemInvitation } from '../../operations/access/invitations.ts'
import type { SignedIn, SignInRequested } from '../contract/session.ts'
import type { InvitationCode, InvitationShown, SignUp } from '../contract/sign-up.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { browserOf } from '../sign-in/known-browser.ts'
import { refuseGuessable } from '../sign-in/password-rule.ts'
import { askSecondFactor } from '../sign-in/second-factor-gate.ts'
import { openSession } from '../sign-in/session.ts'
import { emailField, nameField, newPasswordField } from '../sign-in/sign-in-fields.ts'
import { codeKeys } from '../sign-in/throttle-keys.ts'
import { requirePasswords, type SessionRouteDependencies, signInBrowser, signInWays } from './session.ts'

const code = Type.String({ minLength: 1, maxLength: 100 })
const readCode: BodyReader<InvitationCode> = createBodyReader({ code })
const readSignUp: BodyReader<SignUp> = createBodyReader({ code, name: nameField, email: emailField, password: newPasswordField })

/** /console/api/invitation and /console/api/sign-up: reads and uses one-time codes. */
export function registerSignUp(api: FastifyInstance, deps: SessionRouteDependencies): void {
  const { accounts, passwords, throttle, onSignInRefused, signIn } = deps

  /** Only wrong codes are slowed down, so that others cannot lock out a code's holder. */
  const findWithCode = async (text: string, address: string, signal: AbortSignal) => {
    try {
      return await findInvitation(deps, text, { signal })
    } catch (error) {
      onSignInRefused({ address })
      throttle.begin(codeKeys(address))
      throw error
    }
  }

  api.post('/console/api/invitation', async (request, reply): Promise<InvitationShown> => {
    const invitation = await findWithCode(readCode(request).code, request.ip, clientSignal(reply))
    return { role: invitation.role, firstRun: invitation.invitedBy === null, ways: signInWays(deps) }
  })

  api.post('/console/api/sign-up', async (request, reply) => {
    const { code, name, email, password } = readSignUp(request)
    requirePasswords(signIn)
    refuseGuessable(password, { field: 'password', name, email })
    const signal = clientSignal(reply)
    const invitation = await findWithCode(code, request.ip, signal)
    const taken = await accounts.findByEmail(email, { signal })
    if (taken !== null && taken.account.id !== invitation.accountId) throw emailTaken()
    const chosen = { name: name.trim(), email, passwordHash: await passwords.hash(password) }
    const account = await redeemInvitation(deps, { invitation, signIn: chosen }, { signal })
    await recordAudit(deps, request, 'joined', { accountId: account.id, subject: invitation.invitedBy, detail: account.role })
    if ((await askSecondFactor(deps, account, { signal })) !== null)
      return reply.code(201).send({ account: null, asks: 'sign-in' } satisfies SignInRequested)
    const secret = { accountId: account.id, passwordHash: chosen.passwordHash }
    const opened = { ...secret, lifetimeMs: signIn.sessionMs, ...browserOf(request) }
    signInBrowser(reply, deps, { ...secret, session: await openSession(deps, opened, { signal }) })
    return reply.code(201).send({ account } satisfies SignedIn)
  })
}
