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
  window.answers = []
  window.fetch = async (input, init) => {
    if (String(input) !== '/v1/chat/completions') return own(input, init)
    if (window.answers.length + 1 === ${count}) window.fetch = own
    const body = new ReadableStream({
      start(controller) {
        window.answers.push(controller)
        init.signal.addEventListener('abort', () => controller.error(init.signal.reason))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
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
  // The page leaves the stream at its last event, so that there is nothing to close.
  const send = async (data: string) => {
    // What is asked for leaves the page a moment after it is said.
    await untilTrue(page, `window.answers[${index}] !== undefined`)
    await page.evaluate(`window.answers[${index}].enqueue(new TextEncoder().encode(${JSON.stringify(`data: ${data}\n\n`)}))`)
  }
  const chunk = (delta: object, finish: string | null) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
  return {
    write: (content) => send(chunk({ content }, null)),
    writeDelta: (delta) => send(chunk(delta, null)),
    async end(reason = 'stop') {
      await send(chunk({}, reason))
      await send('[DONE]')
    },
  }
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
