import type { Abortable } from '../../../core/waiting.ts'
import { fieldOf, textsIn } from '../field-of.ts'
import { makeBrokenError } from '../upstream-error.ts'
import type { ServerCalls } from './server-calls.ts'
import { type ImageServer, pictureIn, rareFields, refuseEmbedded, refuseUsed, type ServerDrawing } from './server-drawing.ts'

/**
 * OpenAI's image API. It takes a prompt and a size only, and reports no progress. Closing the connection
 * is the only way to cancel a request.
 *
 * @param model The model's name on the server.
 * @throws {ServiceError} `inference_failed` if it does not answer.
 */
export async function connectOpenAiImages(
  calls: ServerCalls,
  { model, defaults }: { readonly model: string; readonly defaults: { readonly steps: number; readonly guidanceScale: number } },
  options: Abortable,
): Promise<ImageServer> {
  await calls.get('/models', options)
  return {
    async refuse(request) {
      refuseEmbedded(request)
      refuseUsed('openai-images', [
        ...rareFields(request),
        ['negative_prompt', request.negative !== null],
        ['steps', request.steps !== defaults.steps],
        ['cfg_scale', request.guidanceScale !== defaults.guidanceScale],
        ['init_image', request.initial !== null],
        ['loras', request.loras.length > 0],
      ])
    },
    draw: async ({ request, texts }: ServerDrawing, { signal }) => {
      const answer = await calls.post(
        '/images/generations',
        {
          model,
          prompt: texts.prompt,
          n: 1,
          size: `${request.width}x${request.height}`,
          // OpenAI's newest models always answer in base64 and reject `response_format`.
          response_format: /(?:^|\/)(?:chat)?gpt-image/u.test(model) ? undefined : 'b64_json',
        },
        { signal, makes: 'picture' },
      )
      const listed = fieldOf(answer, 'data') ?? fieldOf(answer, 'images')
      const [encoded, urls] = [textsIn(listed, 'b64_json'), textsIn(listed, 'url')]
      const inside = [...encoded, ...urls.filter((url) => url.startsWith('data:')), ...textsIn(listed)]
      if (inside.length === 0 && urls.length > 0) throw makeBrokenError('sent the address of an image instead of the image')
      return pictureIn(answer, inside)
    },
  }
}
