import assert from 'node:assert/strict'
import type { HttpService } from './http-service.ts'
import { readJson } from './read-json.ts'

/** Submits a request asynchronously and checks the whole answer. */
export async function submit(
  service: HttpService,
  json: object = { prompt: 'a tiger', seed: 1 },
  headers: Record<string, string> = {},
  path = '/generate/sdxl',
): Promise<{ readonly id: string; readonly answer: Response }> {
  const answer = await service.fetch(path, { json, headers: { 'x-service-async': '1', ...headers } })
  assert.equal(answer.status, 202)
  const { response_id: id, poll_url: pollUrl, ...rest } = await readJson(answer)
  assert.deepEqual(rest, {})
  assert.equal(pollUrl, `${service.url}/v1/requests/${id}`)
  assert.equal(answer.headers.get('location'), pollUrl)
  return { id: String(id), answer }
}

/** Waits for a request's completion and returns its poll body. */
export async function finish(service: HttpService, id: string): Promise<Record<string, unknown>> {
  const answer = await service.fetch(`/v1/requests/${id}?wait=60`)
  assert.equal(answer.status, 200)
  return readJson(answer)
}
