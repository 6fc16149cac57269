import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { habitualSurfaces } from '../../../scripts/docs/habitual-fields.ts'
import { type PublishedSurface, publishedSurfaces } from '../../../scripts/docs/published-fields.ts'
import { type HttpService, startHttpService } from '../../support/http-service.ts'
import { declaredFields } from './declared-fields.ts'

type Body = Readonly<Record<string, unknown>>

suite('the table of published fields', () => {
  let service: HttpService
  let given: Readonly<Record<string, Body>>

  before(async () => {
    service = await startHttpService({ worker: true })
    const file = new Blob([`${JSON.stringify(lineOfBatch)}\n`])
    const kept = await send('/v1/files', { purpose: 'batch', file }, true)
    const earlier = await send('/v1/responses', { model: 'fake-chat', input: 'Hi' })
    const picture = { image: await makePicture(1) }
    given = {
      '/v1/files': { file },
      '/v1/batches': { input_file_id: JSON.parse(kept.text).id },
      '/v1/responses': { earlier: JSON.parse(earlier.text).id },
      '/v1/images/edits': picture,
      '/v1/images/variations': picture,
    }
  })
  after(() => service[Symbol.asyncDispose]())

  for (const surface of publishedSurfaces) {
    const { route, declared, fields, form = false } = surface

    test(`${route} has a row for exactly the fields that ${declared[0]} declares`, () => {
      assert.deepEqual(Object.keys(fields).toSorted(), declaredFields(declared).toSorted())
    })

    test(`${route} rejects by name exactly the fields listed in the table`, async () => {
      const least = smallestBody(surface)
      for (const [name, { fate, sample, beside = {} }] of Object.entries(fields)) {
        const added = sample === undefined ? {} : { [name]: await sampleFor(route, name, sample) }
        const { status, text } = await send(route, { ...least, ...beside, ...added }, form)
        if (fate !== 'refused') {
          assert.equal(status, 200, `${name}: ${text.slice(0, 300)}`)
          assert.doesNotMatch(text, failedEvent, name)
        } else {
          assert.ok(status === 400 || status === 422, `${name}: ${status} ${text.slice(0, 300)}`)
          assert.ok(JSON.parse(text).error.message.includes(`\`${name}\``), text)
        }
      }
    })
  }

  for (const { route, least, fields } of habitualSurfaces)
    test(`${route} accepts the fields of other servers listed in the table, and rejects the others by name`, async () => {
      for (const [name, { fate, sample, beside = {}, engine = false }] of Object.entries(fields)) {
        const { status, text } = await send(route, { ...least, ...beside, [name]: sample })
        if (fate === 'refused' || engine) assert.match(JSON.parse(text).error.message, new RegExp(`\\b${name}\\b|fake model follows`), text)
        assert.equal(status, fate === 'refused' || engine ? 400 : 200, `${name}: ${text.slice(0, 300)}`)
      }
    })

  function smallestBody({ route, least }: PublishedSurface): Body {
    const { earlier: _, ...rest } = given[route] ?? {}
    return { ...least, ...rest }
  }

  async function sampleFor(route: string, name: string, sample: unknown): Promise<unknown> {
    if (name === 'mask') return makePicture(0)
    return name === 'previous_response_id' ? given[route]?.earlier : sample
  }

  async function send(route: string, body: Body, form = false): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { authorization: `Bearer ${service.token}` }
    const init = form
      ? { method: 'POST', headers, body: asForm(body) }
      : { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await fetch(`${service.url}${route}`, init)
    return { status: answer.status, text: await answer.text() }
  }
})

/** How a stream reports a failure, in each interface. */
const failedEvent = /^data: \{"error"|^event: (error|response\.failed)/m

const lineOfBatch = {
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] },
}

/** As the clients write forms: what is nested goes by `name[key]`. */
function asForm(body: Body): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof Blob) form.append(name, value, `${name}.png`)
    else if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) form.append(`${name}[${key}]`, String(part))
    else form.append(name, String(value))
  }
  return form
}

async function makePicture(alpha: number): Promise<Blob> {
  const background = { r: 90, g: 60, b: 30, alpha }
  const bytes = await sharp({ create: { width: 64, height: 64, channels: 4, background } })
    .png()
    .toBuffer()
  return new Blob([new Uint8Array(bytes)], { type: 'image/png' })
}
