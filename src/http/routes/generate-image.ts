import type { FastifyInstance } from 'fastify'
import { generateImage } from '../../operations/generate-image.ts'
import { readImageAccept } from '../accept-header.ts'
import { callerOf, requireScope } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { HttpDependencies } from '../http-dependencies.ts'
import type { HttpSettings } from '../http-settings.ts'
import { interactiveWork } from '../interactive-work.ts'
import { receivedBody } from '../read-body.ts'
import { parseImageRequest } from '../wire/image-request.ts'
import { encodeImageResult } from '../wire/image-result.ts'

/** POST /generate/sdxl: as JSON, as the image itself, or deferred. */
export function registerGenerateImage(api: FastifyInstance, deps: HttpDependencies, settings: HttpSettings): void {
  api.post('/generate/sdxl', async (incoming, reply) => {
    const caller = callerOf(incoming)
    requireScope(caller, ['image'])
    const signal = clientSignal(reply)
    const answer = readImageAccept(incoming.headers.accept)
    const hints = { encoding: answer.type === 'image' ? answer.encoding : null, previews: false }
    const { request, logPrompt } = await parseImageRequest(deps, { body: receivedBody(incoming).value, hints }, { signal })
    if (logPrompt) deps.observer.promptLogged({ requestId: incoming.id, accountId: caller.accountId, prompt: request.prompt })
    const result = await generateImage(interactiveWork(deps, settings, incoming), { caller, request }, { signal })
    const [first] = result.images
    if (answer.type === 'json' || first === undefined || first.removedForSafety) return encodeImageResult(request, result)
    return reply.type(`image/${first.encoding}`).send(Buffer.from(first.bytes))
  })
}
