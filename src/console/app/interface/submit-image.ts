import { type CheckpointFamily, isTransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import type { ImageBody } from '../../../http/wire/images/image-fields.ts'
import { request } from './request.ts'

/** Where pictures of a family of models are asked for. */
export function imageRoute(family: CheckpointFamily): string {
  if (isTransformerFamily(family)) return '/generate/image'
  return family === 'sd15' || family === 'sd2' ? '/generate/sd' : '/generate/sdxl'
}

/** The body of such a request, with what the console always says. */
export type ImageRequestBody = ImageBody & Required<Pick<ImageBody, 'width' | 'height' | 'steps' | 'cfg_scale' | 'sampler'>>

/**
 * Hands an image request in; it runs whether or not this page stays open. Returns its id.
 *
 * @param key By which the service knows it again: however often it is handed in, it is drawn once.
 */
export async function submitImage(route: string, body: ImageRequestBody, key: string): Promise<string> {
  const { response_id } = await request<{ response_id: string }>(route, {
    method: 'POST',
    body,
    headers: { 'x-service-async': '1', 'x-service-preview': '1', 'idempotency-key': key },
  })
  return response_id
}
