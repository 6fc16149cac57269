import { ServiceError } from '../../core/error.ts'
import type { TextModelDescriptor } from '../../core/model.ts'

/**
 * Bytes of a body per token of the context. The longest tokens of the vocabularies in use are runs of 128 spaces; what people write has six
 * bytes per token at most, and twenty where every character is escaped.
 */
const bytesPerToken = 128

/** Room for fields that are no prompt. */
const spareBytes = 64 * 1024

/**
 * Refuses a text body that is surely too long for its model, before the engine that others wait for reads it.
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
    `The body has ${bytes} bytes, which no context of ${tokens} tokens holds, answer included; shorten the prompt.`,
    { param },
  )
}
