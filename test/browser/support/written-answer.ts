import type { Page } from 'playwright-core'

/** An answer that a test writes piece by piece, in place of a model. */
export interface WrittenAnswer {
  write(text: string): Promise<void>
  end(): Promise<void>
}

const nextAnswerIsWritten = `{
  const own = window.fetch
  window.fetch = async (input, init) => {
    if (String(input) !== '/v1/chat/completions') return own(input, init)
    window.fetch = own
    const body = new ReadableStream({
      start(controller) {
        window.answer = controller
        init.signal.addEventListener('abort', () => controller.error(init.signal.reason))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}`

/** Lets the next chat completion of a page be written by the test. */
export async function writeNextAnswer(page: Page): Promise<WrittenAnswer> {
  await page.evaluate(nextAnswerIsWritten)
  // The page leaves the stream at its last event, so that there is nothing to close.
  const send = async (data: string) => {
    await page.evaluate(`window.answer.enqueue(new TextEncoder().encode(${JSON.stringify(`data: ${data}\n\n`)}))`)
  }
  const chunk = (delta: object, finish: string | null) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
  return {
    write: (content) => send(chunk({ content }, null)),
    async end() {
      await send(chunk({}, 'stop'))
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
