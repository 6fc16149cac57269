import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ChaosNode, ClusterUnderTest } from './cluster-under-test.ts'
import { promptOf } from './watched-model.ts'

/** How long a client waits for an answer before it asks another node. */
const patienceMs = 8000

/** The answer of a node. */
export interface ClusterAnswer {
  readonly status: number
  readonly text: string
  readonly etag: string | null
}

/** A stored output as a client got it. */
export interface FetchedAnswer {
  readonly sha256: string
  readonly content: string
}

/** A client of a load balancer: each request goes to the next node, and to another one if that does not serve it. */
export class ClusterClient {
  readonly #nodes: readonly ChaosNode[]
  readonly #token: string
  #next = 0
  /** Requests that no node served at the first asking of each. */
  failures = 0
  /** Those of them in which some node was only too slow, as all are on a machine that has more to do than it can. */
  late = 0
  /** The answers of the nodes to those, with their counts: a status and the code of its error, or silence. */
  readonly refusals = new Map<string, number>()

  constructor({ nodes, token }: Pick<ClusterUnderTest, 'nodes' | 'token'>) {
    this.#nodes = nodes
    this.#token = token
  }

  /** Asks one node once; null where no whole answer came. */
  async askNode({ service }: ChaosNode, path: string, init: RequestInit = {}, limitMs = patienceMs): Promise<ClusterAnswer | null> {
    try {
      const headers = {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        ...Object.fromEntries(new Headers(init.headers)),
      }
      const response = await fetch(service.url + path, { ...init, headers, signal: AbortSignal.timeout(limitMs) })
      return { status: response.status, text: await response.text(), etag: response.headers.get('etag') }
    } catch {
      return null
    }
  }

  /** Asks node after node until one serves it. */
  async ask(path: string, init: RequestInit = {}): Promise<ClusterAnswer> {
    const first = this.#next++
    for (let round = 0; ; round++) {
      const refusals: string[] = []
      let isLate = false
      for (let place = first; place < first + this.#nodes.length; place++) {
        const node = this.#nodes[place % this.#nodes.length]
        const startedAt = performance.now()
        const answer = node === undefined ? null : await this.askNode(node, path, init)
        if (answer !== null && answer.status < 500) return answer
        isLate ||= answer === null ? performance.now() - startedAt >= patienceMs : answer.text.includes(' in time; try again')
        refusals.push(describeRefusal(answer))
      }
      if (round === 0) {
        this.failures++
        if (isLate) this.late++
        const together = refusals.join(', ')
        this.refusals.set(together, (this.refusals.get(together) ?? 0) + 1)
      }
      await pause(50)
    }
  }

  /** Submits once or several times at once, to whichever nodes; the ids that were promised, which should be one. */
  async submit(name: string, workMs: number, { copies = 1, more = 0 } = {}): Promise<readonly string[]> {
    const submission = describeSubmission(name, workMs, more)
    const answers = await Promise.all(Array.from({ length: copies }, () => this.ask('/v1/chat/completions', submission)))
    return [...new Set(answers.map(readResponseId))]
  }

  /** Waits until it is completed; resolves with its outcome. */
  async waitFor(id: string): Promise<string> {
    for (;;) {
      const { status, text } = await this.ask(`/v1/requests/${id}?wait=5`)
      if (status >= 400) throw new Error(`Polling ${id} answered ${status}: ${text}`)
      const { outcome } = JSON.parse(text) as { readonly outcome?: string }
      if (outcome !== undefined) return outcome
    }
  }

  async fetchOutput(id: string): Promise<FetchedAnswer> {
    const { status, text, etag } = await this.ask(`/v1/responses/${id}`)
    const sha256 = createHash('sha256').update(text).digest('hex')
    if (status !== 200 || etag !== `"${sha256}"`) return { sha256: `${status} ${etag}`, content: text }
    const { choices } = JSON.parse(text) as { readonly choices: readonly { readonly message: { readonly content: string } }[] }
    return { sha256, content: choices[0]?.message.content ?? '' }
  }

  async cancel(id: string): Promise<void> {
    await this.ask(`/v1/requests/${id}`, { method: 'DELETE' })
  }
}

function describeRefusal(answer: ClusterAnswer | null): string {
  if (answer === null) return 'silence'
  return `${answer.status} ${/"message":"([^"]*)"/.exec(answer.text)?.[1] ?? ''}`
}

/** Submits work that takes the model this long. */
export function describeSubmission(name: string, workMs: number, more = 0): RequestInit {
  const body = JSON.stringify({ model: 'watched', messages: [{ role: 'user', content: promptOf(name, workMs, more) }] })
  return { method: 'POST', headers: { 'x-service-async': '1', 'idempotency-key': name }, body }
}

/** The id that a submission was promised. */
export function readResponseId({ status, text }: ClusterAnswer): string {
  const { response_id: id } = JSON.parse(text) as { readonly response_id?: string }
  if (status !== 202 || id === undefined) throw new Error(`A submission was answered with ${status}: ${text}`)
  return id
}
