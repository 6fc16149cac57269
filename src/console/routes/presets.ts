import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { clientSignal } from '../../http/client-signal.ts'
import type { DocumentDependencies } from '../../operations/account-documents.ts'
import { chooseStandardPreset, keepChatPreset, listChatPresets, removeChatPreset } from '../../operations/conversations/chat-presets.ts'
import { chatParameters } from '../chat-parameters-field.ts'
import type { PresetList, PresetUpdate, StandardPreset } from '../contract/presets.ts'
import { checkPageMadeId, pageMadeId } from '../page-made-id.ts'
import { type BodyReader, createBodyReader } from '../read-console-input.ts'
import { nameField } from '../sign-in/sign-in-fields.ts'
import { personOf } from '../sign-in/signed-in.ts'

const readPreset: BodyReader<PresetUpdate> = createBodyReader({ name: nameField, parameters: chatParameters })
const readStandard: BodyReader<StandardPreset> = createBodyReader({ standard: Type.Optional(pageMadeId) })

type OfPreset = { readonly Params: { readonly id: string } }

/** /console/api/presets: the account's system prompts and chat parameters. */
export function registerPresets(own: FastifyInstance, deps: DocumentDependencies): void {
  own.get('/console/api/presets', async (request, reply): Promise<PresetList> => {
    return listChatPresets(deps, personOf(request).id, { signal: clientSignal(reply) })
  })

  own.put('/console/api/presets', async (request, reply) => {
    const { standard: id = null } = readStandard(request)
    await chooseStandardPreset(deps, { accountId: personOf(request).id, id }, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.put<OfPreset>('/console/api/presets/:id', { config: { largeBody: true } }, async (request, reply) => {
    const preset = { ...readPreset(request), id: checkPageMadeId(request.params.id, 'preset') }
    await keepChatPreset(deps, { accountId: personOf(request).id, preset }, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })

  own.delete<OfPreset>('/console/api/presets/:id', async (request, reply) => {
    const target = { accountId: personOf(request).id, id: checkPageMadeId(request.params.id, 'preset') }
    await removeChatPreset(deps, target, { signal: clientSignal(reply) })
    return reply.code(204).send()
  })
}
