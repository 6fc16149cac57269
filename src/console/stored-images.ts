import { createHash } from 'node:crypto'
import Type from 'typebox'
import { Compile } from 'typebox/schema'
import { ServiceError } from '../core/error.ts'
import type { Inference, OutputReference, StoredImages } from '../core/inference.ts'
import type { Abortable } from '../core/waiting.ts'
import type { ConsoleDependencies } from './console-dependencies.ts'

/** The parts of a stored image output that the console reads; the public interface wrote it. */
const schema = Type.Object({
  images: Type.Array(
    Type.Object({ image_b64: Type.Union([Type.String(), Type.Null()]), removed_for_safety: Type.Boolean(), seed: Type.Integer() }),
  ),
  prediction_time_ms: Type.Number(),
})
const validator = Compile(schema)

/**
 * The pictures of a stored output. Outputs of earlier versions, which do not record the pictures' positions, are read whole.
 *
 * @throws {ServiceError} `not_found` when it contains none.
 */
export async function findStoredImages(
  { outputs }: Pick<ConsoleDependencies, 'outputs'>,
  output: OutputReference,
  options: Abortable,
): Promise<StoredImages> {
  return output.images ?? locateImages(Buffer.concat(await Array.fromAsync(await outputs.open(output, options))))
}

/** The address of a stored picture for a signed-in browser. */
export function imageAddress(inferenceId: string, index: number): string {
  return `/console/api/outputs/${encodeURIComponent(inferenceId)}/images/${index}`
}

function locateImages(content: Buffer): StoredImages {
  const value: unknown = JSON.parse(content.toString('utf8'))
  if (!validator.Check(value)) throw new ServiceError('not_found', 'This output holds no images.')
  let end = 0
  const pictures = value.images.map(({ image_b64: text, removed_for_safety: removedForSafety, seed }) => {
    const offset = text === null ? end : content.indexOf(text, end, 'latin1')
    end = offset + (text?.length ?? 0)
    const sha256 = createHash('sha256')
      .update(Buffer.from(text ?? '', 'base64'))
      .digest('hex')
    return { seed, removedForSafety, offset, length: text?.length ?? 0, sha256 }
  })
  return { computeMs: value.prediction_time_ms, pictures }
}

/** Whether pictures of this inference can be fetched. */
export function hasPictures(
  inference: Inference,
  now: number,
): inference is Inference & { readonly expiresAt: number; readonly output: OutputReference } {
  const { kind, output, expiresAt } = inference
  return kind === 'image' && output !== null && expiresAt !== null && expiresAt > now
}
