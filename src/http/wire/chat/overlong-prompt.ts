import { ServiceError } from '../../../core/error.ts'
import type { TextModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { promptField, type TextRequest, type TokenizeRequest } from '../../../core/text-generation.ts'
import { requireTextModel, type TextModelUse, useOf } from './require-text-model.ts'

/**
 * Bytes of a body per token of the context. The longest tokens in use are runs of 128 spaces; written text has at most six bytes per token,
 * and twenty when every character is escaped.
 */
const bytesPerToken = 128

/** Room for fields other than the prompt. */
const spareBytes = 64 * 1024

/**
 * Refuses a text body that is certainly too long for its model, before it takes the engine's time.
 *
 * @throws {ServiceError} `context_length_exceeded`.
 */
export function refuseOverlong(
  { contextLength, trainedLength }: TextModelDescriptor,
  { bytes, param }: { readonly bytes: number; readonly param: 'messages' | 'prompt' },
): void {
  const tokens = contextLength ?? trainedLength
  if (tokens === undefined || bytes <= tokens * bytesPerToken + spareBytes) return
  throw new ServiceError(
    'context_length_exceeded',
    `The body has ${bytes} bytes, which cannot fit into a context of ${tokens} tokens; shorten the prompt.`,
    { param },
  )
}

/**
 * The text model that a request names, if it can do what the input needs and the text may fit its context.
 *
 * @param bytes Of the request's body.
 * @param use The use of the model if the input has no pictures.
 * @throws {ServiceError} as {@link requireTextModel} and {@link refuseOverlong}.
 */
export function admitText(
  catalog: ModelCatalog,
  { model, input }: Pick<TextRequest | TokenizeRequest, 'model' | 'input'>,
  { bytes, use = 'generate' }: { readonly bytes: number; readonly use?: TextModelUse },
): TextModelDescriptor {
  const found = requireTextModel(catalog, model, useOf(input, use))
  refuseOverlong(found, { bytes: bytes - pictureBytes({ input }), param: promptField(input) })
  return found
}

/** Bytes of a request's pictures, which do not take up the context as text. */
export function pictureBytes({ input }: Pick<TextRequest | TokenizeRequest, 'input'>): number {
  const messages = input.type === 'chat' ? input.messages : []
  const parts = messages.flatMap((message) => ('parts' in message ? (message.parts ?? []) : []))
  return parts.reduce((sum, part) => sum + (part.type === 'picture' ? part.base64.length : 0), 0)
}
