import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterUnderTest } from './cluster-under-test.ts'
import { answerTo, promptOf } from './watched-model.ts'

/** The outcomes of streams. */
export interface StreamReport {
  whole: number
  /** Ended without `[DONE]`, or with an error. */
  brokenOff: number
  /** Sent `[DONE]` before everything was sent. */
  lies: number
}

const streamMs = 1500

/** Reads streams one after the other, each from the next node that is up, until `isOver`. */
export async function watchStreams(
  { nodes, token }: Pick<ClusterUnderTest, 'nodes' | 'token'>,
  { readers, report, isOver }: { readonly readers: number; readonly report: StreamReport; readonly isOver: () => boolean },
): Promise<void> {
  let next = 0
  const read = async () => {
    while (!isOver()) {
      const place = next++
      const node = nodes[place % nodes.length]
      if (node?.up !== true) {
        await pause(50)
        continue
      }
      const name = `stream-${place}`
      const body = { model: 'watched', messages: [{ role: 'user', content: promptOf(name, streamMs) }], stream: true }
      const text = await readAll(`${node.service.url}/v1/chat/completions`, token, JSON.stringify(body))
      if (text === null) continue
      if (!text.includes('data: [DONE]')) report.brokenOff++
      else if (wordsOf(text) === answerTo(name)) report.whole++
      else report.lies++
    }
  }
  await Promise.all(Array.from({ length: readers }, read))
}

/** The received text, complete or not; null if the stream never started, as from a stopping node. */
async function readAll(url: string, token: string, body: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  let text = ''
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(60_000) })
    if (!response.ok || response.body === null) return await response.text().then(() => pause(50, null))
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) text += piece
    return text
  } catch {
    return text === '' ? pause(50, null) : text
  }
}

function wordsOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices?.[0]?.delta?.content ?? '')
    .join('')
}
