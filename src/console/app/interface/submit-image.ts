import type { ImageRequestBody } from './image-request.ts'
import { request } from './request.ts'

/** Hands an image request in; it runs whether or not this page stays open. Returns its id. */
export async function submitImage(body: ImageRequestBody): Promise<string> {
  const { response_id } = await request<{ response_id: string }>('/generate/sdxl', {
    method: 'POST',
    body,
    headers: { 'x-service-async': '1', 'x-service-preview': '1' },
  })
  return response_id
}
