import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { type AccessToken, scopes } from '../../core/access-token.ts'
import { hasBudgets } from '../../core/limits/budget.ts'
import { noUseLimits } from '../../core/limits/use-limits.ts'
import type { Abortable } from '../../core/waiting.ts'
import { clientSignal } from '../../http/client-signal.ts'
import {
  createAccessToken,
  limitAccessToken,
  listAccessTokens,
  restoreAccessToken,
  revokeAccessToken,
} from '../../operations/access/access-tokens.ts'
import type { ConsoleDependencies, ConsoleSettings } from '../console-dependencies.ts'
import type { ListedToken, NewToken, TokenLimits, TokenList, TokenText } from '../contract/access-tokens.ts'
import { tokenLimitsField } from '../limits-field.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { recordAudit } from '../record-audit.ts'
import { personOf } from '../sign-in/signed-in.ts'

const readBody: BodyReader<NewToken> = createBodyReader({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  scopes: Type.Array(Type.Enum(scopes), { minItems: 1 }),
  expiresAt: Type.Optional(Type.Integer({ minimum: 0 })),
})

const readLimits: BodyReader<TokenLimits> = createBodyReader({ limits: tokenLimitsField })

/** /console/api/tokens: the caller's own access tokens. */
export function registerAccessTokens(
  own: FastifyInstance,
  deps: Pick<ConsoleDependencies, 'tokens' | 'ledger' | 'audit' | 'clock'> & Pick<ConsoleSettings, 'mostTokens' | 'openOnLoopback'>,
): void {
  own.get('/console/api/tokens', async (request, reply): Promise<TokenList> => {
    const options = { signal: clientSignal(reply) }
    const found = await listAccessTokens(deps, { accountId: personOf(request).id }, options)
    const { openOnLoopback } = deps
    return { openOnLoopback, tokens: await Promise.all(found.map((token) => showToken(deps, token, options))) }
  })

  own.post('/console/api/tokens', async (request, reply) => {
    const { name, scopes, expiresAt = null } = readBody(request)
    const wanted = { accountId: personOf(request).id, name, scopes, expiresAt }
    const { text, token } = await createAccessToken(deps, wanted, { signal: clientSignal(reply) })
    await recordAudit(deps, request, 'token-created', { subject: token.id, detail: token.scopes.join(' ') })
    return reply.code(201).send({ text } satisfies TokenText)
  })

  own.delete<{ Params: { id: string } }>('/console/api/tokens/:id', async (request, reply) => {
    const target = { id: request.params.id, accountId: personOf(request).id }
    const revoked = await revokeAccessToken(deps, target, { signal: clientSignal(reply) })
    if (revoked) await recordAudit(deps, request, 'token-revoked', { subject: target.id })
    return reply.code(204).send()
  })

  own.put<{ Params: { id: string } }>('/console/api/tokens/:id/limits', async (request, reply) => {
    const target = { id: request.params.id, accountId: personOf(request).id }
    const { limits } = readLimits(request)
    const changed = await limitAccessToken(deps, target, { ...noUseLimits, ...limits }, { signal: clientSignal(reply) })
    if (changed) await recordAudit(deps, request, 'token-limited', { subject: target.id, detail: JSON.stringify(limits) })
    return reply.code(204).send()
  })

  own.post<{ Params: { id: string } }>('/console/api/tokens/:id/restore', async (request, reply) => {
    const target = { id: request.params.id, accountId: personOf(request).id }
    await restoreAccessToken(deps, target, { signal: clientSignal(reply) })
    await recordAudit(deps, request, 'token-restored', { subject: target.id })
    return reply.code(204).send()
  })
}

async function showToken(
  { ledger }: Pick<ConsoleDependencies, 'ledger'>,
  { hash: _, accountId, ...shown }: AccessToken,
  options: Abortable,
): Promise<ListedToken> {
  const budgets = hasBudgets(shown.limits) ? await ledger.budgets({ accountId, tokenId: shown.id }, options) : []
  return { ...shown, budgets: budgets.filter(({ of }) => of === 'token') }
}
