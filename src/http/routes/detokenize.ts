import type { FastifyInstance } from 'fastify'
import { detokenize } from '../../operations/read-tokens.ts'
import { synchronousBody } from '../body/read-body.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { chooseTextModel } from '../require-text-model.ts'
import { parseDetokenizeRequest } from '../wire/tokens/detokenize-request.ts'

/** POST /detokenize. */
export function registerDetokenize(api: FastifyInstance, deps: HttpDependencies, { runLimitMs }: HttpSettings): void {
  api.post('/detokenize', { config: { largeBody: true } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const { model, tokens } = parseDetokenizeRequest(synchronousBody(incoming).value)
    const request = { model: chooseTextModel(deps.catalog, model).id, tokens }
    const { text } = await detokenize({ ...deps, runLimitMs }, { caller, request }, { signal: clientSignal(reply) })
    return { content: text, prompt: text }
  })
}
