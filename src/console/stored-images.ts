import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { ServiceError } from '../core/error.ts'
import type { Inference } from '../core/inference.ts'

/** As much of a stored image output as the console reads; the public interface wrote it. */
const schema = Type.Object({
  images: Type.Array(
    Type.Object({ image_b64: Type.Union([Type.String(), Type.Null()]), removed_for_safety: Type.Boolean(), seed: Type.Integer() }),
  ),
  prediction_time_ms: Type.Number(),
})
const validator = Compile(schema)

/** The images of a stored output. @throws {ServiceError} `not_found` when it holds none. */
export function parseStoredImages(content: Uint8Array): Static<typeof schema> {
  const value: unknown = JSON.parse(Buffer.from(content).toString('utf8'))
  if (!validator.Check(value)) throw new ServiceError('not_found', 'This output holds no images.')
  return value
}

/** Whether pictures of this inference can be fetched. */
export function hasPictures(inference: Inference, now: number): inference is Inference & { readonly expiresAt: number } {
  const { kind, output, expiresAt } = inference
  return kind === 'image' && output !== null && expiresAt !== null && expiresAt > now
}
