import type { Page } from 'playwright-core'

const answer =
  'Otters **hold hands** while they sleep.\n\n1. They eat urchins.\n2. They use tools, such as `stones`.\n\n| what | how many |\n|---|---|\n| hands | 2 |\n'

/** Keeps a conversation of so many messages, every other one an answer with a list and a table, and returns its id. */
export async function keepConversation(page: Page, messages: number): Promise<string> {
  const id = `long${messages}`.padEnd(24, 'x')
  const turn = (index: number) => `m${messages}x${index}`.padEnd(24, 'x')
  const turns = Array.from({ length: messages }, (_, index) => ({
    ...(index % 2 === 1
      ? { role: 'assistant', content: answer, model: 'sepia-mini-chat' }
      : { role: 'user', content: `Question ${index}`, model: null }),
    ...{ parent: index === 0 ? null : turn(index - 1), files: [], state: 'done', at: index + 1 },
  }))
  const bodies = [
    ['', { title: `${messages} messages`, pinned: false, leaf: turn(messages - 1) }],
    ...turns.map((body, index) => [`/turns/${turn(index)}`, body]),
  ]
  await page.evaluate(`(async () => {
    const headers = { 'content-type': 'application/json' }
    for (const [path, body] of ${JSON.stringify(bodies)}) {
      const { ok, status } = await fetch('/console/api/conversations/${id}' + path, { method: 'PUT', headers, body: JSON.stringify(body) })
      if (!ok) throw new Error(path + ' was answered ' + status)
    }
  })()`)
  return id
}
