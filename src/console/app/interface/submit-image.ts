import type { ImageBody } from '../../../http/wire/images/image-fields.ts'
import { request } from './request.ts'

/** The body of `POST /generate/sdxl`, with what the console always says. */
export type ImageRequestBody = ImageBody & Required<Pick<ImageBody, 'width' | 'height' | 'steps' | 'cfg_scale' | 'sampler'>>

/** Hands an image request in; it runs whether or not this page stays open. Returns its id. */
export async function submitImage(body: ImageRequestBody): Promise<string> {
  const { response_id } = await request<{ response_id: string }>('/generate/sdxl', {
    method: 'POST',
    body,
    headers: { 'x-service-async': '1', 'x-service-preview': '1' },
  })
  return response_id
}
