import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How the proxy treats an answer. */
export type Fate =
  /** Nothing ever comes. */
  | { readonly does: 'hang' }
  /**
   * The line breaks so many bytes behind its beginning, or behind a text in it: at once, or after a silence until `when`, since a browser forgets what
   * it has not read when a line breaks.
   */
  | { readonly does: 'cut'; readonly behind?: string; readonly afterBytes: number; readonly when?: Promise<void> }
  /** The proxy answers in the service's place. */
  | { readonly does: 'refuse'; readonly status: number }
  /** The service gets it, and its answer is lost. */
  | { readonly does: 'lose' }

/** A proxy between a browser and a service that acts like a bad line. */
export interface SlowProxy extends AsyncDisposable {
  readonly url: string
  /** Treats matching requests so from now on, until it is changed. */
  treat(fits: (method: string, path: string) => boolean, fate: Fate): void
  /** Lets everything through again, but what hangs. */
  mend(): void
}

/** @param target The address of the service; a function where it is only known later. */
export async function openSlowProxy(target: string | (() => string)): Promise<SlowProxy> {
  let rules: { readonly fits: (method: string, path: string) => boolean; readonly fate: Fate }[] = []
  const server = createServer((incoming, answer) => {
    const fate = rules.findLast(({ fits }) => fits(incoming.method ?? '', incoming.url ?? ''))?.fate
    if (fate?.does === 'hang') return
    if (fate?.does === 'refuse') return void answer.writeHead(fate.status).end('<h1>Bad gateway</h1>')
    passOn(typeof target === 'string' ? target : target(), incoming, answer, fate)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    treat: (fits, fate) => void rules.push({ fits, fate }),
    mend: () => {
      rules = []
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOn(target: string, incoming: IncomingMessage, answer: ServerResponse, fate: Fate | undefined): void {
  const { method, headers, url } = incoming
  const onward = request(`${target}${url}`, { method, headers }, (came) => {
    if (fate?.does === 'lose') return void came.resume().on('end', () => answer.destroy())
    answer.writeHead(came.statusCode ?? 502, came.headers)
    if (fate?.does !== 'cut') return void came.pipe(answer)
    const { behind = '', afterBytes, when } = fate
    let text = ''
    came.on('data', (part: Buffer) => {
      const before = text.length
      text += part.toString('latin1')
      const found = text.indexOf(behind)
      const end = found === -1 ? Number.POSITIVE_INFINITY : found + behind.length + afterBytes
      if (before >= end) return
      answer.write(part.subarray(0, end - before))
      // What was written still arrives.
      if (text.length >= end) void Promise.resolve(when).then(() => answer.socket?.destroySoon())
    })
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
