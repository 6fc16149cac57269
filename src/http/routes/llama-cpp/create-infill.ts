import type { FastifyInstance } from 'fastify'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { refuseOverlong } from '../../limits/overlong-prompt.ts'
import { chooseTextModel } from '../../require-text-model.ts'
import { createInfillParser } from '../../wire/llama-cpp/infill-request.ts'
import { answerNative } from './create-native-completion.ts'
import { readAsTokens } from './read-as-tokens.ts'

/** POST /infill: what belongs between two texts, of models that were made for it. */
export function registerCreateInfill(api: FastifyInstance, deps: RouteDependencies, settings: HttpSettings): void {
  const parse = createInfillParser(settings)
  api.post('/infill', { config: { spends: 'tokens' } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const body = synchronousBody(incoming)
    const { gap, ...parsed } = parse(body.value)
    const model = chooseTextModel(deps.catalog, parsed.model, 'generate')
    refuseOverlong(model, { bytes: body.byteLength, param: 'prompt' })
    const read = await readAsTokens({ ...deps, ...settings }, { caller, model: model.id, parsed }, { signal: clientSignal(reply) })
    const requests = read.map((request) => (request.input.type === 'prompt' ? { ...request, input: { ...request.input, gap } } : request))
    return answerNative(deps, settings, { incoming, reply, requests, delivery: parsed.delivery })
  })
}
