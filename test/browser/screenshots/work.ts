import type { Page } from 'playwright-core'
import type { StartedService } from '../support/start-service.ts'

const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Tell me a story.' }], max_tokens: 64 })

/** Has a service answer chats, one after another, until it is disposed. */
export function beginWork({ url, token }: Pick<StartedService, 'url' | 'token'>): AsyncDisposable {
  const left = new AbortController()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const chat = async (): Promise<void> => {
    const { signal } = left
    while (!signal.aborted) await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body, signal })).text()
  }
  const done = chat().catch((error: unknown) => {
    if (!left.signal.aborted) throw error
  })
  return {
    async [Symbol.asyncDispose]() {
      left.abort()
      await done
    },
  }
}

/** Waits until the page of the service has read so often how it does. */
export async function readingsShown(page: Page, readings: number): Promise<void> {
  for (let read = 0; read < readings; read++) await page.waitForResponse((response) => response.url().endsWith('/console/api/service'))
}
