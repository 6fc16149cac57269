import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../../core/error.ts'
import { tokenize } from '../../../operations/read-tokens.ts'
import { synchronousBody } from '../../body/read-body.ts'
import { callerOf, requireScope } from '../../caller.ts'
import { clientSignal } from '../../client-signal.ts'
import type { HttpDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import { refuseOverlong } from '../../limits/overlong-prompt.ts'
import { chooseTextModel, requireTextModel, useOf } from '../../require-text-model.ts'
import { createTemplateParser } from '../../wire/llama-cpp/template-request.ts'

/** POST /apply-template: the text that a conversation becomes for its model. */
export function registerApplyTemplate(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  const parse = createTemplateParser(settings, (model) => chooseTextModel(deps.catalog, model, 'generate').id)
  api.post('/apply-template', { config: { largeBody: true } }, async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['text'])
    const body = synchronousBody(incoming)
    const { model, input } = parse(body.value)
    refuseOverlong(requireTextModel(deps.catalog, model, useOf(input, 'read')), { bytes: body.byteLength, param: 'messages' })
    const request = { model, input, spelled: false, written: true }
    const { result } = await tokenize({ ...deps, runLimitMs: settings.runLimitMs }, { caller, request }, { signal: clientSignal(reply) })
    if (result.prompt !== undefined) return { prompt: result.prompt }
    const message = `The model ${model} runs on a server that does not expose its prompts; use one that runs here.`
    throw new ServiceError('unsupported_parameter', message, { param: 'model' })
  })
}
