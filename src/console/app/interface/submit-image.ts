import { type CheckpointFamily, isTransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import type { ImageBody } from '../../../http/wire/images/image-fields.ts'
import { request } from './request.ts'

/** The image route of a model family. */
export function imageRoute(family: CheckpointFamily): string {
  if (isTransformerFamily(family)) return '/generate/image'
  return family === 'sd15' || family === 'sd2' ? '/generate/sd' : '/generate/sdxl'
}

/** The request's body, with the fields that the console always sets. */
export type ImageRequestBody = ImageBody & Required<Pick<ImageBody, 'width' | 'height' | 'steps' | 'cfg_scale' | 'sampler'>>

/** The pictures in a request, in base64. */
export function picturesOf({ init_image, mask_image, reference_images = [], controlnets = [] }: ImageRequestBody): readonly string[] {
  return [init_image, mask_image, ...reference_images, ...controlnets.map(({ image }) => image)].filter((image) => image !== undefined)
}

/** Whether the service has replaced pictures of a stored request by placeholders, so that it cannot be sent again. */
export function lacksPictures(body: ImageRequestBody): boolean {
  return picturesOf(body).includes('<base64>')
}

/**
 * Submits an image request, which runs even if this page is closed.
 *
 * @param key Identifies it: repeated with the same key, it is drawn once.
 * @returns its id.
 */
export async function submitImage(route: string, body: ImageRequestBody, key: string): Promise<string> {
  const { response_id } = await request<{ response_id: string }>(route, {
    method: 'POST',
    body,
    headers: { 'x-service-async': '1', 'x-service-preview': '1', 'idempotency-key': key },
  })
  return response_id
}
