import type { Page } from 'playwright-core'
import { untilTrue } from './until-true.ts'

/** An answer that a test writes piece by piece, in place of a model. */
export interface WrittenAnswer {
  write(text: string): Promise<void>
  /** Sends a piece of another kind, as a chunk's `delta` has it. */
  writeDelta(delta: object): Promise<void>
  end(reason?: string): Promise<void>
}

const nextAnswersAreWritten = (count: number) => `{
  const own = window.fetch
  const streams = new Map()
  const taken = []
  window.answers = []
  window.fetch = async (input, init = {}) => {
    const address = String(input)
    if (address === '/v1/chat/completions' && taken.length < ${count}) {
      const id = 'written-' + crypto.randomUUID()
      taken.push(id)
      const body = new ReadableStream({ start: (controller) => void window.answers.push(controller) })
      streams.set(id, body)
      return Response.json({ response_id: id }, { status: 202 })
    }
    const id = taken.find((each) => address.includes(each))
    if (id === undefined) return own(input, init)
    if (!address.endsWith('/events')) return new Response(null, { status: 204 })
    const answer = window.answers[taken.indexOf(id)]
    init.signal?.addEventListener('abort', () => answer.error(init.signal.reason))
    return new Response(streams.get(id), { headers: { 'content-type': 'text/event-stream' } })
  }
}`

/** Lets the next chat completion of a page be written by the test. */
export async function writeNextAnswer(page: Page): Promise<WrittenAnswer> {
  await page.evaluate(nextAnswersAreWritten(1))
  return writtenAnswer(page, 0)
}

/** Lets the next two chat completions of a page be written by the test. */
export async function writeNextTwoAnswers(page: Page): Promise<readonly [WrittenAnswer, WrittenAnswer]> {
  await page.evaluate(nextAnswersAreWritten(2))
  return [writtenAnswer(page, 0), writtenAnswer(page, 1)]
}

function writtenAnswer(page: Page, index: number): WrittenAnswer {
  // The page leaves the events at the last of them, so that there is nothing to close.
  const send = async (data: string) => {
    // The page sends the request a moment after the message appears.
    await untilTrue(page, `window.answers[${index}] !== undefined`)
    await page.evaluate(`window.answers[${index}].enqueue(new TextEncoder().encode(${JSON.stringify(`data: ${data}\n\n`)}))`)
  }
  const chunk = (delta: object, finish: string | null) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
  return {
    write: (content) => send(chunk({ content }, null)),
    writeDelta: (delta) => send(chunk(delta, null)),
    async end(reason = 'stop') {
      await send(chunk({}, reason))
      await send(JSON.stringify({ status: 'completed', outcome: 'succeeded' }))
    },
  }
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`

/** Answers the next chat completion of a page with a text, or with some of it and a failure. */
export async function answerNext(
  page: Page,
  content: string,
  failure: string | null = null,
): Promise<{ readonly sent: Promise<{ readonly messages: readonly object[] }> }> {
  const id = `answered-${crypto.randomUUID()}`
  const sent = Promise.withResolvers<{ readonly messages: readonly object[] }>()
  await page.route(
    '**/v1/chat/completions',
    (route) => {
      sent.resolve(route.request().postDataJSON())
      return route.fulfill({ status: 202, json: { response_id: id } })
    },
    { times: 1 },
  )
  // Of this id alone, as often as it is read.
  const text = event({ choices: [{ index: 0, delta: { content }, finish_reason: failure === null ? 'stop' : null }] })
  const end = event({ status: 'completed', outcome: failure === null ? 'succeeded' : 'failed' })
  await page.route(`**/v1/requests/${id}/events`, (route) => route.fulfill({ contentType: 'text/event-stream', body: text + end }))
  const inference = { id, status: 'completed', outcome: 'failed', error: { message: failure } }
  if (failure !== null) await page.route(`**/console/api/requests/${id}`, (route) => route.fulfill({ json: { inference } }))
  return { sent: sent.promise }
}

/** Says something and has the whole answer written. Returns when it is done. */
export async function haveAnswered(page: Page, markdown: string): Promise<void> {
  const answer = await writeNextAnswer(page)
  await page.getByLabel('Your message').fill('Go on.')
  await page.keyboard.press('Enter')
  await page.locator('.turn-answer[data-state=writing]').waitFor()
  await answer.write(markdown)
  await answer.end()
  await page.locator('.turn-answer').last().and(page.locator('[data-state=done]')).waitFor()
}
